import type { FactorMatrix } from '@hushrec/numerics';
import type { Bag, ItemEncoder, TokenSums } from './item-encoder.js';

/**
 * v_j = θᵀ x_j with θ ∈ ℝ^(p × d): every token of every family has a vector, an item is their weighted sum. The model of Krichene et
 * al. 2024, Theorem 3. O(tokens × d) an item.
 */
export class LinearEncoder implements ItemEncoder {
  readonly itemCount: number;
  readonly width: number;
  readonly parameters: Float32Array;
  readonly #offsets: Uint32Array;
  readonly #tokens: Uint32Array;
  readonly #values: Float32Array;
  /** Per token, the last call of `rangesOf` or `tokenSums` that met it. */
  readonly #met: Uint32Array;
  #calls = 0;
  /** Scratch of `tokenSums`: where in the list a token stands, the list, and its sums. */
  readonly #place: Uint32Array;
  readonly #list: Uint32Array;
  readonly #sums: Float64Array;

  constructor(bags: readonly Bag[], width: number, stdDev: number, normal: () => number) {
    this.itemCount = bags[0].rowCount;
    this.width = width;
    const starts = [0];
    for (const bag of bags) starts.push(starts.at(-1)! + bag.columnCount);
    this.parameters = new Float32Array(starts.at(-1)! * width);
    this.#met = new Uint32Array(starts.at(-1)!);
    this.#place = new Uint32Array(starts.at(-1)!);
    this.#list = new Uint32Array(starts.at(-1)!);
    this.#sums = new Float64Array(starts.at(-1)!);
    for (let at = 0; at < this.parameters.length; at++) {
      this.parameters[at] = (normal() * stdDev) / Math.sqrt(bags.length);
    }
    const total = bags.reduce((sum, bag) => sum + bag.indices.length, 0);
    this.#offsets = new Uint32Array(this.itemCount + 1);
    this.#tokens = new Uint32Array(total);
    this.#values = new Float32Array(total);
    let to = 0;
    for (let item = 0; item < this.itemCount; item++) {
      bags.forEach((bag, field) => {
        for (let at = bag.offsets[item]; at < bag.offsets[item + 1]; at++, to++) {
          this.#tokens[to] = starts[field] + bag.indices[at];
          this.#values[to] = bag.values[at];
        }
      });
      this.#offsets[item + 1] = to;
    }
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

  rangesOf(items: Uint32Array): readonly number[] {
    const call = ++this.#calls;
    const ranges: number[] = [];
    for (const item of items) {
      for (let at = this.#offsets[item]; at < this.#offsets[item + 1]; at++) {
        const token = this.#tokens[at];
        if (this.#met[token] === call) continue;
        this.#met[token] = call;
        ranges.push(token * this.width, this.width);
      }
    }
    return ranges;
  }

  tokenSums(items: Uint32Array, errors: Float64Array): TokenSums {
    const call = ++this.#calls;
    const [met, place, tokens, sums] = [this.#met, this.#place, this.#list, this.#sums];
    let count = 0;
    for (let k = 0; k < items.length; k++) {
      const error = errors[k];
      const end = this.#offsets[items[k] + 1];
      for (let at = this.#offsets[items[k]]; at < end; at++) {
        const token = this.#tokens[at];
        if (met[token] === call) {
          sums[place[token]] += error * this.#values[at];
          continue;
        }
        met[token] = call;
        place[token] = count;
        tokens[count] = token;
        sums[count++] = error * this.#values[at];
      }
    }
    return { tokens, sums, count };
  }

  /** Σ_j x_jk² w_j for every token k. */
  squaredWeights(itemWeights: Float64Array): Float64Array {
    const sums = new Float64Array(this.#met.length);
    for (let item = 0; item < this.itemCount; item++) {
      for (let at = this.#offsets[item]; at < this.#offsets[item + 1]; at++) {
        sums[this.#tokens[at]] += this.#values[at] ** 2 * itemWeights[item];
      }
    }
    return sums;
  }

  /**
   * Projects θ on {θ : ‖θᵀx_j‖ ≤ radius for all j} by `sweeps` rounds of Dykstra's algorithm over the m sets. The projection on
   * one set moves θ along x_j only: θ − x_j (v − clip(v))ᵀ/‖x_j‖² with v = θᵀx_j, so Dykstra's memory is one vector per item.
   * A common factor removes what is left after the last sweep. O(sweeps × tokens × d).
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
    const [tokens, values] = [this.#tokens, this.#values];
    for (let a = 0; a < width; a++) out[to + a] = 0;
    const end = this.#offsets[item + 1];
    for (let at = this.#offsets[item]; at < end; at++) {
      const from = tokens[at] * width;
      const value = values[at];
      for (let a = 0; a < width; a++) out[to + a] += value * parameters[from + a];
    }
  }

  /** table[token] += sign · x_token · source[from …] for every token of the item. */
  #addScaled(item: number, source: Float32Array, from: number, table: Float32Array, sign: number): void {
    const { width } = this;
    const [tokens, values] = [this.#tokens, this.#values];
    const end = this.#offsets[item + 1];
    for (let at = this.#offsets[item]; at < end; at++) {
      const to = tokens[at] * width;
      const value = sign * values[at];
      for (let a = 0; a < width; a++) table[to + a] += value * source[from + a];
    }
  }

  #squareNorm(item: number): number {
    let square = 0;
    for (let at = this.#offsets[item]; at < this.#offsets[item + 1]; at++) square += this.#values[at] ** 2;
    return square;
  }
}
