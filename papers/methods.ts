import type { Method } from '@hushrec/factorize';
import { amSsp } from './am-ssp/methods/am-ssp.js';
import { amDpsgd } from './am-ssp/methods/gradient/am-dpsgd.js';
import { dpSgd } from './am-ssp/methods/gradient/dp-sgd.js';
import { dpCmf } from './dp-cmf/methods/dp-cmf.js';
import { dpals } from './dpals/methods/dpals.js';
import { dpFw } from './dpals/methods/spectral/dp-fw.js';
import { dpSvd } from './dpals/methods/spectral/dp-svd.js';
import { dpimf } from './dpimf/methods/dpimf.js';
import { dplcf } from './dpimf/methods/dplcf.js';
import { dpmf } from './dpimf/methods/dpmf.js';
import { ldpicf } from './dpimf/methods/ldpicf.js';
import { inputPerturbation } from './friedman/methods/input-perturbation.js';
import { privateAls } from './friedman/methods/private-als.js';
import { privateGlobalEffects } from './friedman/methods/private-global-effects.js';
import { privateKnn } from './friedman/methods/private-knn.js';
import { privateSgd } from './friedman/methods/private-sgd.js';

/** Methods that protect everything one person rated, in the order in which they are listed. */
export const userLevelMethods: readonly Method[] = [dpals, dpCmf, amSsp, amDpsgd, dpSgd, dpFw, dpSvd];

/** Methods that protect single ratings, in the order in which they are listed. */
export const ratingLevelMethods: readonly Method[] = [
  privateGlobalEffects,
  inputPerturbation,
  privateSgd,
  privateAls,
  privateKnn,
  dpmf,
  dpimf,
  dplcf,
  ldpicf,
];

/** Every method of the five papers. */
export const methods: readonly Method[] = [...userLevelMethods, ...ratingLevelMethods];
