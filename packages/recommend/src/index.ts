export { NotPositiveDefiniteError } from './cholesky.js';
export { type FoldedIn, foldIn, gradeOf, itemGramian } from './fold-in.js';
export type { ItemChoice } from './item-choice.js';
export { prepareModel } from './prepare-model.js';
export * from './recommender.js';
export * from './scorer.js';
export * from './similar-items.js';
export { topK } from './top-k.js';
