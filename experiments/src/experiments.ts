import { baselineExperiments } from './baselines/index.js';
import { dpimfExperiments } from './dpimf/experiments.js';
import type { Experiment } from './experiment.js';
import { federatedExperiments } from './federated/index.js';
import { friedmanExperiments } from './friedman/experiments.js';
import { hushExperiments } from './hush/index.js';
import { userLevelExperiments } from './user-level/index.js';

/** Everything `hushrec reproduce` can run, by paper. */
export const experiments: readonly Experiment[] = [
  ...baselineExperiments,
  ...userLevelExperiments,
  ...hushExperiments,
  ...friedmanExperiments,
  ...dpimfExperiments,
  ...federatedExperiments,
];
