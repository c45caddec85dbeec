import type { GradeRange } from './grades.js';
import type { CommonSystem } from './whitened-items.js';

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
  /** Where ratings are grades: their declared scale. Absent: every choice counts 1. */
  readonly grades?: GradeRange;
}
