import type { IdleRule, IdleSettings, PublicShape, SettingsOf, SettingsSchema } from '@hushrec/factorize';
import { idleBy, within } from '@hushrec/factorize';
import { muFor } from '@hushrec/privacy';
import { contributionSettings, idleContributions, sumUnitSettings } from '../../shared/contribution-step.js';
import { idleImplicit, implicitSettings } from '../../shared/gramian-step.js';
import { idleOffset, offsetSettings } from '../../shared/rating-offset.js';
import { idleIntercept } from '../../shared/user-step.js';

/** Hyper-parameters of alternating between people's own vectors and noised sums of items. */
export const alternatingSettings = {
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
  initialStdDev: {
    type: 'number',
    default: 0.1,
    min: 1e-6,
    max: 100,
    description: 'Standard deviation of initial item coordinates.',
  },
  initialMean: {
    type: 'number',
    default: 0,
    min: 0,
    max: 100,
    description:
      'Explicit: mean of the first of them, in that standard deviation: a direction in which all items begin alike.',
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
  ...sumUnitSettings,
  ...contributionSettings,
  ...offsetSettings,
} as const satisfies SettingsSchema;

/** Hyper-parameters of private alternating least squares and of what is built on it. */
export const dpalsSettings = {
  ...alternatingSettings,
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
    choices: ['random', 'private-svd', 'analyze-gauss'],
    description:
      'Start from random vectors (free), or from principal directions released by noisy power steps or from a noised covariance.',
  },
  svdSteps: { type: 'integer', default: 2, min: 1, max: 50, description: 'Power steps of private-svd.' },
  svdShare: {
    type: 'number',
    default: 0.2,
    min: 0.001,
    max: 0.9,
    description: 'Share of the budget for the first directions.',
  },
  ownShare: {
    type: 'number',
    default: 1,
    min: 0.01,
    max: 1,
    description:
      'Share of their own ratings that people fit their vectors to in a round, drawn anew each time; the paper prints 1/rounds and uses 1.',
  },
} as const satisfies SettingsSchema;

type AlternatingSettings = SettingsOf<typeof alternatingSettings>;

/** Which settings count in methods that alternate between people and noised item sums. */
export function idleAlternating(
  settings: AlternatingSettings,
  { epsilon }: PublicShape,
): readonly IdleRule<keyof AlternatingSettings>[] {
  const implicit = settings.feedback === 'implicit';
  return [
    ...idleIntercept(settings.intercept, implicit),
    [implicit, 'feedback=explicit', 'initialMean'],
    ...idleOffset(settings, implicit),
    ...idleImplicit(settings),
    ...idleContributions(settings),
    [
      settings.contribution === 'adaptive' &&
        settings.counts === 'weighted' &&
        settings.relativeTo === 'noise' &&
        settings.unobservedWeight === 0 &&
        Number.isFinite(epsilon),
      'contribution=uniform or tail, counts=sampled or relativeTo=ratings',
      'contributionLimit',
    ],
  ];
}

/** The same for `dpals` and what is built on it. */
export function idleDpals(
  settings: SettingsOf<typeof dpalsSettings>,
  shape: PublicShape,
): IdleSettings<keyof typeof dpalsSettings> {
  const { initialization } = settings;
  return idleBy<keyof typeof dpalsSettings>(
    // The covariance that a start is found in has ratings as its unit.
    ...idleAlternating(settings, shape).filter(
      ([, , key]) => initialization !== 'analyze-gauss' || key !== 'contributionLimit',
    ),
    [initialization !== 'private-svd', 'initialization=private-svd', 'svdSteps'],
    [initialization === 'random', 'initialization=private-svd or analyze-gauss', 'svdShare'],
    [initialization !== 'random', 'initialization=random', 'initialMean'],
  );
}

type Suggestion = Readonly<Partial<SettingsOf<typeof alternatingSettings>>>;

/**
 * Starting points by signal over noise, S = declared people × μ(ε, δ), found by validation on MovieLens 1M at
 * its own size and at the noise of a population of 69,878 (ε from 1 to 20 each): more directions, rounds and
 * wider clips as noise falls. Bounds are for ratings whose scale has half range 2 and are multiplied to
 * others.
 */
