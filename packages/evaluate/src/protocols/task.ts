import type { Csr } from '@hushrec/numerics';
import type { RatingMatrix, RatingScale } from '@hushrec/ratings';

/**
 * What a protocol asks of a model: from each person's `history`, predict that person's `target`. Same people
 * by rows, items by columns.
 */
export interface EvaluationTask {
  readonly history: Csr;
  readonly target: Csr;
  /** Declared scale: explicit predictions are clamped to it. */
  readonly scale: RatingScale;
  /** What the item side was trained on: its counts make the popularity slices. */
  readonly trainedOn: RatingMatrix;
  /** Items to rank (one ascending row per person, targets included); all but the history when absent. */
  readonly candidates?: Csr;
}
