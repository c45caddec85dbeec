import {
  type Csr,
  choleskyInPlace,
  type FactorMatrix,
  NotPositiveDefiniteError,
  zeroFactors,
} from '@hushrec/numerics';

/** What everybody's system has in common: α₀VᵀV + λI. */
export interface CommonSystem {
  /** v_j. */
  readonly items: FactorMatrix;
  /** VᵀV. */
  readonly gramian: Float64Array;
  /** λ > 0. */
  readonly ridge: number;
  /** α₀. */
  readonly unobservedWeight: number;
}

/**
 * Items in units in which what everybody's system has in common is the identity: with α₀VᵀV + λI = UᵀU and
 * x_j = U⁻ᵀv_j
 *
 *   u_i = (Σ_{Ω_i} v vᵀ + α₀VᵀV + λI)⁻¹ Σ_{Ω_i} v = U⁻¹ (Σ_{Ω_i} x xᵀ + I)⁻¹ Σ_{Ω_i} x.
 *
 * A direction in which items differ by popularity alone makes VᵀV nearly singular, and float32 would not do
 * for anybody's system; with the identity it does, and people with fewer choices than directions have the
 * smaller of two systems (`solveRows`). Everything here follows from the question. O(d³) once.
 */
export class WhitenedItems {
  readonly #items: FactorMatrix;
  /** U⁻¹ by rows, and its transpose: multiplied by rows, which is several times as fast as substitution. */
  readonly #inverse: Float64Array;
  readonly #transposed: Float64Array;

  constructor({ items, gramian, ridge, unobservedWeight }: CommonSystem) {
    const { width } = items;
    this.#items = items;
    const factor = gramian.map((value) => unobservedWeight * value);
    for (let a = 0; a < width; a++) factor[a * width + a] += ridge;
    const pivot = choleskyInPlace(factor, width);
    if (pivot >= 0) throw new NotPositiveDefiniteError(pivot);
    this.#inverse = inverseOfUpper(factor, width);
    this.#transposed = this.#inverse.map(
      (_, at) => this.#inverse[(at % width) * width + Math.floor(at / width)],
    );
  }

  /** x_j of every item that someone of these chose, 0 of others. O(their items · d²). */
  chosenBy(people: Csr): FactorMatrix {
    const { rowCount, width, data } = this.#items;
    const inverse = this.#inverse;
    const whitened = zeroFactors(rowCount, width);
    const done = new Uint8Array(rowCount);
    const x = new Float64Array(width);
    for (let entry = 0; entry < people.indices.length; entry++) {
      const item = people.indices[entry];
      if (done[item] === 1) continue;
      done[item] = 1;
      const at = item * width;
      x.fill(0);
      for (let a = 0; a < width; a++) {
        const value = data[at + a];
        for (let c = a; c < width; c++) x[c] += value * inverse[a * width + c];
      }
      for (let a = 0; a < width; a++) whitened.data[at + a] = x[a];
    }
    return whitened;
  }

  /** Solutions in these units become u_i, in place. O(people · d²). */
  backToTastes({ rowCount, width, data }: FactorMatrix): void {
    const transposed = this.#transposed;
    const u = new Float64Array(width);
    for (let row = 0; row < rowCount; row++) {
      const at = row * width;
      u.fill(0);
      for (let c = 0; c < width; c++) {
        const value = data[at + c];
        for (let a = 0; a <= c; a++) u[a] += value * transposed[c * width + a];
      }
      for (let a = 0; a < width; a++) data[at + a] = u[a];
    }
  }
}

/** U⁻¹ of an upper triangle, 0 below it. d³/6 multiply-adds. */
function inverseOfUpper(factor: Float64Array, width: number): Float64Array {
  const inverse = new Float64Array(width * width);
  for (let row = width - 1; row >= 0; row--) {
    const own = 1 / factor[row * width + row];
    inverse[row * width + row] = own;
    for (let k = row + 1; k < width; k++) {
      const scaled = own * factor[row * width + k];
      for (let c = k; c < width; c++) inverse[row * width + c] -= scaled * inverse[k * width + c];
    }
  }
  return inverse;
}
