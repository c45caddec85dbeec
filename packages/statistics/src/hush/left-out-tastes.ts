import { type FactorMatrix, invertPositiveDefinite, smallProduct } from '@hushrec/numerics';
import type { CommonSystem } from './whitened-items.js';

/** Items of people who speak of each of them as if they had not chosen it. */
export interface ChosenItems {
  /** x_j. */
  readonly whitened: FactorMatrix;
  /** a_j = U⁻¹x_j = (α₀VᵀV + λI)⁻¹v_j. */
  readonly alone: FactorMatrix;
}

/**
 * A person's taste without each of her choices, one person after the other. Leaving out j from
 * u = A⁻¹ Σ_{Ω} v, A = Σ_{Ω} v vᵀ + α₀VᵀV + λI, is a change of rank one (Sherman & Morrison):
 *
 *   u⁻ʲ = u − A⁻¹v_j (1 − u·v_j)/(1 − v_jᵀA⁻¹v_j).
 *
 * With fewer choices than directions all of it follows from the n × n matrix M = (XXᵀ + I)⁻¹ of her items in
 * the units of `WhitenedItems`: A⁻¹v_j = Σ_k M_kj a_k, u = Σ_k β_k a_k with β = M1, 1 − u·v_j = β_j and
 * 1 − v_jᵀA⁻¹v_j = M_jj. So u⁻ʲ = Σ_k (β_k − M_kj β_j/M_jj) a_k, from which j itself is gone. A choice of
 * grade g is one of √g·v and of the target √g in place of v and 1.
 */
export class LeftOutTastes {
  readonly #common: CommonSystem;
  readonly #items: ChosenItems;
  readonly #gauge: number;
  readonly #scratch = new Map<string, Float64Array>();

  constructor(common: CommonSystem, items: ChosenItems, gauge: number) {
    this.#common = common;
    this.#items = items;
    this.#gauge = gauge;
  }

  /**
   * gauge · u⁻ʲ of every item she chose, by rows; not a number, which counts as nothing said, where her
   * system has no solution. With n choices O(n² d + n³) or O(n d² + d³), whichever has the smaller system.
   *
   * @param grades of what she chose
   * @param own u
   */
  of(chosen: Uint32Array, grades: Float32Array, own: Float32Array): Float64Array {
    const { width } = this.#common.items;
    const roots = this.#place('roots', chosen.length);
    for (let k = 0; k < chosen.length; k++) roots[k] = Math.sqrt(grades[k]);
    const tastes = this.#place('tastes', chosen.length * width);
    const found =
      chosen.length < width
        ? this.#byChoices(chosen, roots, tastes)
        : this.#byDirections(chosen, roots, own, tastes);
    return found ? tastes : tastes.fill(Number.NaN);
  }

  /** Memory that is used for the next person, too. */
  #place(name: string, length: number): Float64Array {
    let place = this.#scratch.get(name);
    if (place === undefined || place.length < length) {
      place = new Float64Array(2 * length);
      this.#scratch.set(name, place);
    }
    return place.subarray(0, length);
  }

  #byChoices(chosen: Uint32Array, roots: Float64Array, tastes: Float64Array): boolean {
    const { width } = this.#common.items;
    const count = chosen.length;
    const rows = gather(this.#items.whitened, chosen, roots, this.#place('rows', count * width));
    const turned = transpose(rows, count, width, this.#place('turned', count * width));
    const matrix = this.#place('matrix', count * count);
    smallProduct(matrix, rows, turned, count, width, count, { symmetric: true });
    for (let j = 0; j < count; j++) matrix[j * count + j] += 1;
    if (!invertPositiveDefinite(matrix, count)) return false; // M
    const sums = this.#place('sums', count).fill(0); // β
    for (let j = 0; j < count; j++)
      for (let k = 0; k < count; k++) sums[j] += matrix[j * count + k] * roots[k];
    for (let j = 0; j < count; j++) {
      const echo = sums[j] / matrix[j * count + j];
      for (let k = 0; k < count; k++) {
        const at = j * count + k;
        matrix[at] = k === j ? 0 : this.#gauge * (sums[k] - echo * matrix[at]);
      }
    }
    gather(this.#items.alone, chosen, roots, rows);
    smallProduct(tastes, matrix, rows, count, count, width);
    return true;
  }

  #byDirections(chosen: Uint32Array, roots: Float64Array, own: Float32Array, tastes: Float64Array): boolean {
    const { gramian, unobservedWeight, ridge, items } = this.#common;
    const { width } = items;
    const count = chosen.length;
    const rows = gather(items, chosen, roots, this.#place('rows', count * width));
    const system = this.#place('matrix', width * width);
    smallProduct(system, rows, rows, width, count, width, { left: 'transposed', symmetric: true });
    for (let at = 0; at < system.length; at++) system[at] += unobservedWeight * gramian[at];
    for (let a = 0; a < width; a++) system[a * width + a] += ridge;
    if (!invertPositiveDefinite(system, width)) return false;
    smallProduct(tastes, rows, system, count, width, width); // A⁻¹v_j
    for (let row = 0, k = 0; row < tastes.length; row += width, k++) {
      let leverage = 0;
      let fit = 0;
      for (let a = 0; a < width; a++) {
        leverage += tastes[row + a] * rows[row + a];
        fit += own[a] * rows[row + a];
      }
      const echo = (roots[k] - fit) / (1 - leverage);
      for (let a = 0; a < width; a++) tastes[row + a] = this.#gauge * (own[a] - echo * tastes[row + a]);
    }
    return true;
  }
}

/** Rows of a matrix beside each other, each times its factor. */
function gather(
  { width, data }: FactorMatrix,
  chosen: Uint32Array,
  factors: Float64Array,
  into: Float64Array,
): Float64Array {
  for (let k = 0, to = 0; k < chosen.length; k++)
    for (let from = chosen[k] * width, end = from + width; from < end; from++, to++)
      into[to] = factors[k] * data[from];
  return into;
}

function transpose(matrix: Float64Array, rows: number, columns: number, into: Float64Array): Float64Array {
  for (let row = 0, at = 0; row < rows; row++)
    for (let column = 0; column < columns; column++, at++) into[column * rows + row] = matrix[at];
  return into;
}
