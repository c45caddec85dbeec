import type { Experiment } from '../experiment.js';
import { competitorsFigure } from './competitors.js';
import { gowallaNeighbours } from './gowalla-neighbours.js';
import { dpimfTables } from './tables.js';

/** Tables and figures of Ran, Ye, Huang, Hu 2024, and the methods it compares with. */
export const dpimfExperiments: readonly Experiment[] = [...dpimfTables, competitorsFigure, gowallaNeighbours];
