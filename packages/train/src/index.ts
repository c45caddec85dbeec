export { checkStrength, WeakGuaranteeError } from '@hushrec/model';
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
export { type Finishing, finishLeftOver, finishLeftOvers, hasLeftOver } from './left-over.js';
export type { LiveSignal } from './live-signal.js';
export { jobOfCharter, makeRun, type TrainingRun, type WorkDone, type WorkRun } from './make-run.js';
export { MemoryFileError, readMemory } from './memory-file.js';
export { OtherPlanError, type PlannedFor, planHash } from './plan-hash.js';
export { clearLeftOvers } from './publish/write-folder.js';
export { certifiedCost } from './publish-federated.js';
export { type RefreshCounts, readRefreshCounts, refreshCountsFile } from './refresh-counts.js';
export { RehearsalError } from './replay/rehearse.js';
export { ReleaseLogError } from './replay/release-log.js';
export { NotFromReleasesError } from './replay/train-with-twin.js';
export { KeptSecretError } from './secret-file.js';
export { planTraining } from './train-and-publish.js';
export type {
  Announcement,
  OpenedSource,
  RememberRequest,
  RunIntent,
  TrainAndPublishRequest,
  TrainedAndPublished,
  TrainingSource,
} from './training-request.js';
export { verifyModel } from './verify-model.js';
