// @internal: for the packages beside this one, not an interface (docs/policy.md).

export { clipFactor } from './clip-factor.js';
export {
  type Contributions,
  type ContributionsByItem,
  contributionsByItem,
  requireDistinctItems,
} from './contributions.js';
export type { GridSums } from './grid-sums.js';
export { choices } from './hush/choices.js';
export { type GradeRange, gradesOf } from './hush/grades.js';
export { itemEffects, residualVariance } from './hush/item-effects.js';
export { itemWeights } from './hush/item-weights.js';
export { levelVariance } from './hush/level-variance.js';
export { type ItemPreference, itemPreference } from './hush/person-weights.js';
export { meanRating, peopleCount, weightedCountSensitivity, weightedCounts } from './hush/population.js';
export { taste, tasteQuestion } from './hush/taste.js';
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
export { isKnownStatistic, registerStatistics, statisticById } from './people/statistics.js';
export { flooredCounts, frequentItems, ridgeByCount } from './released-counts.js';
export { requireBound } from './require-bound.js';
export { roundingMargin } from './rounding-margin.js';
