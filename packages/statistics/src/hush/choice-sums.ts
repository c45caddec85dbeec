import { type Csr, packedLength } from '@hushrec/numerics';
import type { ChoiceQuestion } from './choice-question.js';
import { addClippedOuter } from './clipped-moment.js';
import { ClippedItemSums } from './jointly-clipped.js';
import { type ChosenItems, LeftOutTastes } from './left-out-tastes.js';

/** Sums of `choices` over people, in steps of their grids. */
export interface ChoiceSums {
  /**
   * @param grades g_ij of the block's entries; all 1 where choices have none
   * @param own u_i of the block's people
   * @param chosen where what they say of an item is said without it
   */
  addBlock(block: Csr, grades: Float32Array, own: Float32Array, chosen: ChosenItems | undefined): void;
  /** Adds what was summed. */
  addTo(into: { readonly vectors: Float64Array; readonly moment: Float64Array }): void;
}

/** In plain TypeScript: `WasmChoiceSums` has the same integers. */
export class PlainChoiceSums implements ChoiceSums {
  readonly #question: ChoiceQuestion;
  readonly #vectors: ClippedItemSums;
  readonly #moment: Float64Array;

  constructor(question: ChoiceQuestion, itemCount: number) {
    const { items, vectorBound } = question;
    this.#question = question;
    this.#vectors = new ClippedItemSums(itemCount, items.width, vectorBound);
    this.#moment = new Float64Array(packedLength(items.width));
  }

  addBlock(
    { rowCount, offsets, indices }: Csr,
    grades: Float32Array,
    own: Float32Array,
    chosen: ChosenItems | undefined,
  ): void {
    const { itemWeights, gauge, momentBound, items } = this.#question;
    const { width } = items;
    const { amounts } = this.#vectors;
    const leftOut = chosen && new LeftOutTastes(this.#question, chosen, gauge);
    const taste = new Float64Array(width);
    const matrix = new Float64Array(packedLength(width));
    for (let user = 0; user < rowCount; user++) {
      const begin = offsets[user];
      const end = offsets[user + 1];
      if (begin === end) continue;
      let square = 0;
      for (let at = begin; at < end; at++) {
        const weight = itemWeights[indices[at]] * grades[at];
        square += weight * weight;
      }
      if (square === 0) continue; // nothing that she liked at all
      const share = 1 / Math.sqrt(square);
      for (let at = begin, k = 0; at < end; at++, k++)
        amounts[k] = share * (itemWeights[indices[at]] * grades[at]);
      const ownTaste = own.subarray(user * width, (user + 1) * width);
      for (let a = 0; a < width; a++) taste[a] = gauge * ownTaste[a];
      const hers = indices.subarray(begin, end);
      const factor =
        leftOut === undefined
          ? this.#vectors.add(hers, taste)
          : this.#vectors.addEach(hers, leftOut.of(hers, grades.subarray(begin, end), ownTaste));
      addClippedOuter(this.#moment, taste, share * factor, momentBound, matrix);
    }
  }

  addTo({ vectors, moment }: { readonly vectors: Float64Array; readonly moment: Float64Array }): void {
    this.#vectors.addTo(vectors);
    for (let at = 0; at < moment.length; at++) moment[at] += this.#moment[at];
  }
}
