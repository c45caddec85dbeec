import type { Experiment } from '../../harness/experiment.js';
import { figure7, figure8 } from './competitors.js';
import { figure5 } from './figure5.js';
import { figure6 } from './figure6.js';
import { gowallaNeighbours } from './gowalla-neighbours.js';
import { passes } from './passes.js';
import { dpimfTables } from './tables.js';

/** Tables and figures of Ran, Ye, Huang, Hu 2024, and the methods it compares with. */
export const dpimfExperiments: readonly Experiment[] = [
  ...dpimfTables,
  figure5,
  figure6,
  figure7,
  figure8,
  passes,
  gowallaNeighbours,
];
