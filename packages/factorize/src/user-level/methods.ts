import type { Method } from '../method.js';
import { amSsp } from './am-ssp/am-ssp.js';
import { dpCmf } from './dpals/dp-cmf.js';
import { dpals } from './dpals/dpals.js';
import { amDpsgd } from './gradient/am-dpsgd.js';
import { dpSgd } from './gradient/dp-sgd.js';
import { dpFw } from './spectral/dp-fw.js';
import { dpSvd } from './spectral/dp-svd.js';

/** Methods that protect everything one person rated, in the order in which they are listed to people. */
export const userLevelMethods: readonly Method[] = [dpals, dpCmf, amSsp, amDpsgd, dpSgd, dpFw, dpSvd];
