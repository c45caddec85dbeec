import type { Method } from '@hushrec/factorize';
import { amSsp } from './am-ssp/methods/am-ssp.js';
import { amDpsgd } from './am-ssp/methods/gradient/am-dpsgd.js';
import { dpSgd } from './am-ssp/methods/gradient/dp-sgd.js';
import { dpCmf } from './dp-cmf/methods/dp-cmf.js';
import { dpals } from './dpals/methods/dpals.js';
import { dpFw } from './dpals/methods/spectral/dp-fw.js';
import { dpSvd } from './dpals/methods/spectral/dp-svd.js';
import './statistics.js';

/** Methods that protect everything one person rated, in the order in which they are listed. */
export const userLevelMethods: readonly Method[] = [dpals, dpCmf, amSsp, amDpsgd, dpSgd, dpFw, dpSvd];
