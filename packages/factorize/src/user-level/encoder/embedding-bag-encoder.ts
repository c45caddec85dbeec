import type { FactorMatrix } from '@hushrec/numerics';
import type { Bag, ItemEncoder } from './item-encoder.js';

/**
 * Encoder of Krichene et al. 2024, E.1.2: one embedding table per family of tokens, the weighted mean of an item's tokens in each,
 * all means side by side through one dense layer:
 *
 *   v_j = Wᵀ [Σ_k x_jk E¹_k ; … ; Σ_k x_jk E^F_k],   E^f ∈ ℝ^(tokens × e),   W ∈ ℝ^(F·e × d)
 *
 * Forward and backward cost O(Σ tokens·e + F·e·d) an item.
 */
export class EmbeddingBagEncoder implements ItemEncoder {
  readonly itemCount: number;
  readonly width: number;
  readonly parameters: Float32Array;
  /** All families in one list of entries per item: where in θ the token's row starts, where in the hidden layer it goes. */
  readonly #offsets: Uint32Array;
  readonly #rowAt: Uint32Array;
  readonly #hiddenAt: Uint32Array;
  readonly #values: Float32Array;
  readonly #embedding: number;
  readonly #denseAt: number;
  readonly #hidden: Float32Array;
  readonly #hiddenGradient: Float32Array;
  /** Per table row, the last call of `rangesOf` that met it. */
  readonly #met: Uint32Array;
  #calls = 0;

  constructor(bags: readonly Bag[], width: number, embedding: number, stdDev: number, normal: () => number) {
    this.itemCount = bags[0].rowCount;
    this.width = width;
    this.#embedding = embedding;
    const tableAt: number[] = [];
    let size = 0;
    for (const bag of bags) {
      tableAt.push(size);
      size += bag.columnCount * embedding;
    }
    this.#denseAt = size;
    const hidden = bags.length * embedding;
    this.#hidden = new Float32Array(hidden);
    this.#hiddenGradient = new Float32Array(hidden);
    this.parameters = new Float32Array(size + hidden * width);
    // Tables N(0, 1/e) and a dense layer that makes coordinates of v_j about `stdDev` large.
    for (let at = 0; at < size; at++) this.parameters[at] = normal() / Math.sqrt(embedding);
    for (let at = size; at < this.parameters.length; at++) {
      this.parameters[at] = (normal() * stdDev) / Math.sqrt(bags.length);
    }
    const entries = bags.reduce((sum, bag) => sum + bag.indices.length, 0);
    this.#met = new Uint32Array(size / embedding);
    this.#offsets = new Uint32Array(this.itemCount + 1);
    this.#rowAt = new Uint32Array(entries);
    this.#hiddenAt = new Uint32Array(entries);
    this.#values = new Float32Array(entries);
    let to = 0;
    for (let item = 0; item < this.itemCount; item++) {
      bags.forEach((bag, field) => {
        for (let at = bag.offsets[item]; at < bag.offsets[item + 1]; at++, to++) {
          this.#rowAt[to] = tableAt[field] + bag.indices[at] * embedding;
          this.#hiddenAt[to] = field * embedding;
          this.#values[to] = bag.values[at];
        }
      });
      this.#offsets[item + 1] = to;
    }
  }

  encode(out: FactorMatrix, items?: Uint32Array): void {
    const { width, parameters } = this;
    const { data } = out;
    const hidden = this.#hidden;
    const denseAt = this.#denseAt;
    const count = items?.length ?? this.itemCount;
    for (let k = 0; k < count; k++) {
      const item = items === undefined ? k : items[k];
      this.#fillHidden(item);
      const to = item * width;
      for (let a = 0; a < width; a++) data[to + a] = 0;
      for (let h = 0, at = denseAt; h < hidden.length; h++, at += width) {
        const value = hidden[h];
        if (value === 0) continue;
        for (let a = 0; a < width; a++) data[to + a] += value * parameters[at + a];
      }
    }
  }

  addGradient(outputs: FactorMatrix, gradient: Float32Array, items?: Uint32Array): void {
    const { width, parameters } = this;
    const { data } = outputs;
    const hidden = this.#hidden;
    const hiddenGradient = this.#hiddenGradient;
    const denseAt = this.#denseAt;
    const count = items?.length ?? this.itemCount;
    for (let k = 0; k < count; k++) {
      const item = items === undefined ? k : items[k];
      this.#fillHidden(item);
      const from = item * width;
      for (let h = 0, at = denseAt; h < hidden.length; h++, at += width) {
        const value = hidden[h];
        let back = 0;
        for (let a = 0; a < width; a++) {
          const g = data[from + a];
          gradient[at + a] += value * g;
          back += parameters[at + a] * g;
        }
        hiddenGradient[h] = back;
      }
      this.#scatter(item, gradient);
    }
  }

  rangesOf(items: Uint32Array): readonly number[] {
    const embedding = this.#embedding;
    const call = ++this.#calls;
    const ranges = [this.#denseAt, this.parameters.length - this.#denseAt];
    for (const item of items) {
      for (let at = this.#offsets[item]; at < this.#offsets[item + 1]; at++) {
        const row = this.#rowAt[at] / embedding;
        if (this.#met[row] === call) continue;
        this.#met[row] = call;
        ranges.push(this.#rowAt[at], embedding);
      }
    }
    return ranges;
  }

  #fillHidden(item: number): void {
    const embedding = this.#embedding;
    const { parameters } = this;
    const hidden = this.#hidden;
    const [rowAt, hiddenAt, values] = [this.#rowAt, this.#hiddenAt, this.#values];
    for (let h = 0; h < hidden.length; h++) hidden[h] = 0;
    const end = this.#offsets[item + 1];
    for (let at = this.#offsets[item]; at < end; at++) {
      const from = rowAt[at];
      const to = hiddenAt[at];
      const value = values[at];
      for (let a = 0; a < embedding; a++) hidden[to + a] += value * parameters[from + a];
    }
  }

  #scatter(item: number, gradient: Float32Array): void {
    const embedding = this.#embedding;
    const hiddenGradient = this.#hiddenGradient;
    const [rowAt, hiddenAt, values] = [this.#rowAt, this.#hiddenAt, this.#values];
    const end = this.#offsets[item + 1];
    for (let at = this.#offsets[item]; at < end; at++) {
      const to = rowAt[at];
      const from = hiddenAt[at];
      const value = values[at];
      for (let a = 0; a < embedding; a++) gradient[to + a] += value * hiddenGradient[from + a];
    }
  }
}
