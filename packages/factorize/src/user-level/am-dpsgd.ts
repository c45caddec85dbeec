import { zeroFactors } from '@hushrec/numerics';
import type { PlannedRelease } from '@hushrec/privacy';
import { ridgeByCount } from '@hushrec/statistics';
import type { Method, TrainingInput } from '../method.js';
import type { SettingsOf, SettingsSchema } from '../settings.js';
import type { Side } from '../shared/solve-side.js';
import { amSspSettings, encoderSettings, suggestAmSsp } from './am-ssp-settings.js';
import { contributionSettings, planCounts, prepareContributions, weightScale } from './contribution-step.js';
import { addRidgeGradient, gradientSettings, planGradients, releaseGradient } from './gradient-step.js';
import { makeEncoder, makeOptimizer } from './make-encoder.js';
import { offsetSettings, planOffset, ratingOffset } from './rating-offset.js';
import { secretUniform } from './sampled-item-sums.js';
import { solveUsers, type UserStep } from './user-step.js';

const {
  rank,
  userRidge,
  userRidgeExponent,
  itemRidge,
  itemRidgeExponent,
  intercept,
  interceptRidge,
  initialStdDev,
} = amSspSettings;

const schema = {
  rank,
  rounds: {
    type: 'integer',
    default: 10,
    min: 1,
    max: 10_000,
    description: 'Outer rounds: people solve, then items step.',
  },
  stepsPerRound: {
    type: 'integer',
    default: 4,
    min: 1,
    max: 100_000,
    description: 'Noised gradient steps per round.',
  },
  userRidge,
  userRidgeExponent,
  itemRidge: { ...itemRidge, default: 1 },
  itemRidgeExponent,
  intercept,
  interceptRidge,
  initialStdDev,
  ...encoderSettings,
  ...gradientSettings,
  ...contributionSettings,
  ...offsetSettings,
} as const satisfies SettingsSchema;

type AmDpsgdSettings = SettingsOf<typeof schema>;

/**
 * Alternating minimization with noised gradients, Krichene et al. 2024, Algorithm 6: people solve their own vectors exactly, item parameters
 * move by DP-SGD. What AM-SSP is compared with.
 *
 * Unit: user, add or remove. Corrections: clipping per person, Poisson sampling with secret coins, and the cost of all rounds.
 */
export const amDpsgd: Method<typeof schema> = {
  id: 'am-dpsgd',
  title: 'Alternating minimization with private gradients',
  paper: 'Krichene et al. 2024, Algorithm 6 (corrected)',
  feedback: ['explicit'],
  protects: [{ unit: 'user', relation: 'add-remove' }],
  settings: schema,
  suggest: suggestAmSsp,
  plan(given, shape) {
    const settings = given as AmDpsgdSettings;
    const before: PlannedRelease[] = [...planCounts(settings), ...planOffset(settings, shape.scale)];
    const left = 1 - before.reduce((sum, { share }) => sum + share, 0);
    return {
      unit: 'user',
      relation: 'add-remove',
      released: 'item parameters after every step',
      releases: [...before, planGradients(settings, settings.rounds * settings.stepsPerRound, left)],
      ...(settings.clipped === 'example' && {
        claimedByPaper: {
          claim: 'clipping each example bounds a person by √β times the clip',
          why: 'a person’s examples share the encoder’s parameters, so their gradients can add up; the noise here is for their sum',
        },
      }),
    };
  },
  async train(input) {
    const { ratings, features, settings, engine, recorder, random, progress, signal } =
      input as TrainingInput<AmDpsgdSettings>;
    const { byUser, scale, itemCount } = ratings;
    const { rounds, stepsPerRound } = settings;
    const { byPerson, counts } = await prepareContributions(byUser, settings, recorder, random);
    const offset = await ratingOffset(byUser, settings, scale, recorder);
    const step: UserStep = {
      engine,
      byUser,
      feedback: 'explicit',
      offset,
      ridge: settings.userRidge,
      ridgeExponent: settings.userRidgeExponent,
      ...(settings.intercept && { interceptRidge: settings.interceptRidge }),
      unobservedWeight: 0,
    };
    const encoder = makeEncoder(features, itemCount, settings, random);
    const optimizer = makeOptimizer(settings, encoder.parameters.length);
    const ridge = ridgeByCount(
      counts ?? new Float64Array(itemCount),
      settings.itemRidge * weightScale(settings),
      settings.itemRidgeExponent,
    );
    const coin = recorder.simulation ? random : secretUniform();
    const items = zeroFactors(itemCount, settings.rank);
    encoder.encode(items);
    let people: Side | undefined;
    for (let round = 0; round < rounds; round++) {
      people = await solveUsers(step, items, people); // UserUpdate: local, exact
      for (let inner = 0; inner < stepsPerRound; inner++) {
        signal?.throwIfAborted();
        progress?.({ stage: 'steps', done: round * stepsPerRound + inner, total: rounds * stepsPerRound });
        const noisy = await releaseGradient({
          recorder,
          settings,
          contributions: byPerson,
          encoder,
          items,
          people,
          offset,
          coin,
        });
        const gradient = Float32Array.from(noisy);
        addRidgeGradient(gradient, encoder, items, ridge);
        optimizer.step(encoder.parameters, gradient); // θ ← θ − η (ĝ + λ ∂‖V‖²/2)
        encoder.encode(items);
      }
    }
    progress?.({ stage: 'steps', done: rounds * stepsPerRound, total: rounds * stepsPerRound });
    return {
      model: {
        kind: 'factors',
        feedback: 'explicit',
        dimensions: settings.rank,
        itemFactors: items.data,
        offset,
        foldIn: {
          ridge: settings.userRidge,
          ridgeExponent: settings.userRidgeExponent,
          ...(settings.intercept && { interceptRidge: settings.interceptRidge }),
          unobservedWeight: 0,
        },
        ...(counts && { popularity: Float32Array.from(counts) }),
      },
    };
  },
};
