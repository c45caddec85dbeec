export { type Claim, findingsOf, judged, measuresOf } from './claims/claim.js';
export { claims } from './claims/claims.js';
export * from './experiment.js';
export { experiments } from './experiments.js';
export { howToGet, isThere } from './real-data.js';
