import type { ReleasedSums } from './release-sums.js';

/**
 * What rounds say of counts. Tastes have a mean: what people say of an item in a round, b_j = Σ_{i chose j}
 * κ_i ũ_i, is about c_j g with the item's count c_j and one g for all items, besides what is particular about
 * those who chose it. So b_j along g is the count once more, under noise of its own. Reads released numbers
 * only: post-processing.
 */
export class CountsFromRounds {
  readonly #counts: ReleasedSums;
  readonly #shares: Float64Array;
  readonly #total: number;
  /** Σ over rounds of r_j times its precision, and of the precision. */
  readonly #weighed: Float64Array;
  readonly #precision: Float64Array;

  /** @param shares ρ_j > 0 of every item by these counts */
  constructor(counts: ReleasedSums, shares: Float64Array) {
    this.#counts = counts;
    this.#shares = shares;
    this.#total = Math.max(
      1,
      counts.value.reduce((sum, count) => sum + count, 0),
    );
    this.#weighed = new Float64Array(counts.value.length);
    this.#precision = new Float64Array(counts.value.length);
  }

  /**
   * A round more. g = Σ_j b̂_j / Σ_j ĉ_j, and r_j = g·b̂_j/γ with γ = ‖g‖² without what noise adds to it;
   * where that leaves nothing the round says nothing. O(items · d).
   *
   * @param vectors b̂_j, items by rows, each h_j times what was said of it
   */
  add(vectors: ReleasedSums, itemWeights: Float64Array): void {
    const width = vectors.value.length / itemWeights.length;
    const mean = new Float64Array(width);
    let byNoise = 0;
    itemWeights.forEach((weight, item) => {
      for (let k = 0; k < width; k++) mean[k] += vectors.value[item * width + k] / weight / this.#total;
      byNoise += width * (vectors.noise / weight / this.#total) ** 2;
    });
    const square = mean.reduce((sum, part) => sum + part ** 2, 0);
    const length = square - byNoise;
    if (!(length > 0)) return;
    itemWeights.forEach((weight, item) => {
      let along = 0;
      for (let k = 0; k < width; k++) along += mean[k] * vectors.value[item * width + k];
      const precision = (length * weight) ** 2 / (square * vectors.noise ** 2);
      this.#weighed[item] += (precision * along) / weight / length;
      this.#precision[item] += precision;
    });
  }

  /**
   * Both together by inverse variance. Those who chose an item are particular: r_j = c_j + δ_j besides noise,
   * with Var δ_j = q·ρ_j as in `shrinkChoices`, and q ≥ 0 is what is left of (r_j − ĉ_j)² beyond both noises,
   * by weighted moments. `noise` is that of what is typically chosen. O(items).
   */
  withCounts(): ReleasedSums {
    const { value: counts, noise } = this.#counts;
    const heard = this.#heard();
    if (heard === undefined || noise === 0) return this.#counts;
    let [left, scale] = [0, 0];
    counts.forEach((count, item) => {
      const both = 1 / this.#precision[item] + noise ** 2;
      const weight = this.#shares[item] / both ** 2;
      left += weight * ((heard[item] - count) ** 2 - both);
      scale += weight * this.#shares[item];
    });
    const spread = Math.max(0, left / scale);
    const known = noise ** -2;
    let [typical, all] = [0, 0];
    const value = counts.map((count, item) => {
      const share = this.#shares[item];
      const more = 1 / (1 / this.#precision[item] + spread * share);
      typical += share * (known + more);
      all += share;
      return (known * count + more * heard[item]) / (known + more);
    });
    return { value, noise: (typical / all) ** -0.5 };
  }

  /** r_j of all rounds, in the unit of the counts: with their total. */
  #heard(): Float64Array | undefined {
    if (!(this.#precision[0] > 0)) return undefined;
    const means = this.#weighed.map((sum, item) => sum / this.#precision[item]);
    const total = means.reduce((sum, count) => sum + count, 0);
    return total > 0 ? means.map((count) => (count * this.#total) / total) : undefined;
  }
}
