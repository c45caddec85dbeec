import type { PublicShape, SettingsOf, SettingsSchema } from '@hushrec/factorize';
import { type IdleRule, type IdleSettings, idleBy } from '@hushrec/factorize';
import { alternatingSettings, idleAlternating, suggestDpals } from '../../dpals/methods/dpals-settings.js';

/** Settings of an item encoder and its optimizer. */
export const encoderSettings = {
  encoder: {
    type: 'choice',
    default: 'bag',
    choices: ['bag', 'linear'],
    description: 'Embedding bags and a dense layer (bag), or one vector per token (linear).',
  },
  itemIds: {
    type: 'boolean',
    default: true,
    description: 'Give every item a token of its own besides its features.',
  },
  embedding: {
    type: 'integer',
    default: 16,
    min: 1,
    max: 512,
    description: 'Length of token embeddings (bag).',
  },
  optimizer: { type: 'choice', default: 'adam', choices: ['adam', 'sgd'], description: 'How θ is moved.' },
  learningRate: { type: 'number', default: 0.01, min: 1e-7, max: 1e3, description: 'Step size η.' },
  decay: { type: 'number', default: 0, min: 0, max: 100, description: 'Decoupled weight decay of θ (adam).' },
} as const satisfies SettingsSchema;

/** Hyper-parameters of alternating minimization with sufficient-statistics perturbation. */
export const amSspSettings = {
  ...alternatingSettings,
  ...encoderSettings,
  optimizer: {
    type: 'choice',
    default: 'adam',
    choices: ['adam', 'sgd', 'exact'],
    description: 'How θ is moved; exact solves for the linear encoder by conjugate gradients.',
  },
  featurePull: {
    type: 'number',
    default: 0.6,
    min: 0.001,
    max: 1,
    description: 'Share of the item ridge that pulls towards what features say, the rest towards 0 (exact).',
  },
  tokenRidge: {
    type: 'number',
    default: 5,
    min: 1e-6,
    max: 1e6,
    description: 'Ridge of token vectors, as a multiple of itemRidge (exact).',
  },
  innerSteps: {
    type: 'integer',
    default: 200,
    min: 1,
    max: 100_000,
    description: 'Optimizer steps per round (free: they look at released sums only).',
  },
  resamplings: {
    type: 'integer',
    default: 1,
    min: 1,
    max: 10_000,
    description:
      'How often a round draws fresh noise for its sums. 1 is SSP-c; innerSteps is SSP-i; each draw gets its share of the budget.',
  },
  batchItems: {
    type: 'integer',
    default: 0,
    min: 0,
    max: 10_000_000,
    description: 'Items per optimizer step, drawn at random (mini-batch SSP-c); 0 takes all.',
  },
  samplingRate: {
    type: 'number',
    default: 1,
    min: 0.0001,
    max: 1,
    description:
      'Chance that a person (or example) takes part in a noise draw (mini-batch SSP-i); 1 is everyone.',
  },
  sampled: {
    type: 'choice',
    default: 'people',
    choices: ['people', 'examples'],
    description: 'What samplingRate draws, independently.',
  },
  loss: {
    type: 'choice',
    default: 'squared',
    choices: ['squared', 'logistic', 'poisson'],
    description:
      'Squared error, or a convex loss by its second-order expansion (SSP-convex): liked or not, or counts.',
  },
  likedFrom: {
    type: 'number',
    default: 4,
    min: -1e6,
    max: 1e6,
    description: 'Ratings from here on count as liked (logistic loss).',
  },
  slopeBound: {
    type: 'number',
    default: 5,
    min: 1e-6,
    max: 1e6,
    description: 'Bound on the slope of the loss (poisson; the logistic loss has 1).',
  },
  curvatureBound: {
    type: 'number',
    default: 5,
    min: 1e-6,
    max: 1e6,
    description: 'Bound on the curvature of the loss (poisson; the logistic loss has 1/4).',
  },
  trustRegion: {
    type: 'number',
    default: 1,
    min: 0,
    max: 1e6,
    description: 'κ: pull towards the vectors that a convex loss was expanded at.',
  },
  projectRadius: {
    type: 'boolean',
    default: false,
    description:
      'Keep ‖v_j‖ ≤ targetBound/clipNorm by projecting θ after each step (linear encoder, Theorem 3).',
  },
  peopleFeatures: {
    type: 'numbers-by-name',
    default: '',
    min: 0.001,
    max: 1000,
    description:
      'Features of people, declared before anyone is asked, each with its weight (woman:1,student:1). A person’s vector is expected around an encoding of her own; they stay with her, and her ratings and features are protected together.',
  },
  featureShare: {
    type: 'number',
    default: 0.1,
    min: 0.001,
    max: 0.9,
    description: 'Share of the budget for the sums that the encoding of people is learned from.',
  },
  featureRidge: {
    type: 'number',
    default: 2,
    min: 1e-6,
    max: 1e6,
    description:
      'Ridge of that encoding, in people: times 1 + the noise of their sums over clipNorm, so that it grows with the noise.',
  },
  unit: {
    type: 'choice',
    default: 'user',
    choices: ['user', 'rating'],
    description:
      'Whom the noise is scaled for. `rating` reproduces the paper’s example-level scale; nothing is proved for it when people’s vectors are fitted on the same ratings.',
  },
} as const satisfies SettingsSchema;

