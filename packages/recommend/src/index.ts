// @beta: may change with any minor version (docs/policy.md).

export { NotPositiveDefiniteError } from './cholesky.js';
export { type FoldedIn, foldIn, gradeOf, itemGramian } from './fold-in.js';
export type { ItemChoice } from './item-choice.js';
export { prepareModel } from './prepare-model.js';
export {
  type Basis,
  type HistoryEntry,
  HistoryError,
  type Reason,
  type RecommendableModel,
  type Recommendation,
  type Recommendations,
  Recommender,
  type RecommendOptions,
  recommendable,
} from './recommender.js';
export { type IndexedHistory, itemCountOf, type ModelCache, type Scorer, scorerFor } from './scorer.js';
export {
  NoLikenessError,
  type SimilarItem,
  type SimilarItems,
  type SimilarOptions,
  similarItems,
  UnknownItemError,
} from './similar-items.js';
export { topK } from './top-k.js';
