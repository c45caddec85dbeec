// @internal: for the packages beside this one, not an interface (docs/policy.md).

export { DataChangedError, OtherRunLeftError, TrainingFailedError, type TrainingStep } from './failure.js';
export {
  heldBackFolder,
  type KeptVersion,
  keepLive,
  keptVersions,
  pruneVersions,
  putLive,
  versionsFolderOf,
} from './kept-versions.js';
export { finishLeftOver, finishLeftOvers, hasLeftOver } from './left-over.js';
export type { LiveSignal } from './live-signal.js';
export { jobOfCharter, makeRun, type TrainingRun } from './make-run.js';
export { readMemory } from './memory-file.js';
export { OtherPlanError, planHash, workHash } from './plan-hash.js';
export { clearLeftOvers } from './publish/write-folder.js';
export { certifiedCost } from './publish-federated.js';
export { type RefreshCounts, readRefreshCounts, refreshCountsFile } from './refresh-counts.js';
export { KeptSecretError } from './secret-file.js';
export { planTraining } from './train-and-publish.js';
export type {
  Announcement,
  RememberRequest,
  RunIntent,
  TrainAndPublishRequest,
  TrainedAndPublished,
  TrainingSource,
} from './training-request.js';
export { verifyModel } from './verify-model.js';
