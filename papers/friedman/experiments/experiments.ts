import type { Experiment } from '../../harness/experiment.js';
import { crossingCauses } from './crossing-causes.js';
import { figure3 } from './figure3.js';
import { figure6 } from './figure6.js';
import { figure2, figure4, figure5 } from './figures.js';
import { largeInputPerturbation } from './large-input-perturbation.js';
import { table3, table3Large } from './table3.js';
import { table4, table4Large } from './table4.js';
import { table5, table5Large } from './table5.js';

/** Tables and figures of Friedman, Berkovsky, Kaafar 2016. */
export const friedmanExperiments: readonly Experiment[] = [
  table3,
  table4,
  table5,
  crossingCauses,
  figure2,
  figure3,
  figure4,
  figure5,
  figure6,
  largeInputPerturbation,
  table3Large,
  table4Large,
  table5Large,
];
