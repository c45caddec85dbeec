import { initialStdDev, type SettingsOf, type SettingsSchema } from '@hushrec/factorize';

const featureWeight = (of: string) =>
  ({
    type: 'number',
    default: 0.1,
    min: 0,
    max: 1e6,
    description: `α: weight of ${of} against ratings.`,
  }) as const;

/** Hyper-parameters of collective factorization; the weights α are by kind of source. */
export const cmfSettings = {
  rank: { type: 'integer', default: 32, min: 1, max: 512, description: 'Length of the vectors.' },
  rounds: { type: 'integer', default: 15, min: 1, max: 1000, description: 'Sweeps.' },
  feedback: {
    type: 'choice',
    default: 'explicit',
    choices: ['explicit', 'implicit'],
    description: 'Predict ratings, or rank items that were rated at all.',
  },
  userRidge: {
    type: 'number',
    default: 0.45,
    min: 1e-9,
    max: 1e6,
    description: 'λ of people’s vectors.',
  },
  itemRidge: {
    type: 'number',
    default: 0.45,
    min: 1e-9,
    max: 1e6,
    description: 'λ of item vectors.',
  },
  ridgeExponent: {
    type: 'number',
    default: 0.7,
    min: 0,
    max: 2,
    description: 'Power of the own number of ratings in both ridges.',
  },
  intercept: { type: 'boolean', default: true, description: 'Fit a personal intercept (explicit feedback).' },
  interceptRidge: { type: 'number', default: 5, min: 0, max: 1e6, description: 'Its ridge, in ratings.' },
  unobservedWeight: {
    type: 'number',
    default: 0.1,
    min: 0,
    max: 100,
    description: 'α₀: weight of every pair towards 0 (implicit feedback).',
  },
  tokenWeight: featureWeight('categorical features'),
  similarityWeight: featureWeight('item similarities'),
  publicRatingsWeight: featureWeight('ratings of public people'),
  featureRidge: {
    type: 'number',
    default: 1,
    min: 1e-9,
    max: 1e6,
    description: 'λ′ of the features’ vectors; their ridge is λ′/α.',
  },
  featureUnobservedWeight: {
    type: 'number',
    default: 0.1,
    min: 0,
    max: 100,
    description: 'α₀′: weight of every (feature, item) pair towards 0.',
  },
  initialStdDev,
} as const satisfies SettingsSchema;

export type CmfSettings = SettingsOf<typeof cmfSettings>;
