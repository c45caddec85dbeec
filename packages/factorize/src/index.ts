// @internal: for the packages beside this one, not an interface (docs/policy.md).

export {
  defineMethod,
  guardedMethod,
  type MethodDefinition,
  NeedsRatingsError,
  requireAbout,
} from './define-method.js';
export { eachRound } from './each-round.js';
export {
  type AskedGoal,
  type Goal,
  goalOf,
  goals,
  likesForGoal,
  settingsForFeedback,
  trainingScale,
} from './feedback.js';
export { fittedOn, hushWith } from './hush/hush.js';
export { allPieces, type HushPieces } from './hush/hush-pieces.js';
export { type HushRules, hushRules } from './hush/hush-rules.js';
export { type IdleRule, type IdleSettings, idleBy, refuseIdle } from './idle-settings.js';
export { type ItemEnergies, ItemNoise, noiseByPopularity, noiseToSignal } from './item-noise.js';
export type { Method, PeopleInput, Progress, PublicShape, TrainedModel, TrainingInput } from './method.js';
export {
  keptAfter,
  type LeftMemory,
  type MethodMemory,
  type RecalledMemory,
  type Remembering,
} from './method-memory.js';
export { didYouMean, nearestName } from './nearest-name.js';
export { als } from './public/als.js';
export { CatalogueSizeError } from './public/ease.js';
export {
  MethodNameTakenError,
  methodById,
  methods,
  pluginOf,
  registerMethods,
  UnknownMethodError,
} from './registry.js';
export { type SearchRange, type SearchSpace, within } from './search-space.js';
export {
  currentName,
  numbersByName,
  readSettings,
  type Setting,
  SettingsError,
  type SettingsOf,
  type SettingsSchema,
  typedSettings,
} from './settings.js';
export { itemCounts } from './shared/averages.js';
export { foldInUsers, itemMatrix } from './shared/fold-in-users.js';
export { initialStdDev } from './shared/initial-vectors.js';
export { meanRating } from './shared/mean-rating.js';
export { roundName, roundReleases, singleRelease } from './shared/round-releases.js';
export { UserIdsMismatchError, withUserIds } from './shared/with-user-ids.js';
export {
  executeRun,
  type PlannedRun,
  type PlanRequest,
  planRun,
  type RunContext,
  type RunData,
  type RunInput,
  type SettingValues,
  type TrainRequest,
  trainModel,
} from './train.js';
export { type ReleasedPart, watchReleases } from './watch-releases.js';
export { planWithoutPrivacy, recorderWithoutPrivacy } from './without-privacy.js';
