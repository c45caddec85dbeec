import { packedLength, sharedFloat32, zeroFactors } from '@hushrec/numerics';
import { blocksOfPeople, peopleBetween } from '../people/cut-shares.js';
import type { PersonStatistic } from '../people/people.js';
import type { ChoiceQuestion } from './choice-question.js';
import { type ChoiceSums, PlainChoiceSums } from './choice-sums.js';
import { gradesOf } from './grades.js';
import { clippedShape } from './jointly-clipped.js';
import { WasmChoiceSums } from './wasm-choice-sums.js';
import { WhitenedItems } from './whitened-items.js';

/** Most entries of the people whose vectors are found at once: 4 bytes each. */
const BLOCK_ENTRIES = 2 ** 20;

/**
 * What one round of implicit feedback releases. Person i weighs the whole of her loss (what she chose and
 * what she did not) by κ_i = k_i ω_i, and item j, on whose noise that of its sum depends, by h_j; a choice
 * weighs its grade 0 ≤ g_ij ≤ 1, or 1 where there are none; ω_i = (Σ_{j ∈ Ω_i} h_j² g_ij²)^(−1/2):
 *
 *   b_j = h_j Σ_{i chose j} κ_i g_ij ũ_i   for every item,      K = Σ_i κ_i ũ_i ũ_iᵀ   once,      ũ_i = gauge · u_i
 *
 * u_i = argmin Σ_{j ∈ Ω_i} g_ij (1 − u·v_j)² + α₀ Σ_j (u·v_j)² + λ‖u‖² is her own. k_i ≤ 1 scales the whole
 * of her part in (b_1 … b_m), whose norm is √(Σ_j h_j² g_ij² ω_i²)·‖ũ_i‖ = ‖ũ_i‖, to norm ≤ B. K is clipped a
 * second time, to Frobenius norm G. Whose grades are all 0 says nothing.
 *
 * With `leftOut` item j gets h_j κ_i g_ij ũ_i⁻ʲ, her taste as it would be had she not chosen j,
 * u⁻ʲ = u − A⁻¹v_j g_ij (1 − u·v_j)/(1 − g_ij v_jᵀA⁻¹v_j) with A her own system (`LeftOutTastes`), and k_i
 * scales that. A taste is partly the item's own echo: it points to v_j because j was chosen. Over many items
 * and few choices each that looks like signal in every direction, true or not.
 *
 * Sensitivity: B and G (see `ClippedItemSums`, `addClippedOuter`). Everybody's u_i reads released items and
 * own choices only; h_j > 0 comes from releases. Where her own system has no solution in floating point she
 * counts as nothing said; what everybody's system has in common is public, and throws (`WhitenedItems`).
 * O(choices · d² + people · d³) in the engine,
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
    const { items } = question;
    const whitened = new WhitenedItems(question);
    const sums: ChoiceSums =
      WasmChoiceSums.for(question, rows) ?? new PlainChoiceSums(question, rows.columnCount);
    for (const { begin, end } of blocksOfPeople(rows, BLOCK_ENTRIES)) {
      const block = peopleBetween(rows, begin, end);
      const out = zeroFactors(block.rowCount, items.width);
      const targets = sharedFloat32(block.indices.length).fill(1);
      const fixed = whitened.chosenBy(block);
      const grades = gradesOf(block, question.grades);
      const weights = question.grades && { weights: grades };
      await engine.solveRows({ rows: block, fixed, out, ridge: 1, targets, ...weights, unsolvable: 'nan' });
      whitened.backToTastes(out); // u_i
      const chosen = question.leftOut
        ? { whitened: fixed, alone: whitened.aloneBy(block, fixed) }
        : undefined;
      sums.addBlock(block, grades, out.data, chosen);
    }
    sums.addTo(into);
  },
};
