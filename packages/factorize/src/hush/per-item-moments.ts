import { type Csr, type Engine, packedLength, zeroFactors } from '@hushrec/numerics';
import { type GridSums, JointlyClippedItemSums } from '@hushrec/statistics';

/**
 * A second moment of its own for every item, Σ_i w_ij M_i, as the papers have it: what the shared moment of `hush` is
 * compared with. A person adds w_ij svec(M_i), svec(M) = (M_aa; √2 M_ab), whose norm is the Frobenius norm, so independent noise on
 * its coordinates is the symmetric (GOE) noise on M.
 *
 * Sensitivity `bound`: the person's part in all items together is scaled to it (see `JointlyClippedItemSums`).
 */
export class PerItemMoments {
  readonly #sums: JointlyClippedItemSums;
  readonly #width: number;
  readonly #flat: Float64Array;

  constructor(itemCount: number, width: number, bound: number) {
    this.#sums = new JointlyClippedItemSums(itemCount, packedLength(width), bound);
    this.#width = width;
    this.#flat = new Float64Array(packedLength(width));
  }

  /** @param matrix packed upper triangle of M_i. O(own entries × d²). */
  add(byUser: Csr, user: number, weights: Float64Array, matrix: Float64Array): void {
    for (let a = 0, at = 0; a < this.#width; a++) {
      for (let b = a; b < this.#width; b++, at++) {
        this.#flat[at] = a === b ? matrix[at]! : Math.SQRT2 * matrix[at]!;
      }
    }
    this.#sums.add(byUser, user, weights, this.#flat);
  }

  finish(): GridSums {
    return this.#sums.finish();
  }
}

/** v_j = (Π₊(Â_j) + ridge)⁻¹ b̂_j from released svec(Â_j) and b̂_j. Post-processing. O(items · d³). */
export async function solvePerItem(
  engine: Engine,
  width: number,
  moments: Float64Array,
  vectors: Float64Array,
  ridge: number,
): Promise<Float64Array> {
  const count = vectors.length / width;
  const matrices = Float64Array.from(moments);
  for (let item = 0, at = 0; item < count; item++) {
    for (let a = 0; a < width; a++) {
      at++;
      for (let b = a + 1; b < width; b++, at++) matrices[at]! /= Math.SQRT2;
    }
  }
  const out = zeroFactors(count, width);
  await engine.solvePsd({
    width,
    count,
    matrices,
    vectors: Float64Array.from(vectors),
    ridge: new Float64Array(count).fill(ridge),
    out,
    begin: 0,
  });
  return Float64Array.from(out.data);
}
