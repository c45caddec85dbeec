/** The ε nearest to 1, by ratio. */
export function nearestToOne(epsilons: readonly number[]): number | undefined {
  return epsilons.toSorted((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)))[0];
}
