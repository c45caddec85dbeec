import type { Method } from '../method.js';
import { als } from './als.js';
import { bayesAls } from './bayes-als.js';
import { ease } from './ease.js';
import { globalAverage } from './global-average.js';
import { globalEffects } from './global-effects.js';
import { ials } from './ials.js';
import { itemAverage } from './item-average.js';
import { knn } from './knn.js';
import { popularity } from './popularity.js';
import { sgd } from './sgd.js';

/** Methods without privacy: what every private one is measured against. */
export const publicMethods: readonly Method[] = [
  als,
  bayesAls,
  ials,
  ease,
  sgd,
  knn,
  popularity,
  globalAverage,
  itemAverage,
  globalEffects,
];
