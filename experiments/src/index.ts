export { type Claim, claims, findingsOf, judged, measuresOf } from './claims.js';
export * from './experiment.js';
export { experiments } from './experiments.js';
export { howToGet, isThere } from './real-data.js';
