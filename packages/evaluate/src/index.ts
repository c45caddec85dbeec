// @internal: for the packages beside this one, not an interface (docs/policy.md).

export { choicesSince } from './choices-since.js';
export {
  answerOf,
  type EvaluateOptions,
  evaluateModel,
  measure,
  type Protocol,
  unfitMetrics,
} from './evaluate-model.js';
export { auc } from './metrics/auc.js';
export { type AskedMetric, askedName } from './metrics/metric.js';
export type { RankingMetric } from './metrics/ranking-metric.js';
export { defaultCutoffs, metrics, shownOfLists } from './metrics.js';
export {
  expectedFigure,
  isUseless,
  leastEpsilonFor,
  type PrivateFigure,
  planOfFigure,
  releasableFigure,
  releaseFigure,
} from './private-figure.js';
export { crossValidate } from './protocols/k-fold.js';
export { mergeRows } from './protocols/merge-rows.js';
export { readMetric, readMetrics } from './read-metrics.js';
export { scorePairs } from './scoring/score-pairs.js';
export { fileOutcomeStore, memoryOutcomeStore, type OutcomeStore, once } from './sweep/outcome-store.js';
export { runTunedCells, runTunedSweep, type Tuned } from './sweep/search.js';
export { SideBySide } from './sweep/side-by-side.js';
export { runCells, runSweep, type SweepCell, type SweepRequest, type SweepSplit } from './sweep/sweep.js';
export { type SweepRow, sweepRows } from './sweep/sweep-rows.js';
export { bestWithoutPrivacy, type WithoutPrivacy } from './sweep/without-privacy.js';
