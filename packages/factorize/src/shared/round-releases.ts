import type { PlannedRelease } from '@hushrec/privacy';

/**
 * Plan lines for a Gaussian statistic that is released once a round (or `timesPerRound` times): one line when
 * every round gets the same share, one per round when the budget grows by a fixed factor (later rounds refine
 * what earlier ones found, so an error made late stays). The growth is a setting, so the split is known in
 * advance and composition is exact.
 */
export function roundReleases(
  name: string,
  rounds: number,
  growth: number,
  share: number,
  sensitivity: number,
  timesPerRound = 1,
): PlannedRelease[] {
  const mechanism = { kind: 'gaussian' } as const;
  if (growth === 1) return [{ name, mechanism, sensitivity, count: rounds * timesPerRound, share }];
  let total = 0;
  for (let round = 0; round < rounds; round++) total += growth ** round;
  return Array.from({ length: rounds }, (_, round) => ({
    name: roundName(name, round, growth),
    mechanism,
    sensitivity,
    count: timesPerRound,
    share: (share * growth ** round) / total,
  }));
}

/** The name under which `roundReleases` planned the release of this round (from 0). */
export function roundName(name: string, round: number, growth: number): string {
  return growth === 1 ? name : `${name}-round-${round + 1}`;
}

/** A statistic that is released once. */
export function singleRelease(name: string, share: number, sensitivity: number): PlannedRelease {
  return { name, mechanism: { kind: 'gaussian' }, sensitivity, count: 1, share };
}
