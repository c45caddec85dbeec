import { type Csr, packedLength, sharedFloat32, zeroFactors } from '@hushrec/numerics';
import { blocksOfPeople, peopleBetween } from '../people/cut-shares.js';
import type { PersonStatistic } from '../people/people.js';
import { addClippedMoment, ClippedItemSums, clippedShape } from './jointly-clipped.js';
import { LeftOutTastes } from './left-out-tastes.js';
import { type CommonSystem, WhitenedItems } from './whitened-items.js';

/**
 * What a round of implicit feedback tells people: everything of it is released, public, or follows from both.
 */
export interface ChoiceQuestion extends CommonSystem {
  /** h_j > 0. */
  readonly itemWeights: Float64Array;
  readonly gauge: number;
  /** B: norm of a person's whole contribution to the item vectors. */
  readonly vectorBound: number;
  /** G: Frobenius norm of a person's contribution to the shared second moment. */
  readonly momentBound: number;
  /** Whether what she says about an item is said without it: u_i⁻ʲ in place of u_i in b_j. */
  readonly leftOut: boolean;
}

/** Most entries of the people whose vectors are found at once: 4 bytes each. */
const BLOCK_ENTRIES = 2 ** 20;

/**
 * What one round of implicit feedback releases. Person i weighs the whole of her loss (what she chose and
 * what she did not) by κ_i = k_i ω_i, and item j, on whose noise that of its sum depends, by h_j;
 * ω_i = (Σ_{j ∈ Ω_i} h_j²)^(−1/2):
 *
 *   b_j = h_j Σ_{i chose j} κ_i ũ_i   for every item,      K = Σ_i κ_i ũ_i ũ_iᵀ   once,      ũ_i = gauge · u_i
 *
 * u_i = argmin Σ_{j ∈ Ω_i} (1 − u·v_j)² + α₀ Σ_j (u·v_j)² + λ‖u‖² is her own. k_i ≤ 1 scales the whole of her
 * part in (b_1 … b_m), whose norm is √(Σ_j h_j² ω_i²)·‖ũ_i‖ = ‖ũ_i‖, to norm ≤ B. K is clipped a second time,
 * to Frobenius norm G.
 *
 * With `leftOut` item j gets h_j κ_i ũ_i⁻ʲ, her taste as it would be had she not chosen j, u⁻ʲ = u − A⁻¹v_j
 * (1 − u·v_j)/(1 − v_jᵀA⁻¹v_j) with A her own system (`LeftOutTastes`), and k_i scales that. A taste is
 * partly the item's own echo: it points to v_j because j was chosen. Over many items and few choices each
 * that looks like signal in every direction, true or not.
 *
 * Sensitivity: B and G (see `ClippedItemSums`, `addClippedMoment`). Everybody's u_i reads released items and
 * own choices only; h_j > 0 comes from releases. O(choices · d² + people · d³) in the engine,
 * O(choices · d + people · d²) for the sums.
 */
export const choices: PersonStatistic<ChoiceQuestion, 'vectors' | 'moment'> = {
  id: 'choices',
  parallel: 'shares',
  shapes: ({ items, vectorBound, momentBound }, itemCount) => ({
    vectors: clippedShape('bound on a contribution', itemCount * items.width, vectorBound),
    moment: clippedShape('bound on a moment', packedLength(items.width), momentBound),
  }),
  async add({ rows, engine }, question, into) {
    const { items, vectorBound } = question;
    const vectors = new ClippedItemSums(rows.columnCount, items.width, vectorBound);
    const whitened = new WhitenedItems(question);
    for (const { begin, end } of blocksOfPeople(rows, BLOCK_ENTRIES)) {
      const block = peopleBetween(rows, begin, end);
      const out = zeroFactors(block.rowCount, items.width);
      const targets = sharedFloat32(block.indices.length).fill(1);
      const fixed = whitened.chosenBy(block);
      await engine.solveRows({ rows: block, fixed, out, ridge: 1, targets });
      whitened.backToTastes(out); // u_i
      const leftOut = question.leftOut
        ? new LeftOutTastes(
            question,
            { whitened: fixed, alone: whitened.aloneBy(block, fixed) },
            question.gauge,
          )
        : undefined;
      addBlock(block, out.data, question, leftOut, vectors, into.moment);
    }
    vectors.addTo(into.vectors);
  },
};

/** @param own u_i of the block's people */
function addBlock(
  block: Csr,
  own: Float32Array,
  question: ChoiceQuestion,
  leftOut: LeftOutTastes | undefined,
  vectors: ClippedItemSums,
  moment: Float64Array,
): void {
  const { itemWeights, gauge, momentBound } = question;
  const { width } = question.items;
  const { offsets, indices } = block;
  const { amounts } = vectors;
  const taste = new Float64Array(width);
  const matrix = new Float64Array(packedLength(width));
  for (let user = 0; user < block.rowCount; user++) {
    const begin = offsets[user];
    const end = offsets[user + 1];
    if (begin === end) continue;
    let square = 0;
    for (let at = begin; at < end; at++) square += itemWeights[indices[at]] ** 2;
    const share = 1 / Math.sqrt(square);
    for (let at = begin, k = 0; at < end; at++, k++) amounts[k] = share * itemWeights[indices[at]];
    for (let a = 0; a < width; a++) taste[a] = gauge * own[user * width + a];
    const chosen = indices.subarray(begin, end);
    const factor =
      leftOut === undefined
        ? vectors.add(chosen, taste)
        : vectors.addEach(chosen, leftOut.of(chosen, own.subarray(user * width, (user + 1) * width)));
    const weight = share * factor;
    for (let a = 0, at = 0; a < width; a++) {
      const scaled = weight * taste[a];
      for (let b = a; b < width; b++, at++) matrix[at] = scaled * taste[b];
    }
    addClippedMoment(moment, matrix, width, momentBound);
  }
}
