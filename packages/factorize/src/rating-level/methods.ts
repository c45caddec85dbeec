import type { Method } from '../method.js';
import { dpimf } from './dpimf.js';
import { dplcf } from './dplcf.js';
import { dpmf } from './dpmf.js';
import { inputPerturbation } from './input-perturbation.js';
import { ldpicf } from './ldpicf.js';
import { privateAls } from './private-als.js';
import { privateGlobalEffects } from './private-global-effects.js';
import { privateKnn } from './private-knn.js';
import { privateSgd } from './private-sgd.js';

/** Methods that protect single ratings, in the order in which they are listed to people. */
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
