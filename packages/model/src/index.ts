export * from './canonical-json.js';
export * from './certificate.js';
export {
  certificateText,
  chainWords,
  isWeakDelta,
  pluginWords,
  strengthWords,
  trustWords,
  weakEpsilon,
  weakWords,
} from './certificate-text.js';
export { CertifiedReleaseError, certifiedReleases, eventOfReleases } from './certified-release.js';
export { fromHex, sha256Hex, toHex } from './content-hash.js';
export { decodePublished } from './decode-published.js';
export * from './guarantee-words.js';
export { checkCertifiable, checkStrength, largestDelta, WeakGuaranteeError } from './guard-rails.js';
export * from './item-model.js';
export {
  decodeItemModel,
  encodeItemModel,
  type ItemModelDescription,
  ItemModelError,
} from './item-model-encoding.js';
export * from './loss.js';
export * from './metrics-file.js';
export { modelCard } from './model-card.js';
export { faultInItemModel, faultInManifest } from './model-check.js';
export * from './person-features.js';
export { faultInPublishedFields } from './published-fields.js';
export * from './published-model.js';
export { faultForRecommending } from './recommending-certificate.js';
export { accountingChecks, eventsOfChain } from './recompute.js';
export * from './safetensors.js';
export {
  certificateHash,
  exportSigningKey,
  generateSigningKey,
  importSigningKey,
  SigningError,
  type SigningKey,
  signatureHolds,
  signedBytes,
} from './seal.js';
export { divisions, faultInSelection } from './selection.js';
export type * from './training-facts.js';
export * from './usefulness/known-catalogues.js';
export { type PopularityShape, popularityCurve, usualShape } from './usefulness/popularity-shape.js';
export {
  headPart,
  oneInTwenty,
  type SpreadOfCounts,
  spreadOfCounts,
  standsOutAt,
  step,
  tailPart,
} from './usefulness/spread-of-counts.js';
export * from './usefulness/usefulness.js';
export * from './usefulness/usefulness-words.js';
export * from './verify.js';
