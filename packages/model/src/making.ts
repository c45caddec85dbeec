// @internal: for whoever makes and publishes a model: encodings, limits and the checks of what is to be
// published.

export { certificateFormat } from './certificate.js';
export { certifiedReleases, eventOfReleases } from './certified-release.js';
export { checkCertifiable, checkStrength, WeakGuaranteeError } from './guard-rails.js';
export { decodeItemModel, encodeItemModel } from './item-model-encoding.js';
export { encodeMetrics, faultInMetrics } from './metrics-file.js';
export { modelCard } from './model-card.js';
export { faultInItemModel, faultInManifest } from './model-check.js';
export { faultInPublishedFields } from './published-fields.js';
export { accountingChecks, eventsOfChain } from './recompute.js';
export { decodeTensors, encodeTensors, type Tensor } from './safetensors.js';
export { divisions, faultInSelection } from './selection.js';