/** Which settings of an encoder count. */
export function idleEncoder(settings: {
  readonly encoder: string;
  readonly optimizer: string;
}): readonly IdleRule<keyof typeof encoderSettings>[] {
  return [
    [settings.encoder !== 'bag', 'encoder=bag', 'embedding'],
    [settings.optimizer === 'exact', 'optimizer=adam or sgd', 'learningRate'],
    [settings.optimizer !== 'adam', 'optimizer=adam', 'decay'],
  ];
}

/** Which settings count under which loss, unit and optimizer. */
export function idleAmSsp(
  settings: SettingsOf<typeof amSspSettings>,
  shape: PublicShape,
): IdleSettings<keyof typeof amSspSettings> {
  const { loss, unit, optimizer, itemIds } = settings;
  const isExact = optimizer === 'exact';
  return idleBy<keyof typeof amSspSettings>(
    [
      loss !== 'squared',
      'loss=squared',
      'targetBound',
      'intercept',
      'interceptRidge',
      'matrixNoise',
      'unobservedWeight',
      'gramianShare',
      'centring',
      'offset',
      'meanShare',
      'samplingRate',
      'sampled',
      'projectRadius',
      'unit',
    ],
    // On choices a loss is refused as such.
    [loss !== 'squared' && shape.scale.min < shape.scale.max, 'loss=squared', 'feedback'],
    [settings.peopleFeatures === '', 'peopleFeatures', 'featureShare', 'featureRidge'],
    [loss !== 'logistic', 'loss=logistic', 'likedFrom'],
    [loss !== 'poisson', 'loss=poisson', 'slopeBound', 'curvatureBound'],
    [loss === 'squared', 'loss=logistic or poisson', 'trustRegion'],
    [
      unit === 'rating',
      'unit=user',
      'contribution',
      'contributionLimit',
      'weightExponent',
      'itemFraction',
      'counts',
      'countShare',
      'itemRidgeExponent',
      'roundGrowth',
      'relativeTo',
      'centring',
      'meanShare',
      'gramianShare',
    ],
    [settings.samplingRate < 1, 'samplingRate=1', 'matrixNoise', 'roundGrowth', 'relativeTo'],
    [settings.samplingRate === 1, 'samplingRate below 1', 'sampled'],
    [!isExact, 'optimizer=exact', 'featurePull', 'tokenRidge'],
    [isExact && !itemIds, 'itemIds=true', 'featurePull'],
    ...idleEncoder(settings),
    // A convex loss and sampled sums have ratings as their unit, whatever relativeTo says.
    ...idleAlternating(settings, shape).filter(
      ([, , key]) => (loss === 'squared' && settings.samplingRate === 1) || key !== 'contributionLimit',
    ),
  );
}

const exactFit = {
  encoder: 'linear',
  optimizer: 'exact',
  innerSteps: 60,
  learningRate: 0.01,
  decay: 1,
} as const;

/**
 * As `dpals`, with the pull of item vectors split between 0 and what their features say (found by validation
 * as there).
 */
export function suggestAmSsp(shape: PublicShape, given: Readonly<Record<string, unknown>>) {
  const { loss } = given;
  if (loss === 'logistic' || loss === 'poisson') return { ...suggestConvex(shape), ...exactFit };
  const suggestion = suggestDpals(shape);
  return {
    ...suggestion,
    ...exactFit,
    ...(given.encoder === 'bag' && { optimizer: 'adam' as const }), // two layers have no exact solution
    // Likes say more about an item beside its features than ratings do.
    ...(suggestion.feedback === 'implicit' && { featurePull: 0.3, tokenRidge: 10 }),
  };
}

/**
 * For a convex loss: what `dpals` has for ratings from 1 to 5 and the loss uses (scores have their own unit,
 * whatever the scale of ratings). Looked at on MovieLens 100K and planted data: wider clips or smaller item
 * ridges drown in noise.
 */
function suggestConvex(shape: PublicShape) {
  const { min, max, step } = shape.scale;
  const upperQuarter = 0.75 * (max - min);
  const {
    feedback: _feedback,
    offset: _offset,
    targetBound: _targetBound,
    intercept: _intercept,
    interceptRidge: _interceptRidge,
    ...others
  } = suggestDpals({ ...shape, scale: { min: 1, max: 5, step: 1 } });
  return {
    ...others,
    likedFrom: min + (step > 0 ? Math.ceil(upperQuarter / step) * step : upperQuarter),
  };
}

/**
 * For methods that move by noised gradients: what does not concern item sums, and steps that validation on
 * MovieLens 1M preferred.
 */
export function suggestDescent(shape: PublicShape) {
  const { feedback = 'explicit', offset = 0, rank = 8, clipNorm = 0.5 } = suggestDpals(shape);
  const implicit = feedback === 'implicit';
  const spread = implicit ? 1 : (shape.scale.max - shape.scale.min) / 4;
  return {
    feedback,
    offset,
    rank: Math.max(rank, 8),
    clipNorm,
    userRidge: 2,
    intercept: !implicit,
    interceptRidge: 12,
    ...(implicit && { unobservedWeight: 0.2 }),
    encoder: 'linear' as const,
    samplingRate: 1,
    gradientBound: spread,
    learningRate: 0.03,
    itemRidge: 5,
  };
}
