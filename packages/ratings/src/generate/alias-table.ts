import type { SeededRandom } from '../seeded-random.js';

/**
 * Draws k with probability weight_k / Σ weights in O(1), after O(n) preparation (Walker's alias method in
 * Vose's arrangement). Weights are ≥ 0, at least one > 0.
 */
export class AliasTable {
  readonly #threshold: Float64Array;
  readonly #alias: Uint32Array;

  constructor(weights: ArrayLike<number>) {
    const count = weights.length;
    let total = 0;
    for (let k = 0; k < count; k++) total += weights[k];
    const threshold = new Float64Array(count);
    const alias = new Uint32Array(count);
    const small: number[] = [];
    const large: number[] = [];
    for (let k = 0; k < count; k++) {
      threshold[k] = (weights[k] * count) / total;
      (threshold[k] < 1 ? small : large).push(k);
    }
    while (small.length > 0 && large.length > 0) {
      const less = small.pop()!;
      const more = large.at(-1)!;
      alias[less] = more;
      threshold[more] -= 1 - threshold[less];
      if (threshold[more] < 1) small.push(large.pop()!);
    }
    for (const k of [...small, ...large]) threshold[k] = 1;
    this.#threshold = threshold;
    this.#alias = alias;
  }

  draw(random: SeededRandom): number {
    const k = random.below(this.#threshold.length);
    return random.uniform() < this.#threshold[k] ? k : this.#alias[k];
  }
}
