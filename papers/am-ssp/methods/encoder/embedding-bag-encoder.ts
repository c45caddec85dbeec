import type { FactorMatrix } from '@hushrec/numerics';
import { type BagEncoding, BagLayers } from '../../statistics/item-encoding.js';
import type { Bag, ItemEncoder } from './item-encoder.js';

/**
 * Encoder of Krichene et al. 2024, E.1.2: one embedding table per family of tokens, the weighted mean of an
 * item's tokens in each, all means side by side through one dense layer:
 *
 *   v_j = Wᵀ [Σ_k x_jk E¹_k ; … ; Σ_k x_jk E^F_k],   E^f ∈ ℝ^(tokens × e),   W ∈ ℝ^(F·e × d)
 *
 * Forward and backward cost O(Σ tokens·e + F·e·d) an item.
 */
export class EmbeddingBagEncoder implements ItemEncoder {
  readonly itemCount: number;
  readonly width: number;
  readonly parameters: Float32Array;
  readonly encoding: BagEncoding;
  readonly #layers: BagLayers;

  constructor(bags: readonly Bag[], width: number, embedding: number, stdDev: number, normal: () => number) {
    this.itemCount = bags[0].rowCount;
    this.width = width;
    const tableAt: number[] = [];
    let size = 0;
    for (const bag of bags) {
      tableAt.push(size);
      size += bag.columnCount * embedding;
    }
    const hidden = bags.length * embedding;
    this.parameters = new Float32Array(size + hidden * width);
    // Tables N(0, 1/e) and a dense layer that makes coordinates of v_j about `stdDev` large.
    for (let at = 0; at < size; at++) this.parameters[at] = normal() / Math.sqrt(embedding);
    for (let at = size; at < this.parameters.length; at++) {
      this.parameters[at] = (normal() * stdDev) / Math.sqrt(bags.length);
    }
    const entries = bags.reduce((sum, bag) => sum + bag.indices.length, 0);
    const offsets = new Uint32Array(this.itemCount + 1);
    const rowAt = new Uint32Array(entries);
    const hiddenAt = new Uint32Array(entries);
    const values = new Float32Array(entries);
    let to = 0;
    for (let item = 0; item < this.itemCount; item++) {
      bags.forEach((bag, field) => {
        for (let at = bag.offsets[item]; at < bag.offsets[item + 1]; at++, to++) {
          rowAt[to] = tableAt[field] + bag.indices[at] * embedding;
          hiddenAt[to] = field * embedding;
          values[to] = bag.values[at];
        }
      });
      offsets[item + 1] = to;
    }
    const { parameters } = this;
    const layout = { width, embedding, hidden, denseAt: size, offsets, rowAt, hiddenAt, values, parameters };
    this.encoding = { kind: 'bag', ...layout };
    this.#layers = new BagLayers(this.encoding);
  }

  encode(out: FactorMatrix, items?: Uint32Array): void {
    const count = items?.length ?? this.itemCount;
    for (let k = 0; k < count; k++) this.#layers.encode(items === undefined ? k : items[k], out);
  }

  addGradient(outputs: FactorMatrix, gradient: Float32Array, items?: Uint32Array): void {
    const count = items?.length ?? this.itemCount;
    for (let k = 0; k < count; k++)
      this.#layers.addGradient(items === undefined ? k : items[k], outputs, gradient);
  }
}
