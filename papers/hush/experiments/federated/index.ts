import type { Experiment } from '../../../harness/experiment.js';
import { price } from './price.js';

/** Training where nobody holds all ratings. */
export const federatedExperiments: readonly Experiment[] = [price];
