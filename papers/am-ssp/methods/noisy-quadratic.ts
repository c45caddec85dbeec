import {
  choleskyInPlace,
  type FactorMatrix,
  packedLength,
  projectPositiveSemidefinite,
  unpackSymmetric,
} from '@hushrec/numerics';
import type { ReleasedItemSums } from '../../shared/item-step.js';

/**
 * F(V) = Σ_j [½ v_jᵀ(Π₊(Â_j) + C + λ_j I) v_j − b̂_jᵀ v_j], the noisy quadratic that item parameters are
 * fitted to (Krichene et al. 2024, Algorithms 2 and 3). Released sums only, so fitting it for as long as one
 * likes costs nothing.
 *
 * The projection to positive semi-definite matrices is an addition to the paper: without it F is unbounded
 * below for rare items, where noise dominates, and descent diverges. Memory O(m·d²/2).
 */
export class NoisyQuadratic {
  readonly itemCount: number;
  readonly width: number;
  readonly #matrices: Float32Array;
  readonly #vectors: Float32Array;
  readonly #ridge: Float64Array;
  #common: Float64Array | undefined;

  constructor(itemCount: number, width: number, ridge: Float64Array) {
    this.itemCount = itemCount;
    this.width = width;
    this.#ridge = ridge;
    this.#matrices = new Float32Array(itemCount * packedLength(width));
    this.#vectors = new Float32Array(itemCount * width);
  }

  /**
   * Takes over released sums of a block of items; those not in `frequent` (a released choice) are left out,
   * so that their vectors follow from their features alone. O(items × d³).
   */
  set({ begin, end, matrices, vectors }: ReleasedItemSums, frequent?: Uint8Array): void {
    const { width } = this;
    const triangle = packedLength(width);
    const full = new Float64Array(width * width);
    const factor = new Float64Array(width * width);
    for (let item = begin; item < end; item++) {
      if (frequent?.[item] === 0) continue;
      this.#vectors.set(vectors.subarray((item - begin) * width, (item - begin + 1) * width), item * width);
      const from = (item - begin) * triangle;
      unpackSymmetric(matrices, width, from, full);
      factor.set(full);
      // Most popular items' sums are positive definite already, and this is ten times cheaper to find out.
      const projected = choleskyInPlace(factor, width) < 0 ? full : projectPositiveSemidefinite(full, width);
      for (let a = 0, to = item * triangle; a < width; a++) {
        for (let b = a; b < width; b++, to++) this.#matrices[to] = projected[a * width + b];
      }
    }
  }

  /**
   * Takes over the expansion g̃ᵀ(v − v⁰) + ½(v − v⁰)ᵀ(Π₊(H̃) + κI)(v − v⁰) of a block of items, whose ridge
   * already holds κ: the same as ½vᵀ(Π₊(H̃) + κI)v − ((Π₊(H̃) + κI)v⁰ − g̃)ᵀv up to a constant.
   */
  setExpansion(sums: ReleasedItemSums, around: FactorMatrix, trust: number, frequent?: Uint8Array): void {
    const { begin, end } = sums;
    const { width } = this;
    this.set({ ...sums, vectors: new Float64Array((end - begin) * width) }, frequent);
    const product = new Float32Array(around.data.length);
    for (let item = begin; item < end; item++) {
      if (frequent?.[item] === 0) continue;
      this.#gradientOf(item, around.data, product);
      for (let a = 0; a < width; a++) {
        const at = item * width + a;
        const withoutRidge = product[at] - (this.#ridge[item] - trust) * around.data[at];
        this.#vectors[at] = withoutRidge - sums.vectors[(item - begin) * width + a];
      }
    }
  }

  /**
   * Adds ½ v_jᵀ C v_j to every item's term: C is a full d × d positive semi-definite matrix (unobserved
   * pairs).
   */
  setCommon(common: Float64Array): void {
    this.#common = common;
  }

  /**
   * Row j of `out` ← ∂F/∂v_j = (Π₊(Â_j) + C + λ_j I) v_j − b̂_j, for the given items (all when absent).
   * O(items × d²).
   */
  gradient(factors: FactorMatrix, out: FactorMatrix, items?: Uint32Array): void {
    const count = items?.length ?? this.itemCount;
    for (let k = 0; k < count; k++)
      this.#gradientOf(items === undefined ? k : items[k], factors.data, out.data);
  }

  #gradientOf(item: number, factors: Float32Array, out: Float32Array): void {
    const { width } = this;
    const from = item * width;
    const ridge = this.#ridge[item];
    for (let a = 0; a < width; a++) out[from + a] = ridge * factors[from + a] - this.#vectors[from + a];
    for (let a = 0, at = item * packedLength(width); a < width; a++) {
      const va = factors[from + a];
      let sum = this.#matrices[at++] * va;
      for (let b = a + 1; b < width; b++, at++) {
        const entry = this.#matrices[at];
        sum += entry * factors[from + b];
        out[from + b] += entry * va;
      }
      out[from + a] += sum;
    }
    const common = this.#common;
    if (common === undefined) return;
    for (let a = 0; a < width; a++) {
      let sum = 0;
      for (let b = 0; b < width; b++) sum += common[a * width + b] * factors[from + b];
      out[from + a] += sum;
    }
  }

  /** Item j's own terms: `system` ← Π₊(Â_j) + C + λ_j I as a full matrix, `vector` ← b̂_j. */
  system(item: number, system: Float64Array, vector: Float64Array): void {
    const { width } = this;
    for (let a = 0, at = item * packedLength(width); a < width; a++) {
      for (let b = a; b < width; b++) {
        system[a * width + b] = this.#matrices[at];
        system[b * width + a] = this.#matrices[at++];
      }
    }
    const common = this.#common;
    if (common) for (let at = 0; at < system.length; at++) system[at] += common[at];
    for (let a = 0; a < width; a++) {
      system[a * width + a] += this.#ridge[item];
      vector[a] = this.#vectors[item * width + a];
    }
  }

  /** F(V): for tests and for stopping (released quantities, so looking at it is free). */
  value(factors: FactorMatrix): number {
    const { width } = this;
    const gradient = new Float32Array(factors.data.length);
    let total = 0;
    for (let item = 0; item < this.itemCount; item++) {
      this.#gradientOf(item, factors.data, gradient);
      for (let a = item * width; a < (item + 1) * width; a++) {
        total += 0.5 * factors.data[a] * (gradient[a] - this.#vectors[a]);
      }
    }
    return total;
  }
}