const tiers = [
  { below: 4e3, rank: 2, rounds: 4, clipNorm: 0.34, targetBound: 1, userRidge: 1.5, ridgeFactor: 2 },
  { below: 1.2e4, rank: 6, rounds: 4, clipNorm: 0.34, targetBound: 0.75, userRidge: 1.5, ridgeFactor: 1.5 },
  { below: 4e4, rank: 8, rounds: 4, clipNorm: 0.34, targetBound: 0.75, userRidge: 1.5, ridgeFactor: 1 },
  { below: 1.5e5, rank: 12, rounds: 6, clipNorm: 0.5, targetBound: 1, userRidge: 4, ridgeFactor: 1 },
  { below: 1e6, rank: 12, rounds: 8, clipNorm: 0.8, targetBound: 1.6, userRidge: 5, ridgeFactor: 1 },
  { below: Infinity, rank: 32, rounds: 10, clipNorm: 0.8, targetBound: 1.6, userRidge: 5, ridgeFactor: 1 },
] as const;

/** Population that settings are meant for when none is declared. */
const usualPeople = 10_000;

/** S = people × μ(ε, δ); Infinity without privacy. */
export function signalOverNoise({ epsilon, delta, declaredPeople = usualPeople }: PublicShape): number {
  return epsilon === Infinity || delta === 0 ? Infinity : declaredPeople * muFor(epsilon, delta);
}

/** Rules from public shape alone; see `tiers`. Implicit feedback where the scale has one value. */
export function suggestDpals(shape: PublicShape): Suggestion {
  const { min, max } = shape.scale;
  const signal = signalOverNoise(shape);
  const tier = tiers.find(({ below }) => signal < below) ?? tiers.at(-1)!;
  if (min === max) return implicitRules(signal);
  const spread = (max - min) / 4;
  const noisy = Number.isFinite(signal);
  return {
    feedback: 'explicit',
    // People give stars above the middle of the scale; other numbers have no such habit.
    offset: (min + max) / 2 + (shape.scale.step > 0 ? spread / 2 : 0),
    rank: tier.rank,
    rounds: tier.rounds,
    clipNorm: tier.clipNorm * spread,
    targetBound: tier.targetBound * spread,
    userRidge: tier.userRidge,
    relativeTo: noisy ? 'noise' : 'ratings',
    itemRidge: (noisy ? (signal / 3000) * tier.ridgeFactor : 5) * spread ** 2,
    itemRidgeExponent: 0.3,
    weightExponent: 0.4,
    matrixShare: 0.06,
    initialStdDev: 0.5,
    // Where noise drowns almost everything, how items are rated in general is what can be found (see
    // `startAlike`).
    initialMean: tier === tiers[0] ? 2 : 0,
    intercept: true,
    interceptRidge: 12,
    countShare: 0.03,
    roundGrowth: 2,
  };
}

/** Starting points for choices without ratings, found the same way (Recall@20 of held-out people). */
const implicitTiers = [
  { below: 4e3, rank: 4, clipNorm: 0.07, userRidge: 3, unobservedWeight: 0.1 },
  { below: 1.2e4, rank: 8, clipNorm: 0.12, userRidge: 2, unobservedWeight: 0.15 },
  { below: 1e6, rank: 16, clipNorm: 0.2, userRidge: 1, unobservedWeight: 0.2 },
  { below: Infinity, rank: 64, clipNorm: 0.2, userRidge: 1, unobservedWeight: 0.2 },
] as const;

function implicitRules(signal: number): Suggestion {
  const { below: _, ...tier } = implicitTiers.find(({ below }) => signal < below) ?? implicitTiers.at(-1)!;
  const noisy = Number.isFinite(signal);
  return {
    feedback: 'implicit',
    offset: 0,
    intercept: false,
    ...tier,
    rounds: 4,
    roundGrowth: 1.5,
    targetBound: 1,
    relativeTo: noisy ? 'noise' : 'ratings',
    itemRidge: noisy ? signal / 4800 : 20,
    weightExponent: 0.3,
    initialStdDev: 0.1,
    matrixShare: 0.15,
    countShare: 0.03,
  };
}

/** What tuning looks at in methods that alternate between people and noised item sums. */
export const alternatingSearch = {
  rank: within(2.5),
  rounds: within(1.8),
  userRidge: within(4),
  itemRidge: within(6),
  clipNorm: within(3),
  targetBound: within(1.8),
  matrixShare: within(3),
  weightExponent: within(1.6),
  interceptRidge: within(3),
  roundGrowth: within(1.6),
  unobservedWeight: within(4),
} as const;
