// @public: kept by every release (docs/policy.md).
// What `import … from 'hushrec/plugin'` gives: everything a method of your own is written with.
// docs/add-a-method.md leads through it.

export {
  defineMethod,
  eachRound,
  type Method,
  type MethodDefinition,
  type PeopleInput,
  type Progress,
  type PublicShape,
  roundName,
  roundReleases,
  type SearchSpace,
  type Setting,
  type SettingsOf,
  type SettingsSchema,
  singleRelease,
  type TrainedModel,
  type TrainingInput,
} from '@hushrec/factorize';
export type { BaselineModel, FactorModel, ItemModel, TrainingFacts } from '@hushrec/model';
export type { Csr, Engine } from '@hushrec/numerics';
export type { PlannedRelease, PrivacyUnit, Relation, ReleasePlan, ReleaseRecorder } from '@hushrec/privacy';
export type { FeatureSource, RatingMatrix, RatingScale } from '@hushrec/ratings';
export {
  type GridSums,
  meanRating,
  type People,
  type PeopleShare,
  type PersonStatistic,
  peopleCount,
  roundingMargin,
  type SumShape,
  weightedCountSensitivity,
  weightedCounts,
} from '@hushrec/statistics';
