import type { Experiment } from '../experiment.js';
import { gowalla } from './gowalla.js';
import { ml1mHoldout } from './ml-1m-holdout.js';
import { ncfLeaveOneOut } from './ncf-leave-one-out.js';
import { tenFold } from './ten-fold.js';

/** Methods without privacy on real data. */
export const baselineExperiments: readonly Experiment[] = [tenFold, ml1mHoldout, ncfLeaveOneOut, gowalla];
