// @beta: may change with any minor version (docs/policy.md). What is in a published model, and whether it
// holds.

export type {
  AccountStatement,
  Certificate,
  CertificateSignature,
  CertificateStatement,
  CertifiedRelease,
  ChainStatement,
  FederatedStatement,
  PluginStatement,
} from './certificate.js';
export { decodePublished } from './decode-published.js';
export { fileNames } from './file-names.js';
export {
  type BaselineModel,
  type FactorModel,
  type FoldInSettings,
  type ItemModel,
  isSameForAll,
  type NeighbourModel,
  type PublishedUsers,
  type RatingRange,
} from './item-model.js';
export { type ConvexLoss, convexLosses, labelOf, type ModelLoss, predictionAt } from './loss.js';
export { expectedVector, type OwnFeatures, ownFeatures, type PersonFeatures } from './person-features.js';
export {
  CorruptModelError,
  decodeFiles,
  type ModelManifest,
  modelFormat,
  PublicationError,
  type PublishedMemory,
  type PublishedModel,
  type StoredManifest,
  type TrainedOn,
  type UnpublishedModel,
} from './published-model.js';
export { faultForRecommending } from './recommending-certificate.js';
export type { TrainingFacts } from './training-facts.js';
export {
  type Verification,
  type VerificationCheck,
  type VerificationOptions,
  verifyPublished,
} from './verify.js';
