import { initialStdDev, SettingsError, type SettingsSchema } from '@hushrec/factorize';
import { averagesSchema } from './averages-budget.js';

/**
 * Settings of the private factorizations of Friedman et al. 2016, with their values for MovieLens 1M as
 * defaults.
 */
export const factorSchema = {
  ...averagesSchema,
  rank: { type: 'integer', default: 5, min: 1, max: 256, description: 'd: length of a factor vector.' },
  ridge: {
    type: 'number',
    default: 0.045,
    min: 1e-6,
    max: 100,
    description: 'λ: ridge per rating.',
  },
  residualBound: {
    type: 'number',
    default: 1,
    min: 0.01,
    max: 100,
    description: 'B: what the averages leave of a rating is clamped to ± this.',
  },
  initialStdDev,
} as const satisfies SettingsSchema;

/** Norm bounds and rounds of the methods that noise vectors. */
export const boundedVectorSchema = {
  rounds: {
    type: 'integer',
    default: 5,
    min: 1,
    max: 1000,
    description: 'k: passes over the ratings; each one costs.',
  },
  userNorm: { type: 'number', default: 0.4, min: 1e-3, max: 1e3, description: 'p_max: largest user vector.' },
  itemNorm: { type: 'number', default: 0.5, min: 1e-3, max: 1e3, description: 'q_max: largest item vector.' },
} as const satisfies SettingsSchema;

/** Of the methods that descend along gradients. */
export const learningRate = {
  type: 'number',
  default: 0.01,
  min: 1e-6,
  max: 1,
  description: 'γ of the gradient steps.',
} as const satisfies SettingsSchema[string];

/** What the averages leave of the budget for the factors. */
export function factorShare(settings: {
  readonly globalShare: number;
  readonly itemShare: number;
  readonly userShare: number;
}): number {
  const share = 1 - settings.globalShare - settings.itemShare - settings.userShare;
  if (share < 1e-6) {
    throw new SettingsError(
      'itemShare',
      'globalShare, itemShare and userShare leave nothing for the factors; expected a sum below 1.',
    );
  }
  return share;
}
