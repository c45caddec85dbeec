import { muFor } from '@hushrec/privacy';
import { defineMethod } from '../define-method.js';
import { within } from '../search-space.js';
import { planExplicit, trainExplicit } from './explicit-hush.js';
import { hushSettings } from './hush-settings.js';
import { planImplicit, trainImplicit } from './implicit-hush.js';
import { suggestHush } from './suggest-hush.js';

/**
 * The default method: private probabilistic matrix factorization in which everything that can be local is local, one
 * second moment is shared by all items, every person's whole part in a release is scaled to one norm, and all
 * shrinkage follows from the known noise.
 *
 * Unit: user, add or remove. Released: item effects and vectors; everybody's intercept and taste stay local.
 * Claim and proof, release by release: docs/hush-proof.md.
 */
export const hush = defineMethod({
  id: 'hush',
  title: 'Hush: private empirical-Bayes matrix factorization',
  paper: 'this project, docs/hush.md',
  feedback: ['explicit', 'implicit'],
  protects: [{ unit: 'user', relation: 'add-remove' }],
  settings: hushSettings,
  needs: 'people',
  clips: [
    'effectBound',
    'vectorBound',
    'residualBound',
    'momentBound',
    'matrixBound',
    'choiceBound',
    'choiceMomentBound',
  ],
  learnsFrom: ['categorical'],
  search: {
    rank: within(2),
    rounds: within(1.6),
    roundGrowth: within(1.4),
    weightExponent: within(1.7),
    effectShare: within(1.7),
    effectBound: within(2),
    vectorBound: within(2),
    momentBound: within(3),
    interceptRidge: within(2),
    varianceFactor: within(1.25),
    choiceBound: within(2.5),
    choiceMomentBound: within(3),
    unobservedRatio: within(4),
    userRidge: within(4),
    foldInInterceptRidge: within(2),
    faintWeight: within(4),
  },
  suggest: (shape) => suggestHush(shape, shape.epsilon === Infinity ? 50 : muFor(shape.epsilon, shape.delta)),
  plan: (settings, shape) =>
    settings['feedback'] === 'implicit' ? planImplicit(settings) : planExplicit(settings, shape),
  train: (input) => (input.settings['feedback'] === 'implicit' ? trainImplicit(input) : trainExplicit(input)),
});
