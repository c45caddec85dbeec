import type { Experiment } from './experiment.js';

/** Everything `hushrec reproduce` can run, by paper. */
export const experiments: readonly Experiment[] = [];
