import type { Method } from '../method.js';
import { amDpsgd } from './am-dpsgd.js';
import { amSsp } from './am-ssp.js';
import { dpCmf } from './dp-cmf.js';
import { dpFw } from './dp-fw.js';
import { dpSgd } from './dp-sgd.js';
import { dpSvd } from './dp-svd.js';
import { dpals } from './dpals.js';

/** Methods that protect everything one person rated, in the order in which they are listed to people. */
export const userLevelMethods: readonly Method[] = [dpals, dpCmf, amSsp, amDpsgd, dpSgd, dpFw, dpSvd];
