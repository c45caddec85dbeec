import type { SettingsOf, SettingsSchema } from '@hushrec/factorize';
import type { FoldInSettings } from '@hushrec/model';
import type { ProfileLoss } from './profile-statistics.js';

export const dpimfSchema = {
  variant: {
    type: 'choice',
    default: 'optimal',
    choices: ['strawman', 'complementary', 'symmetric', 'optimal'],
    description: 'How the loss is built and noised; optimal needs noise on the linear coefficients only.',
  },
  side: {
    type: 'choice',
    default: 'item',
    choices: ['item', 'user'],
    description: 'Whose profiles are learnt last (repaired), or are the only ones noised (as printed).',
  },
  repaired: {
    type: 'boolean',
    default: true,
    description: 'true: both sides noised, public bounds, all passes paid for. false: the text as printed.',
  },
  rank: { type: 'integer', default: 8, min: 1, max: 256, description: 'd: length of a profile.' },
  rounds: { type: 'integer', default: 2, min: 1, max: 2000, description: 'Passes; each one costs.' },
  ridge: { type: 'number', default: 0.003, min: 1e-6, max: 1e3, description: 'λ.' },
  unobservedWeight: {
    type: 'number',
    default: 0.8,
    min: 0.01,
    max: 1,
    description: 'α₀: weight of pairs without interaction; the optimal variant has 1.',
  },
  l1Bound: {
    type: 'number',
    default: 1,
    min: 1e-6,
    max: 1e6,
    description: 'C₁: profiles are clipped to this ℓ₁ norm.',
  },
  l2Bound: {
    type: 'number',
    default: 1,
    min: 1e-6,
    max: 1e6,
    description: 'C₂: profiles are clipped to this ℓ₂ norm.',
  },
  firstShare: {
    type: 'number',
    default: 0.5,
    min: 0.01,
    max: 0.99,
    description: 'Share of ε for the side that is solved first in each round (repaired).',
  },
  linearShare: {
    type: 'number',
    default: 0.1,
    min: 0.01,
    max: 0.85,
    description: 'β₁: share of a pass for the linear coefficients (complementary and symmetric).',
  },
  countShare: {
    type: 'number',
    default: 0.1,
    min: 0.001,
    max: 0.1,
    description: 'β₃: share of a pass for the numbers of positives (complementary and symmetric).',
  },
  importanceSampling: {
    type: 'boolean',
    default: false,
    description: 'Keeps a record with probability 1/w and counts it w times. Saves work, never noise.',
  },
} as const satisfies SettingsSchema;

export type DpimfSettings = SettingsOf<typeof dpimfSchema>;

export const dpimfUnproven =
  'sensitivities are maxima over the private profiles, which are recomputed from the protected data in every pass; ' +
  'the proof holds them fixed, covers one entry where a whole row is claimed, and counts one pass of many';

/** The loss that settings describe; the optimal variant weighs all pairs alike. */
export function lossOf(settings: DpimfSettings): ProfileLoss {
  return {
    variant: settings.variant,
    unobservedWeight: settings.variant === 'optimal' ? 1 : settings.unobservedWeight,
    ridge: settings.ridge,
    bounds: { l1: settings.l1Bound, l2: settings.l2Bound },
    rank: settings.rank,
    shares: { linear: settings.linearShare, counts: settings.countShare },
  };
}

/**
 * How a device fits its own profile to published item profiles: the paper's loss, whose ridge is λ times the
 * number of items.
 */
export function foldInOf(settings: DpimfSettings, itemCount: number): FoldInSettings {
  return {
    ridge: settings.ridge * itemCount,
    ridgeExponent: 0,
    unobservedWeight: lossOf(settings).unobservedWeight,
  };
}
