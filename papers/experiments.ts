export { type Claim, findingsOf, judged, measuresOf } from './harness/claim.js';
export { claims } from './harness/claims.js';
export type { Experiment, ExperimentContext, ExperimentResult, Finding } from './harness/experiment.js';
export { howToGet, isThere } from './harness/real-data.js';
export { reproduceAll } from './harness/reproduce-all.js';
export { findingLine, minutesOf, type ReproductionHost, runExperiment } from './harness/reproduction.js';
export { experiments } from './list-of-experiments.js';
