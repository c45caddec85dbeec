/**
 * The unweighted mean of the parties' profiles (Ran et al. 2024, Algorithm 1, line 13).
 * O(parties · rows · d).
 */
export function averageProfiles(profiles: readonly Float64Array[]): Float64Array {
  const mean = new Float64Array(profiles[0].length);
  for (const one of profiles) for (let at = 0; at < mean.length; at++) mean[at] += one[at] / profiles.length;
  return mean;
}
