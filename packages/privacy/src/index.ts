// @beta: may change with any minor version (docs/policy.md).

export { type Accountant, type AccountantId, UnknownEventError } from './accounting/accountant.js';
export { gaussianDelta, gaussianDeltaUpper, gaussianEpsilon, muFor } from './accounting/gaussian-curve.js';
export { composedMu, gaussianDpAccountant } from './accounting/gaussian-dp.js';
export { groupEpsilon, groupGuarantee, groupMu } from './accounting/group-privacy.js';
export type { Bound } from './accounting/loss-grid.js';
export { pldAccountant, pldEpsilon } from './accounting/pld.js';
export { pureAccountant } from './accounting/pure.js';
export { type NumberOfRuns, stoppingParameter, tuningEpsilon } from './accounting/random-stopping.js';
export { composedDivergence, PUBLISHED_ORDERS, rdpAccountant, renyiEpsilon } from './accounting/rdp.js';
export { replaceFactorOfSquaredMu } from './accounting/replace-factor.js';
export { type AccountedEpsilon, accountants, everyEpsilon, tightestEpsilon } from './accounting/tightest.js';
export { largestDetection, largestGaussianDetection, largestPosterior } from './accounting/trade-off.js';
export { type FixedSizeSampling, fixedSizeSamplingEpsilon } from './accounting/without-replacement.js';
export { zcdpAccountant, zcdpEpsilon } from './accounting/zcdp.js';
export { chargedEvent } from './charged-event.js';
export type { PrivacyEvent } from './event.js';
export type { NoiseThreads } from './mechanisms/noise-threads.js';
export type { SparseCells } from './mechanisms/thresholded-laplace.js';
export { type Accounting, calibrate, type PrivacyTarget, PURE_DELTA } from './plan/calibrate.js';
export { ReleasePlanError } from './plan/check-plan.js';
export type {
  CalibratedPlan,
  CalibratedRelease,
  PlannedMechanism,
  PlannedRelease,
  ReleasePlan,
} from './plan/release-plan.js';
export { type AllowedLine, type StageEnvelope, squaredMu } from './plan/stages.js';
export { describeProtection, type PrivacyUnit, type Relation } from './privacy-unit.js';
export { hostSha256 } from './random/host-crypto.js';
export {
  type CoinKeys,
  type CoinSource,
  LineCoins,
  type PeopleCoins,
  PeopleNames,
  peopleCoins,
} from './random/person-coins.js';
export {
  checkedSecret,
  freshSecret,
  RunSecret,
  SECRET_BYTES,
  type SecretOptions,
  WeakSecretError,
} from './random/run-secret.js';
export { hmacSha256, Sha256, sha256, sha256Hex } from './random/sha256.js';
export { logNormalCdf } from './real/log-normal-cdf.js';
export { normalQuantile } from './real/normal-quantile.js';
export {
  AnswerMismatchError,
  createAnsweringRecorder,
  placeOf,
  type ReleaseAnswers,
  type ReleasedValue,
  type ReleaseRequest,
  requestText,
} from './recorder/answering.js';
export { PlanMismatchError, ReleaseRefusedError } from './recorder/errors.js';
export { observedRecorder } from './recorder/observed.js';
export type {
  NoiseLayout,
  OpenRelease,
  PrivacyRecord,
  ReleaseRecorder,
  ThresholdedRow,
} from './recorder/port.js';
export { createRecorder, type RecorderOptions } from './recorder/recorder.js';
export { rehearsalAnswers } from './recorder/rehearsal.js';
export { type Sensitive, type SensitivityNorm, sensitive } from './recorder/sensitive.js';
export { wrapRecorder } from './recorder/wrap.js';
export { roundedUp, roundUpEpsilon } from './round-up.js';
export { drawDiscreteGaussian } from './samplers/gaussian-stream.js';
export {
  type Delta,
  type DeltaInput,
  delta,
  type Epsilon,
  type EpsilonInput,
  epsilon,
  PrivacyParameterError,
  promisedDelta,
  promisedGaussianDelta,
  targetEpsilon,
} from './units.js';
