import { type Csr, type FactorMatrix, sharedFloat32, zeroFactors } from '@hushrec/numerics';
import { defineMethod } from '../../define-method.js';
import type { SettingsOf, SettingsSchema } from '../../settings.js';
import { suggestDescent } from '../am-ssp/am-ssp-settings.js';
import { encodedKinds } from '../encoder/item-encoder.js';
import { descentSearch, descentSettings, planDescent, startDescent } from './gradient-descent.js';

const schema = {
  ...descentSettings,
  rounds: { type: 'integer', default: 30, min: 1, max: 100_000, description: 'Noised gradient steps (T).' },
  userLearningRate: {
    type: 'number',
    default: 0.5,
    min: 1e-7,
    max: 10,
    description: 'Step size of people’s own vectors, in units of the inverse curvature of their own loss.',
  },
} as const satisfies SettingsSchema;

type DpSgdSettings = SettingsOf<typeof schema>;

/**
 * Private stochastic gradient descent on all parameters at once (Abadi et al. 2016 at user level): the plain baseline of Krichene et
 * al. 2024. Each step moves item parameters by a noised, clipped sum of people's gradients, and every person's own vector by a gradient step
 * on own ratings. User vectors are never released, and depend on released item vectors and own ratings alone, so
 * only item-side releases are charged.
 */
export const dpSgd = defineMethod({
  id: 'dp-sgd',
  title: 'Private stochastic gradient descent',
  paper: 'Abadi et al. 2016; baseline of Krichene et al. 2024',
  feedback: ['explicit', 'implicit'],
  protects: [{ unit: 'user', relation: 'add-remove' }],
  settings: schema,
  needs: 'ratings',
  clips: ['gradientBound'],
  learnsFrom: encodedKinds,
  search: descentSearch,
  suggest: suggestDescent,
  plan(settings, shape) {
    return planDescent(settings, shape, settings.rounds, settings.rounds);
  },
  async train(input) {
    const { ratings, settings, engine, progress, signal } = input;
    const descent = await startDescent(input);
    const { items, userStep } = descent;
    const people: People = {
      factors: zeroFactors(ratings.userCount, settings.rank),
      ...(userStep.interceptRidge !== undefined && { intercept: sharedFloat32(ratings.userCount) }),
    };
    for (let round = 0; round < settings.rounds; round++) {
      signal?.throwIfAborted();
      progress?.({ stage: 'steps', done: round, total: settings.rounds });
      const gramian = settings.unobservedWeight > 0 ? await engine.gramian(items) : undefined;
      stepPeople(userStep.byUser, items, people, userStep.offset, settings, gramian); // u_i ← u_i − η_u ∂: local
      await descent.refreshGramian(people);
      await descent.step(people); // θ ← θ − η ĝ
    }
    progress?.({ stage: 'steps', done: settings.rounds, total: settings.rounds });
    return descent.model();
  },
});

interface People {
  readonly factors: FactorMatrix;
  readonly intercept?: Float32Array;
}

/**
 * One gradient step of every person's vector and intercept on own ratings (and, with implicit feedback, on all items through the item Gramian),
 * divided by the trace of the curvature so that one rate serves all scales of V. Reads item vectors (released) and the
 * person's own row. O(ratings × d + people × d²).
 */
function stepPeople(
  byUser: Csr,
  items: FactorMatrix,
  people: People,
  offset: number,
  settings: DpSgdSettings,
  gramian?: Float64Array,
): void {
  const { width } = items;
  const rate = settings.userLearningRate;
  const implicit = settings.feedback === 'implicit';
  const { data } = people.factors;
  const gradient = new Float64Array(width);
  let unobserved = 0;
  if (gramian)
    for (let a = 0; a < width; a++) unobserved += settings.unobservedWeight * gramian[a * width + a]!;
  for (let user = 0; user < byUser.rowCount; user++) {
    const begin = byUser.offsets[user]!;
    const end = byUser.offsets[user + 1]!;
    if (begin === end) continue;
    const own = user * width;
    const ridge = settings.userRidge * (end - begin) ** settings.userRidgeExponent;
    let curvature = ridge + unobserved;
    for (let a = 0; a < width; a++) {
      gradient[a] = ridge * data[own + a]!;
      if (gramian) {
        for (let b = 0; b < width; b++) {
          gradient[a]! += settings.unobservedWeight * gramian[a * width + b]! * data[own + b]!;
        }
      }
    }
    let total = 0;
    for (let at = begin; at < end; at++) {
      const from = byUser.indices[at]! * width;
      let error = offset + (people.intercept?.[user] ?? 0) - (implicit ? 1 : byUser.values[at]!);
      for (let a = 0; a < width; a++) error += data[own + a]! * items.data[from + a]!;
      total += error;
      for (let a = 0; a < width; a++) {
        gradient[a]! += error * items.data[from + a]!;
        curvature += items.data[from + a]! ** 2;
      }
    }
    for (let a = 0; a < width; a++) data[own + a]! -= (rate * gradient[a]!) / curvature;
    if (people.intercept) {
      const current = people.intercept[user]!;
      people.intercept[user] =
        current -
        (rate * (total + settings.interceptRidge * current)) / (end - begin + settings.interceptRidge);
    }
  }
}
