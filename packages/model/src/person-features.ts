/**
 * What a model expects of a person before she has rated anything, from features that she tells her own device
 * and nobody else (Krichene et al. 2024, equation 1: the private encoder, here linear). With x her features
 * as `ownFeatures` gives them, her vector is expected to be p = Wᵀx.
 */
export interface PersonFeatures {
  /** Features that a person may have, declared before anyone was asked. */
  readonly names: readonly string[];
  /** How much each counts in x, aligned with the names. */
  readonly weights: readonly number[];
  /** W: (1 + names) × rank, row-major; row 0 is everybody's. Learned from noised sums. */
  readonly factors: Float32Array;
}

/** x of one person: the rows of W that are hers, distinct and ascending, and how much each counts. */
export interface OwnFeatures {
  readonly rows: Uint32Array;
  readonly values: Float64Array;
}

/**
 * x = (1, w_f for each feature f she has) / √(1 + Σ w_f²), of length 1 whatever she says about herself.
 *
 * @param own numbers of her features, from 0; repeats count once
 */
export function ownFeatures(weights: readonly number[], own: Iterable<number>): OwnFeatures {
  const rows = Uint32Array.from([0, ...[...new Set(own)].sort((a, b) => a - b).map((at) => at + 1)]);
  const values = Float64Array.from(rows, (row) => (row === 0 ? 1 : weights[row - 1]));
  const length = Math.hypot(...values);
  return { rows, values: values.map((value) => value / length) };
}

/** p = Wᵀx. O(own features × rank). */
export function expectedVector(
  factors: Float32Array,
  rank: number,
  { rows, values }: OwnFeatures,
): Float64Array {
  const expected = new Float64Array(rank);
  rows.forEach((row, k) => {
    for (let a = 0; a < rank; a++) expected[a] += values[k] * factors[row * rank + a];
  });
  return expected;
}
