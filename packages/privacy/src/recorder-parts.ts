// @internal: parts of a recorder that is built outside this package. With them the numbers of a `Sensitive`
// can be read, so only `federate` may import them, whose recorder turns exact sums into shares
// (tools/import-direction.mjs).

export { addGaussianNoise } from './mechanisms/gaussian-part.js';
export { GRID_GAUSSIAN_DISTANCE, gridSigmaFor, LEAST_GRID_SIGMA } from './mechanisms/grid-gaussian.js';
export { areWhole } from './random/content-digest.js';
export { hostKeyStream } from './random/host-crypto.js';
export { PlanBook } from './recorder/recorder.js';
export { revealToMechanism } from './recorder/sensitive.js';
export { LARGEST_INTEGER, layoutMisfit, sensitivityExcess } from './recorder/statistic-checks.js';
export { gaussianStream } from './samplers/gaussian-stream.js';
