export * from './define-method.js';
export { settingsForFeedback, trainingScale } from './feedback.js';
export { fittedOn, hushWith } from './hush/hush.js';
export { allPieces, type HushPieces } from './hush/hush-pieces.js';
export { type HushRules, hushRules } from './hush/hush-rules.js';
export * from './idle-settings.js';
export { type ItemEnergies, ItemNoise, noiseByPopularity, noiseToSignal } from './item-noise.js';
export * from './method.js';
export { didYouMean, nearestName } from './nearest-name.js';
export * from './rating-level/dpimf.js';
export * from './rating-level/dpimf-settings.js';
export { optimalWeight } from './rating-level/importance-weights.js';
export * from './rating-level/profile-passes.js';
export { solveProfiles } from './rating-level/profile-solve.js';
export type { ProfileLoss, ProfileSums } from './rating-level/profile-statistics.js';
export { UserIdsMismatchError, withUserIds } from './rating-level/with-user-ids.js';
export * from './registry.js';
export * from './search-space.js';
export * from './settings.js';
export * from './shared/fold-in-users.js';
export * from './train.js';
export {
  epsilonOfPrintedNoise,
  type NotebookRun,
  publishedRuns,
  type ReplayedRun,
  replayPublishedRun,
} from './user-level/dpals/published-accounting.js';
export { dpFw } from './user-level/spectral/dp-fw.js';
export type { ReleasedPart } from './watch-releases.js';
export { NoGuaranteeError, planWithoutPrivacy } from './without-privacy.js';
