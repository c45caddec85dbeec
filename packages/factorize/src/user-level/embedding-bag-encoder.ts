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
  readonly #bags: readonly Bag[];
  readonly #embedding: number;
  /** Where each table starts in `parameters`; the dense layer comes last. */
  readonly #tableAt: readonly number[];
  readonly #denseAt: number;
  readonly #hidden: Float32Array;
  readonly #hiddenGradient: Float32Array;

  constructor(bags: readonly Bag[], width: number, embedding: number, stdDev: number, normal: () => number) {
    this.itemCount = bags[0]!.rowCount;
    this.width = width;
    this.#bags = bags;
    this.#embedding = embedding;
    const tableAt: number[] = [];
    let size = 0;
    for (const bag of bags) {
      tableAt.push(size);
      size += bag.columnCount * embedding;
    }
    this.#tableAt = tableAt;
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
  }

  encode(out: FactorMatrix, items?: Uint32Array): void {
    const { width, parameters } = this;
    const count = items?.length ?? this.itemCount;
    for (let k = 0; k < count; k++) {
      const item = items === undefined ? k : items[k]!;
      this.#fillHidden(item);
      const to = item * width;
      out.data.fill(0, to, to + width);
      for (let h = 0, at = this.#denseAt; h < this.#hidden.length; h++, at += width) {
        const value = this.#hidden[h]!;
        for (let a = 0; a < width; a++) out.data[to + a]! += value * parameters[at + a]!;
      }
    }
  }

  addGradient(outputs: FactorMatrix, gradient: Float32Array, items?: Uint32Array): void {
    const { width, parameters } = this;
    const count = items?.length ?? this.itemCount;
    for (let k = 0; k < count; k++) {
      const item = items === undefined ? k : items[k]!;
      this.#fillHidden(item);
      const from = item * width;
      for (let h = 0, at = this.#denseAt; h < this.#hidden.length; h++, at += width) {
        const value = this.#hidden[h]!;
        let back = 0;
        for (let a = 0; a < width; a++) {
          const g = outputs.data[from + a]!;
          gradient[at + a]! += value * g;
          back += parameters[at + a]! * g;
        }
        this.#hiddenGradient[h] = back;
      }
      this.#scatter(item, gradient);
    }
  }

  #fillHidden(item: number): void {
    const embedding = this.#embedding;
    this.#hidden.fill(0);
    this.#bags.forEach((bag, field) => {
      const to = field * embedding;
      for (let at = bag.offsets[item]!; at < bag.offsets[item + 1]!; at++) {
        const from = this.#tableAt[field]! + bag.indices[at]! * embedding;
        const value = bag.values[at]!;
        for (let a = 0; a < embedding; a++) this.#hidden[to + a]! += value * this.parameters[from + a]!;
      }
    });
  }

  #scatter(item: number, gradient: Float32Array): void {
    const embedding = this.#embedding;
    this.#bags.forEach((bag, field) => {
      const from = field * embedding;
      for (let at = bag.offsets[item]!; at < bag.offsets[item + 1]!; at++) {
        const to = this.#tableAt[field]! + bag.indices[at]! * embedding;
        const value = bag.values[at]!;
        for (let a = 0; a < embedding; a++) gradient[to + a]! += value * this.#hiddenGradient[from + a]!;
      }
    });
  }
}
