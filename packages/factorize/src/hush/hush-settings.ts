import type { SettingsOf, SettingsSchema } from '../settings.js';

/**
 * Hyper-parameters of `hush`; 0 stands for what the method finds itself, from released figures, where a
 * description says so. Defaults were fitted on public data sets (`fittedOn` names them).
 */
export const hushSettings = {
  feedback: {
    type: 'choice',
    default: 'explicit',
    choices: ['explicit', 'implicit'],
    description:
      'Predict ratings, or what people choose; where these have ratings, they count by their grade, 0 to 1 on the declared scale.',
  },
  vectors: {
    type: 'boolean',
    default: true,
    description: 'Learn item vectors where they pay. Off: item effects alone, or popularity alone.',
  },
  rank: {
    type: 'integer',
    default: 0,
    min: 0,
    max: 128,
    description: 'Length of the vectors (d). 0: as many directions as released figures can carry.',
  },
  rounds: {
    type: 'integer',
    default: 0,
    min: 0,
    max: 50,
    description: 'Private item updates (T). 0: by the rank.',
  },
  numbers: {
    type: 'integer',
    default: 0,
    min: 0,
    max: 1e12,
    description:
      'Most numbers one person may have to send in the whole run (federated); rank and rounds stay below it. 0: no limit.',
  },
  weightExponent: {
    type: 'number',
    default: 0.25,
    min: 0,
    max: 1,
    description: 'Explicit: people spend their weight on items in proportion to (released count)^−exponent.',
  },
  effectShare: {
    type: 'number',
    default: 0,
    min: 0,
    max: 0.9,
    description:
      'Explicit: share of the budget for item effects (their weights and sums). 0: by released counts.',
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
      'Explicit: norm to which a person’s part in the item effects is scaled, in half-widths of the rating scale.',
  },
  vectorBound: {
    type: 'number',
    default: 0.4,
    min: 0.01,
    max: 10,
    description:
      'Explicit: norm to which a person’s part in the item vectors is scaled, in half-widths of the rating scale.',
  },
  momentBound: {
    type: 'number',
    default: 40,
    min: 0.1,
    max: 1e4,
    description: 'Explicit: norm to which a person’s part in the shared second moment is scaled.',
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
    default: 0.005,
    min: 1e-6,
    max: 1e6,
    description:
      'Implicit: ridge of a person’s own vector (λ) while vectors are learned, in units in which tastes have variance 1 in every direction; in use 1.4·√n times as much for someone with n choices, and more with many directions where histories are long.',
  },
} as const satisfies SettingsSchema;

export type HushSettings = SettingsOf<typeof hushSettings>;
