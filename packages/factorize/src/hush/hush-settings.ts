import type { SettingsOf, SettingsSchema } from '../settings.js';

/** Hyper-parameters of `hush`. None of the defaults was chosen on data that a user of the method would protect. */
export const hushSettings = {
  feedback: {
    type: 'choice',
    default: 'explicit',
    choices: ['explicit', 'implicit'],
    description: 'Predict ratings, or what people choose (all values count as 1).',
  },
  rank: {
    type: 'integer',
    default: 8,
    min: 1,
    max: 128,
    description: 'Length of the vectors (d).',
  },
  rounds: { type: 'integer', default: 5, min: 1, max: 50, description: 'Private item updates (T).' },
  roundGrowth: {
    type: 'number',
    default: 1.5,
    min: 0.1,
    max: 10,
    description: 'Each round gets this many times the budget (μ²) of the one before.',
  },
  weightExponent: {
    type: 'number',
    default: 0.25,
    min: 0,
    max: 1,
    description: 'People spend their weight on items in proportion to (released count)^−exponent.',
  },
  populationShare: {
    type: 'number',
    default: 0.002,
    min: 1e-6,
    max: 0.5,
    description: 'Share of the budget for the number of people.',
  },
  countShare: {
    type: 'number',
    default: 0.05,
    min: 1e-6,
    max: 0.9,
    description: 'Share for the item counts behind the weights.',
  },
  effectShare: {
    type: 'number',
    default: 0.2,
    min: 1e-6,
    max: 0.9,
    description: 'Share for item effects (their weights and sums).',
  },
  varianceShare: {
    type: 'number',
    default: 0.004,
    min: 1e-6,
    max: 0.5,
    description: 'Share for the residual variance.',
  },
  momentShare: {
    type: 'number',
    default: 0.05,
    min: 0.001,
    max: 0.9,
    description: 'Share of a round for the shared second moment.',
  },
  effectBound: {
    type: 'number',
    default: 0.4,
    min: 0.01,
    max: 2,
    description:
      'Norm to which a person’s part in the item effects is scaled, in half-widths of the rating scale.',
  },
  vectorBound: {
    type: 'number',
    default: 0.4,
    min: 0.01,
    max: 10,
    description:
      'Norm to which a person’s part in the item vectors is scaled, in half-widths of the rating scale.',
  },
  momentBound: {
    type: 'number',
    default: 40,
    min: 0.1,
    max: 1e4,
    description: 'Norm to which a person’s part in the shared second moment is scaled.',
  },
  interceptRidge: {
    type: 'number',
    default: 20,
    min: 0.01,
    max: 1e4,
    description: 'Ridge of the personal intercept while vectors are learned, in ratings.',
  },
  foldInInterceptRidge: {
    type: 'number',
    default: 3,
    min: 0.01,
    max: 1e4,
    description: 'Ridge of the personal intercept when the finished model is used, in ratings.',
  },
  features: {
    type: 'boolean',
    default: true,
    description: 'Shrink items towards what their public features say, where there are any.',
  },
  varianceFactor: {
    type: 'number',
    default: 0.8,
    min: 0.1,
    max: 2,
    description: 'Residual variance with vectors over that without them.',
  },
  initialStdDev: {
    type: 'number',
    default: 0.3,
    min: 1e-3,
    max: 10,
    description: 'Standard deviation of the random first item vectors, in half-widths of the scale over 2.',
  },
  itemEffects: {
    type: 'boolean',
    default: true,
    description: 'Release item effects before vectors. Off: for comparison.',
  },
  clipping: {
    type: 'choice',
    default: 'person',
    choices: ['person', 'separate'],
    description: 'Scale a person’s whole contribution, or clip tastes and residuals apart (for comparison).',
  },
  residualBound: {
    type: 'number',
    default: 0.4,
    min: 0.01,
    max: 2,
    description:
      'Clip of a residual with separate clipping, in half-widths; tastes get the rest of vectorBound.',
  },
  itemShrinkage: {
    type: 'choice',
    default: 'bayes',
    choices: ['bayes', 'ridge'],
    description: 'Shrink items by what is known about the noise, or by a fixed ridge (for comparison).',
  },
  itemRidge: {
    type: 'number',
    default: 5,
    min: 1e-6,
    max: 1e6,
    description: 'The fixed ridge of the comparison.',
  },
  moment: {
    type: 'choice',
    default: 'shared',
    choices: ['shared', 'per-item'],
    description: 'One second moment for all items, or one each with a fixed ridge (for comparison).',
  },
  matrixBound: {
    type: 'number',
    default: 3,
    min: 1e-3,
    max: 1e4,
    description: 'Norm to which a person’s part in all items’ own second moments is scaled (for comparison).',
  },
  posteriorSpread: {
    type: 'boolean',
    default: true,
    description: 'Count how unsure people’s tastes are in the second moment. Off: for comparison.',
  },
  earlierRounds: {
    type: 'boolean',
    default: true,
    description:
      'Explicit: let a round use what earlier ones measured, by inverse variance. Off: for comparison.',
  },
  faintWeight: {
    type: 'number',
    default: 0.2,
    min: 0.001,
    max: 1,
    description:
      'Implicit: weight of items whose released count is within two standard deviations of nothing. 1: all alike, for comparison.',
  },
  chosenMean: {
    type: 'boolean',
    default: true,
    description:
      'Implicit: count that those who chose an item have a mean taste of their own. Off: for comparison.',
  },
  choiceShare: {
    type: 'number',
    default: 0.1,
    min: 1e-6,
    max: 0.9,
    description: 'Implicit: share for the item counts.',
  },
  choiceBound: {
    type: 'number',
    default: 0.4,
    min: 0.01,
    max: 100,
    description:
      'Implicit: norm to which a person’s part in the item vectors is scaled; tastes have norm 1 or so.',
  },
  choiceMomentBound: {
    type: 'number',
    default: 0.1,
    min: 1e-4,
    max: 100,
    description: 'Implicit: norm to which a person’s part in the shared second moment is scaled.',
  },
  unobservedRatio: {
    type: 'number',
    default: 3.5,
    min: 0.001,
    max: 1e4,
    description:
      'Implicit: weight of what was not chosen (α₀) over the share of people who choose a typical choice, where items can be told from noise; more where they cannot.',
  },
  userRidge: {
    type: 'number',
    default: 10,
    min: 1e-6,
    max: 1e6,
    description: 'Implicit: ridge of a person’s own vector (λ).',
  },
} as const satisfies SettingsSchema;

export type HushSettings = SettingsOf<typeof hushSettings>;
