import './register.js';
import { userLevelExperiments } from './dpals/experiments/index.js';
import { dpimfExperiments } from './dpimf/experiments/experiments.js';
import { friedmanExperiments } from './friedman/experiments/experiments.js';
import type { Experiment } from './harness/experiment.js';
import { baselineExperiments } from './harness/yardsticks/index.js';
import { federatedExperiments } from './hush/experiments/federated/index.js';
import { hushExperiments } from './hush/experiments/index.js';

/** Everything `hushrec reproduce` can run, by paper. */
export const experiments: readonly Experiment[] = [
  ...baselineExperiments,
  ...userLevelExperiments,
  ...hushExperiments,
  ...friedmanExperiments,
  ...dpimfExperiments,
  ...federatedExperiments,
];
