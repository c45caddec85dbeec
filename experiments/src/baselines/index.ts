import type { Experiment } from '../experiment.js';
import { friedmanTable3 } from './friedman-table3.js';
import { gowalla } from './gowalla.js';
import { ml1mHoldout } from './ml-1m-holdout.js';
import { ncfLeaveOneOut } from './ncf-leave-one-out.js';

/** Methods without privacy on real data. */
export const baselineExperiments: readonly Experiment[] = [
  friedmanTable3,
  ml1mHoldout,
  ncfLeaveOneOut,
  gowalla,
];
