import type { Method } from '@hushrec/factorize';
import { cmf } from './dp-cmf/yardstick/cmf.js';
import { dpimf } from './dpimf/methods/dpimf.js';
import { dplcf } from './dpimf/methods/dplcf.js';
import { dpmf } from './dpimf/methods/dpmf.js';
import { ldpicf } from './dpimf/methods/ldpicf.js';
import { inputPerturbation } from './friedman/methods/input-perturbation.js';
import { privateAls } from './friedman/methods/private-als.js';
import { privateGlobalEffects } from './friedman/methods/private-global-effects.js';
import { privateKnn } from './friedman/methods/private-knn.js';
import { privateSgd } from './friedman/methods/private-sgd.js';
import { userLevelMethods } from './user-level.js';

export { userLevelMethods };

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

/** Every method of the five papers, and the one without privacy that only DP-CMF is measured against. */
export const methods: readonly Method[] = [...userLevelMethods, ...ratingLevelMethods, cmf];
