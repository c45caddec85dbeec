import { muFor } from '@hushrec/privacy';
import type { Method, TrainingInput } from '../method.js';
import { planExplicit, trainExplicit } from './explicit-hush.js';
import { type HushSettings, hushSettings } from './hush-settings.js';
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
export const hush: Method<typeof hushSettings> = {
  id: 'hush',
  title: 'Hush: private empirical-Bayes matrix factorization',
  paper: 'this project, docs/hush.md',
  feedback: ['explicit', 'implicit'],
  protects: [{ unit: 'user', relation: 'add-remove' }],
  settings: hushSettings,
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
  suggest: (shape) => suggestHush(shape, shape.epsilon === Infinity ? 50 : muFor(shape.epsilon, shape.delta)),
  plan: (settings, shape) =>
    settings['feedback'] === 'implicit'
      ? planImplicit(settings as HushSettings)
      : planExplicit(settings as HushSettings, shape),
  train: (input) =>
    input.settings['feedback'] === 'implicit'
      ? trainImplicit(input as TrainingInput<HushSettings>)
      : trainExplicit(input as TrainingInput<HushSettings>),
};
