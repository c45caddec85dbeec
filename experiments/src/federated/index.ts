import type { Experiment } from '../experiment.js';
import { price } from './price.js';

/** Training where nobody holds all ratings. */
export const federatedExperiments: readonly Experiment[] = [price];
