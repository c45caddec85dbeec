import type { FactorMatrix } from '@hushrec/numerics';
import type { LinearEncoding } from '../../statistics/item-encoding.js';
import type { Bag, ItemEncoder } from './item-encoder.js';

/**
 * v_j = θᵀ x_j with θ ∈ ℝ^(p × d): every token of every family has a vector, an item is their weighted sum.
 * The model of Krichene et al. 2024, Theorem 3. O(tokens × d) an item.
 */
export class LinearEncoder implements ItemEncoder {
  readonly itemCount: number;
  readonly width: number;
  readonly parameters: Float32Array;
  readonly encoding: LinearEncoding;

  constructor(bags: readonly Bag[], width: number, stdDev: number, normal: () => number) {
    this.itemCount = bags[0].rowCount;
    this.width = width;
    const starts = [0];
    for (const bag of bags) starts.push(starts.at(-1)! + bag.columnCount);
    const tokenCount = starts.at(-1)!;
    this.parameters = new Float32Array(tokenCount * width);
    for (let at = 0; at < this.parameters.length; at++) {
      this.parameters[at] = (normal() * stdDev) / Math.sqrt(bags.length);
    }
    const total = bags.reduce((sum, bag) => sum + bag.indices.length, 0);
    const offsets = new Uint32Array(this.itemCount + 1);
    const tokens = new Uint32Array(total);
    const values = new Float32Array(total);
    let to = 0;
    for (let item = 0; item < this.itemCount; item++) {
      bags.forEach((bag, field) => {
        for (let at = bag.offsets[item]; at < bag.offsets[item + 1]; at++, to++) {
          tokens[to] = starts[field] + bag.indices[at];
          values[to] = bag.values[at];
        }
      });
      offsets[item + 1] = to;
    }
    this.encoding = { kind: 'linear', width, tokenCount, offsets, tokens, values };
  }

  encode(out: FactorMatrix, items?: Uint32Array): void {
    const count = items?.length ?? this.itemCount;
    for (let k = 0; k < count; k++) this.#encodeOne(items === undefined ? k : items[k], out.data);
  }

  addGradient(outputs: FactorMatrix, gradient: Float32Array, items?: Uint32Array): void {
    const count = items?.length ?? this.itemCount;
    for (let k = 0; k < count; k++) {
      const item = items === undefined ? k : items[k];
      this.#addScaled(item, outputs.data, item * this.width, gradient, 1);
    }
  }

  /** Σ_j x_jk² w_j for every token k. */
  squaredWeights(itemWeights: Float64Array): Float64Array {
    const { tokenCount, offsets, tokens, values } = this.encoding;
    const sums = new Float64Array(tokenCount);
    for (let item = 0; item < this.itemCount; item++) {
      for (let at = offsets[item]; at < offsets[item + 1]; at++) {
        sums[tokens[at]] += values[at] ** 2 * itemWeights[item];
      }
    }
    return sums;
  }

  /**
   * Projects θ on {θ : ‖θᵀx_j‖ ≤ radius for all j} by `sweeps` rounds of Dykstra's algorithm over the m sets.
   * The projection on one set moves θ along x_j only: θ − x_j (v − clip(v))ᵀ/‖x_j‖² with v = θᵀx_j, so
   * Dykstra's memory is one vector per item. A common factor removes what is left after the last sweep.
   * O(sweeps × tokens × d).
   */
  project(radius: number, sweeps = 10): void {
    const { width } = this;
    const memory = new Float32Array(this.itemCount * width);
    const vector = new Float32Array(width);
    for (let sweep = 0; sweep < sweeps; sweep++) {
      let moved = false;
      for (let item = 0; item < this.itemCount; item++) {
        const square = this.#squareNorm(item);
        if (square === 0) continue;
        const at = item * width;
        this.#addScaled(item, memory, at, this.parameters, 1);
        this.#encodeInto(item, vector, 0);
        const norm = Math.hypot(...vector);
        const excess = norm > radius ? 1 - radius / norm : 0;
        if (excess > 1e-6) moved = true;
        for (let a = 0; a < width; a++) memory[at + a] = (vector[a] * excess) / square;
        this.#addScaled(item, memory, at, this.parameters, -1);
      }
      if (!moved) break;
    }
    this.#shrinkInto(radius, vector);
  }

  #shrinkInto(radius: number, vector: Float32Array): void {
    let largest = 0;
    for (let item = 0; item < this.itemCount; item++) {
      this.#encodeInto(item, vector, 0);
      largest = Math.max(largest, Math.hypot(...vector));
    }
    if (largest <= radius) return;
    const factor = (radius / largest) * (1 - 1e-6);
    for (let at = 0; at < this.parameters.length; at++) this.parameters[at] *= factor;
  }

  #encodeOne(item: number, out: Float32Array): void {
    this.#encodeInto(item, out, item * this.width);
  }

  #encodeInto(item: number, out: Float32Array, to: number): void {
    const { width, parameters } = this;
    const { offsets, tokens, values } = this.encoding;
    for (let a = 0; a < width; a++) out[to + a] = 0;
    const end = offsets[item + 1];
    for (let at = offsets[item]; at < end; at++) {
      const from = tokens[at] * width;
      const value = values[at];
      for (let a = 0; a < width; a++) out[to + a] += value * parameters[from + a];
    }
  }

  /** table[token] += sign · x_token · source[from …] for every token of the item. */
  #addScaled(item: number, source: Float32Array, from: number, table: Float32Array, sign: number): void {
    const { width } = this;
    const { offsets, tokens, values } = this.encoding;
    const end = offsets[item + 1];
    for (let at = offsets[item]; at < end; at++) {
      const to = tokens[at] * width;
      const value = sign * values[at];
      for (let a = 0; a < width; a++) table[to + a] += value * source[from + a];
    }
  }

  #squareNorm(item: number): number {
    const { offsets, values } = this.encoding;
    let square = 0;
    for (let at = offsets[item]; at < offsets[item + 1]; at++) square += values[at] ** 2;
    return square;
  }
}
