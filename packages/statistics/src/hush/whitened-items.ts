import {
  type Csr,
  choleskyInPlace,
  type FactorMatrix,
  invertUpper,
  NotPositiveDefiniteError,
  smallProduct,
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
  /** U⁻¹ in the upper triangle, and its transpose in the lower one. */
  readonly #inverse: Float64Array;
  readonly #transposed: Float64Array;

  constructor({ items, gramian, ridge, unobservedWeight }: CommonSystem) {
    const { width } = items;
    this.#items = items;
    const factor = gramian.map((value) => unobservedWeight * value);
    for (let a = 0; a < width; a++) factor[a * width + a] += ridge;
    const pivot = choleskyInPlace(factor, width);
    if (pivot >= 0) throw new NotPositiveDefiniteError(pivot);
    invertUpper(factor, width);
    this.#inverse = factor;
    this.#transposed = factor.map((_, at) => factor[(at % width) * width + Math.floor(at / width)]);
  }

  /** x_j of every item that someone of these chose, 0 of others. O(their items · d²). */
  chosenBy(people: Csr): FactorMatrix {
    const { rowCount, width } = this.#items;
    const whitened = zeroFactors(rowCount, width);
    multiplyRows(this.#items, itemsOf(people), this.#inverse, 'upper', whitened);
    return whitened;
  }

  /** U⁻¹x_j of the same items. O(their items · d²). */
  aloneBy(people: Csr, whitened: FactorMatrix): FactorMatrix {
    const alone = zeroFactors(whitened.rowCount, whitened.width);
    multiplyRows(whitened, itemsOf(people), this.#transposed, 'lower', alone);
    return alone;
  }

  /** Solutions in these units become u_i, in place. O(people · d²). */
  backToTastes(solutions: FactorMatrix): void {
    const rows = Uint32Array.from({ length: solutions.rowCount }, (_, row) => row);
    multiplyRows(solutions, rows, this.#transposed, 'lower', solutions);
  }
}

/** Rows that are multiplied at once. */
const BLOCK = 128;

/** These rows times a triangle, in float64, into the same rows of `out`. */
function multiplyRows(
  { width, data }: FactorMatrix,
  rows: Uint32Array,
  matrix: Float64Array,
  triangle: 'upper' | 'lower',
  out: FactorMatrix,
): void {
  const gathered = new Float64Array(BLOCK * width);
  const product = new Float64Array(BLOCK * width);
  for (let begin = 0; begin < rows.length; begin += BLOCK) {
    const count = Math.min(BLOCK, rows.length - begin);
    for (let k = 0, to = 0; k < count; k++)
      for (let from = rows[begin + k] * width, end = from + width; from < end; from++, to++)
        gathered[to] = data[from];
    smallProduct(product, gathered, matrix, count, width, width, { right: triangle });
    for (let k = 0, from = 0; k < count; k++)
      for (let to = rows[begin + k] * width, end = to + width; to < end; to++, from++)
        out.data[to] = product[from];
  }
}

/** Items that these people chose, each once. */
function itemsOf({ columnCount, indices }: Csr): Uint32Array {
  const chosen = new Uint8Array(columnCount);
  for (let entry = 0; entry < indices.length; entry++) chosen[indices[entry]] = 1;
  const items = new Uint32Array(Math.min(columnCount, indices.length));
  let count = 0;
  for (let item = 0; item < columnCount; item++) if (chosen[item] === 1) items[count++] = item;
  return items.subarray(0, count);
}
