// @internal: for the packages beside this one, not an interface (docs/policy.md).

export {
  curvatureSensitivity,
  curvatureSums,
  type LossBounds,
  logisticBounds,
  slopeSensitivity,
} from './alternating/curvatures.js';
export type { Expectation } from './alternating/expected-vectors.js';
export {
  itemBlocks,
  jointSensitivity,
  matrixSensitivity,
  vectorSensitivity,
} from './alternating/item-sum-bounds.js';
export {
  type ItemSumsQuestion,
  itemSums,
  type SampledSumsQuestion,
  type SubspaceQuestion,
  sampledItemSums,
  sampledUnits,
  subspaceStep,
  userGramian,
} from './alternating/item-sums.js';
export { ownMeanSum, sampledCounts } from './alternating/offset-and-counts.js';
export type { OwnQuestion, OwnStep } from './alternating/own-vectors.js';
export { featureGramian, featureGramianSensitivity, featureVectors } from './alternating/person-features.js';
export type { Weighting } from './alternating/weighting.js';
export { boundContributions } from './bound-contributions.js';
export { clipRows } from './clip-rows.js';
export { clipTargets } from './clip-targets.js';
export { requireDistinctItems } from './contributions.js';
export {
  type BagEncoding,
  BagLayers,
  type ItemEncoding,
  type LinearEncoding,
  TokenSummer,
} from './gradient/item-encoding.js';
export { type GradientQuestion, itemGradients, movedGramian } from './gradient/item-gradients.js';
export type { MovedQuestion, PathStep, SolvedQuestion } from './gradient/moved-vectors.js';
export type { GridSums } from './grid-sums.js';
export { choices } from './hush/choices.js';
export { type GradeRange, gradesOf } from './hush/grades.js';
export { itemEffects, residualVariance } from './hush/item-effects.js';
export { itemWeights } from './hush/item-weights.js';
export { levelVariance } from './hush/level-variance.js';
export { type ItemPreference, itemPreference } from './hush/person-weights.js';
export { meanRating, peopleCount, weightedCountSensitivity, weightedCounts } from './hush/population.js';
export { taste, tasteQuestion } from './hush/taste.js';
export { mostCovarianceItems, requireCovarianceFits } from './item-covariance.js';
export { protectedSums, zeroSums } from './people/exact-totals.js';
export { FilePeople, LEAST_MEMORY, ratingsPerBlock } from './people/file-people.js';
export { LocalPeople, type LocalPeopleOptions } from './people/local-people.js';
export { NoPeople } from './people/no-people.js';
export {
  type People,
  type PeopleShare,
  type PersonStatistic,
  SumError,
  SumRoom,
  type SumShape,
} from './people/people.js';
export { decodeQuestion, encodeQuestion } from './people/question-bytes.js';
export { isKnownStatistic, statisticById } from './people/statistics.js';
export { flooredCounts, frequentItems, ridgeByCount } from './released-counts.js';
export { roundingMargin } from './rounding-margin.js';
export {
  type FrankWolfeStep,
  type RowQuestion,
  replayFrankWolfe,
  residualCovariance,
  rowCovariance,
} from './spectral/covariance.js';
