// @internal: for the packages beside this one, not an interface (docs/policy.md).

export {
  countShares,
  epsilonNeeded,
  type Forecast,
  forecastNoise,
  PlanError,
  type PlannedData,
  peopleNeeded,
  tooNoisyBelow,
} from './forecast.js';
export {
  type ForecastRange,
  forecastRange,
  qualityOverEpsilon,
  type Range,
  worthItBelow,
} from './forecast-range.js';
export { countsOfModel, type KnownCounts } from './known-counts.js';
export {
  basisWords,
  epsilonWords,
  forecastWords,
  noiseOfRange,
  peopleWords,
  qualityWords,
  standingWords,
} from './plan-words.js';
export { hasWay, partOfTheWay, qualityRange } from './quality-range.js';
export type { ReferenceRun } from './reference-run.js';
export { referenceRuns } from './reference-runs.js';
export { budgetOfRefreshes, type ForecastOfRefreshes, forecastOfRefreshes } from './refreshes.js';
