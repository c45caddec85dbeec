import { type Csr, type FactorMatrix, sharedFloat32, zeroFactors } from '@hushrec/numerics';
import type { PlannedRelease } from '@hushrec/privacy';
import { ridgeByCount } from '@hushrec/statistics';
import type { Method, TrainingInput } from '../method.js';
import type { SettingsOf, SettingsSchema } from '../settings.js';
import { amSspSettings, encoderSettings, suggestAmSsp } from './am-ssp-settings.js';
import { contributionSettings, planCounts, prepareContributions, weightScale } from './contribution-step.js';
import { addRidgeGradient, gradientSettings, planGradients, releaseGradient } from './gradient-step.js';
import { makeEncoder, makeOptimizer } from './make-encoder.js';
import { offsetSettings, planOffset, ratingOffset } from './rating-offset.js';
import { secretUniform } from './sampled-item-sums.js';

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
  rounds: { type: 'integer', default: 50, min: 1, max: 100_000, description: 'Noised gradient steps (T).' },
  userLearningRate: {
    type: 'number',
    default: 0.5,
    min: 1e-7,
    max: 10,
    description: 'Step size of people’s own vectors; a step is an average over own ratings.',
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

type DpSgdSettings = SettingsOf<typeof schema>;

/**
 * Private stochastic gradient descent on all parameters at once (Abadi et al. 2016 at user level): the plain baseline of Krichene et
 * al. 2024. Each step moves item parameters by a noised, clipped sum of people's gradients, and every person's own vector by a gradient step
 * on own ratings. User vectors are never released, and depend on released item vectors and own ratings alone, so
 * only the item gradients are charged.
 */
export const dpSgd: Method<typeof schema> = {
  id: 'dp-sgd',
  title: 'Private stochastic gradient descent',
  paper: 'Abadi et al. 2016; baseline of Krichene et al. 2024',
  feedback: ['explicit'],
  protects: [{ unit: 'user', relation: 'add-remove' }],
  settings: schema,
  suggest: suggestAmSsp,
  plan(given, shape) {
    const settings = given as DpSgdSettings;
    const before: PlannedRelease[] = [...planCounts(settings), ...planOffset(settings, shape.scale)];
    const left = 1 - before.reduce((sum, { share }) => sum + share, 0);
    return {
      unit: 'user',
      relation: 'add-remove',
      released: 'item parameters after every step',
      releases: [...before, planGradients(settings, settings.rounds, left)],
    };
  },
  async train(input) {
    const { ratings, features, settings, recorder, random, progress, signal } =
      input as TrainingInput<DpSgdSettings>;
    const { byUser, scale, itemCount, userCount } = ratings;
    const { byPerson, counts } = await prepareContributions(byUser, settings, recorder, random);
    const offset = await ratingOffset(byUser, settings, scale, recorder);
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
    const people: People = {
      factors: zeroFactors(userCount, settings.rank),
      ...(settings.intercept && { intercept: sharedFloat32(userCount) }),
    };
    for (let round = 0; round < settings.rounds; round++) {
      signal?.throwIfAborted();
      progress?.({ stage: 'steps', done: round, total: settings.rounds });
      stepPeople(byUser, items, people, offset, settings); // u_i ← u_i − η_u ∂: local
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
    progress?.({ stage: 'steps', done: settings.rounds, total: settings.rounds });
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

interface People {
  readonly factors: FactorMatrix;
  readonly intercept?: Float32Array;
}

/**
 * One gradient step of every person's vector and intercept on own ratings, the error averaged over them. Reads item vectors (released) and the
 * person's own row. O(ratings × d).
 */
function stepPeople(
  byUser: Csr,
  items: FactorMatrix,
  people: People,
  offset: number,
  settings: DpSgdSettings,
): void {
  const { width } = items;
  const rate = settings.userLearningRate;
  const gradient = new Float64Array(width);
  for (let user = 0; user < byUser.rowCount; user++) {
    const begin = byUser.offsets[user]!;
    const count = byUser.offsets[user + 1]! - begin;
    if (count === 0) continue;
    const own = user * width;
    const { data } = people.factors;
    const pull = (settings.userRidge * count ** settings.userRidgeExponent) / count;
    for (let a = 0; a < width; a++) gradient[a] = pull * data[own + a]!;
    let total = 0;
    for (let at = begin; at < begin + count; at++) {
      const from = byUser.indices[at]! * width;
      let error = offset + (people.intercept?.[user] ?? 0) - byUser.values[at]!;
      for (let a = 0; a < width; a++) error += data[own + a]! * items.data[from + a]!;
      total += error;
      for (let a = 0; a < width; a++) gradient[a]! += (error * items.data[from + a]!) / count;
    }
    // Curvature of the average loss is about mean ‖v‖²; dividing by it makes one rate serve all scales of V.
    let curvature = pull;
    for (let at = begin; at < begin + count; at++) {
      const from = byUser.indices[at]! * width;
      for (let a = 0; a < width; a++) curvature += items.data[from + a]! ** 2 / count;
    }
    for (let a = 0; a < width; a++) data[own + a]! -= (rate * gradient[a]!) / curvature;
    if (people.intercept) {
      const current = people.intercept[user]!;
      people.intercept[user] =
        current - (rate * (total + settings.interceptRidge * current)) / (count + settings.interceptRidge);
    }
  }
}
