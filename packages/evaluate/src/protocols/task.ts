import type { Csr } from '@hushrec/numerics';
import type { RatingScale } from '@hushrec/ratings';

/**
 * What a protocol asks of a model: from each person's `history`, predict that person's `target`. Same people by
 * rows, items by columns. Which ratings trained the item side is the protocol's business; neither of these need be.
 */
export interface EvaluationTask {
  readonly history: Csr;
  readonly target: Csr;
  /** Declared scale: explicit predictions are clamped to it. */
  readonly scale: RatingScale;
  /** Items to rank (one ascending row per person, targets included); all but the history when absent. */
  readonly candidates?: Csr;
  /** What the item side was trained on, for popularity slices; the history when absent. */
  readonly trainedOn?: Csr;
}
