import type { PublicShape } from '../method.js';
import type { SettingsSchema } from '../settings.js';
import { contributionSettings } from './contribution-step.js';
import { implicitSettings } from './gramian-step.js';
import { offsetSettings } from './rating-offset.js';

/** Hyper-parameters of private alternating least squares and of what is built on it. */
export const dpalsSettings = {
  rank: { type: 'integer', default: 16, min: 1, max: 256, description: 'Length of the vectors (d).' },
  rounds: { type: 'integer', default: 3, min: 1, max: 100, description: 'Private item updates (T).' },
  userRidge: {
    type: 'number',
    default: 10,
    min: 1e-9,
    max: 1e6,
    description: 'λ of people’s own solve, times (own number of ratings)^userRidgeExponent.',
  },
  userRidgeExponent: {
    type: 'number',
    default: 0,
    min: 0,
    max: 2,
    description: 'Power of a person’s own number of ratings in the ridge.',
  },
  itemRidge: {
    type: 'number',
    default: 40,
    min: 1e-9,
    max: 1e7,
    description: 'λ of the item solve, at weights in which contributionLimit ratings count fully.',
  },
  itemRidgeExponent: {
    type: 'number',
    default: 0,
    min: 0,
    max: 2,
    description: 'Power of the released count in the item ridge.',
  },
  clipNorm: {
    type: 'number',
    default: 0.5,
    min: 1e-6,
    max: 1e6,
    description: 'Γ_u: user vectors are clipped to this norm before they are summed.',
  },
  targetBound: {
    type: 'number',
    default: 1,
    min: 1e-6,
    max: 1e6,
    description: 'Γ_y: centred ratings are clipped to ± this.',
  },
  intercept: {
    type: 'boolean',
    default: false,
    description: 'Fit a personal intercept together with the vector (local, free).',
  },
  interceptRidge: {
    type: 'number',
    default: 5,
    min: 1e-9,
    max: 1e6,
    description: 'Ridge of the personal intercept, in ratings.',
  },
  matrixShare: {
    type: 'number',
    default: 0.5,
    min: 0.001,
    max: 0.999,
    description: 'Share of a round that goes to the item matrices; the item vectors get the rest.',
  },
  roundGrowth: {
    type: 'number',
    default: 1,
    min: 0.1,
    max: 10,
    description: 'Each round gets this many times the budget (μ²) of the one before.',
  },
  matrixNoise: {
    type: 'choice',
    default: 'goe',
    choices: ['goe', 'as-printed'],
    description: 'Half the variance off the diagonal (goe, same guarantee), or the same everywhere.',
  },
  project: {
    type: 'boolean',
    default: true,
    description: 'Project noisy item matrices to positive semi-definite ones.',
  },
  orthonormalize: {
    type: 'boolean',
    default: false,
    description: 'Make item vectors’ columns orthonormal after every round, as in the analysis of the paper.',
  },
  initialization: {
    type: 'choice',
    default: 'random',
    choices: ['random', 'private-svd'],
    description: 'Start from random vectors (free) or from released principal directions.',
  },
  initialStdDev: {
    type: 'number',
    default: 0.1,
    min: 1e-6,
    max: 100,
    description: 'Standard deviation of initial item coordinates.',
  },
  svdSteps: { type: 'integer', default: 2, min: 1, max: 50, description: 'Power steps of private-svd.' },
  svdShare: {
    type: 'number',
    default: 0.2,
    min: 0.001,
    max: 0.9,
    description: 'Share of the budget for private-svd.',
  },
  gridBits: {
    type: 'integer',
    default: 15,
    min: 8,
    max: 22,
    description:
      'Grid of the sums: bounds are 2^gridBits steps. Above 15 is slower and for comparisons without noise.',
  },
  ...implicitSettings,
  ...contributionSettings,
  ...offsetSettings,
} as const satisfies SettingsSchema;

/**
 * Rules from public shape alone: implicit feedback where the scale has one value, the middle of the scale as offset,
 * more dimensions and rounds where n·μ is larger (a stand-in for signal over noise).
 */
export function suggestDpals(shape: PublicShape): Readonly<Record<string, number | string | boolean>> {
  const implicit = shape.scale.min === shape.scale.max;
  return {
    feedback: implicit ? 'implicit' : 'explicit',
    offset: implicit ? 0 : (shape.scale.min + shape.scale.max) / 2,
    ...(implicit && { unobservedWeight: 0.1, intercept: false }),
  };
}
