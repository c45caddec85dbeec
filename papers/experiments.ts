export { type Claim, findingsOf, judged, measuresOf } from './harness/claim.js';
export { claims } from './harness/claims.js';
export * from './harness/experiment.js';
export { howToGet, isThere } from './harness/real-data.js';
export { experiments } from './list-of-experiments.js';
