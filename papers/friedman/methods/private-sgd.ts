import type { SettingsOf, SettingsSchema } from '@hushrec/factorize';
import { defineMethod, idleBy } from '@hushrec/factorize';
import { type PlannedRelease, type ReleaseRecorder, sensitive } from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';
import { letInterruptionsIn } from '../../shared/let-interruptions-in.js';
import { clampedResiduals, middleOfScale, releaseAverages } from './averages.js';
import { planAverages } from './averages-budget.js';
import { claim, printedAverages } from './claims.js';
import { termStep } from './exact-products.js';
import { gaussianRows, projectRows } from './factor-rows.js';
import { boundedVectorSchema, factorSchema, factorShare, learningRate } from './factor-settings.js';
import { clip, gridStep, presenceOrValue, protectionOf } from './protected-rating.js';
import { factorModelOf } from './published-averages.js';
import { descentRound, errorOf, randomOrder, type VisitedRatings } from './stochastic-descent.js';
import { gridFor, releaseRows } from './vector-release.js';

const schema = {
  ...factorSchema,
  ...boundedVectorSchema,
  learningRate,
  preprocessing: {
    type: 'boolean',
    default: true,
    description:
      'false: no averages; ratings are centred on the middle of the scale and get all of ε (ablation).',
  },
  errorBound: {
    type: 'number',
    default: 2,
    min: 0.01,
    max: 100,
    description: 'e_max (value only): noisy errors are clipped to ± this. Presence uses B + p_max·q_max.',
  },
} as const satisfies SettingsSchema;

export type PrivateSgdSettings = SettingsOf<typeof schema>;

/**
 * Gradient descent with noise: Friedman, Berkovsky, Kaafar 2016, Algorithms 4 and 5 ("PSGD").
 *
 * Value (Algorithm 4): each of the k rounds reads every residual through Lap(2kB/ε); adding the noise to r
 * before subtracting u·v is the same as adding it to the error. A changed rating is read k times: pure ε.
 * (The transcript is a function of k noisy copies of each rating, which tell less than the one copy of
 * Algorithm 3.)
 *
 * Presence, repaired: with U, V frozen, g_i = Σ_j clip(e − u_i·v_j, ±e_max)v_j and h_j = Σ_i clip(·)u_i;
 *   u_i ← Π_{p_max}((1 − γλ)u_i + γg_i + K-norm noise),  v_j ← Π_{q_max}((1 − γλ)v_j + γh_j + K-norm noise).
 * Given the previous release an added rating moves γg_i by at most γe_max·q_max and γh_j by at most
 * γe_max·p_max, and nothing else: ε/2k + ε/2k a round.
 *
 * Presence, as printed (Algorithm 5, with the two-sided clip its prose describes): a sequential pass whose
 * noise covers one update of u_i and v_j. The changed vectors are read by the later ratings of that user and
 * item, whose vectors change too, and norms are bounded only after the pass: no guarantee.
 */
export const privateSgd = defineMethod({
  id: 'private-sgd',
  title: 'Gradient descent with noise',
  paper: 'Friedman, Berkovsky, Kaafar 2016, Algorithms 4 and 5',
  ...presenceOrValue,
  settings: schema,
  idle: ({ unit, preprocessing }) =>
    idleBy(
      [unit !== 'rating-value', 'unit=rating-value', 'errorBound'],
      [
        !preprocessing,
        'preprocessing=true',
        'globalShare',
        'itemShare',
        'userShare',
        'itemShrinkage',
        'userBound',
      ],
    ),
  plan(settings, shape) {
    return {
      ...protectionOf(settings.unit),
      released: 'item and user averages, item and user vectors of every round',
      releases: [
        ...(settings.preprocessing ? planAverages(settings, shape.scale) : []),
        ...planDescent(settings),
      ],
      ...(settings.repaired || settings.unit === 'rating-value'
        ? {}
        : claim(shape, propagation, printedAverages(shape))),
    };
  },
  async train({ ratings, settings, recorder, random, progress, signal }) {
    const { rank: width, rounds, userNorm, itemNorm } = settings;
    const averages = settings.preprocessing
      ? await releaseAverages(settings, ratings, recorder)
      : middleOfScale(ratings);
    const residuals = clampedResiduals(ratings, averages, settings.residualBound);
    const users = gaussianRows(ratings.userCount, width, settings.initialStdDev, random);
    const items = gaussianRows(ratings.itemCount, width, settings.initialStdDev, random);
    projectRows(users, width, userNorm);
    projectRows(items, width, itemNorm);
    const order =
      settings.unit === 'rating-presence' && settings.repaired
        ? fileOrder(residuals.length)
        : randomOrder(residuals.length, random);
    const visited = visitInOrder(ratings, residuals, order);
    for (let round = 0; round < rounds; round++) {
      await letInterruptionsIn(signal);
      if (settings.unit === 'rating-value') {
        const release = recorder.begin('noisy-ratings');
        const statistic = sensitive(residuals, 'l1', 2 * settings.residualBound);
        const noisy = await release.add(0, statistic, gridStep);
        release.close();
        for (let at = 0; at < order.length; at++) visited.values[at] = noisy[order[at]];
        descentRound(visited, users, items, descentOf(settings));
      } else if (settings.repaired) {
        const { userSteps, itemSteps } = batchSteps(visited, users, items, settings);
        await releaseSides(recorder, userSteps, itemSteps, settings);
        const keep = 1 - settings.learningRate * settings.ridge;
        for (let at = 0; at < users.length; at++) users[at] = keep * users[at] + userSteps[at];
        for (let at = 0; at < items.length; at++) items[at] = keep * items[at] + itemSteps[at];
      } else {
        descentRound(visited, users, items, descentOf(settings));
        await releaseSides(recorder, users, items, settings);
      }
      projectRows(users, width, userNorm);
      projectRows(items, width, itemNorm);
      progress?.({ stage: 'rounds', done: round + 1, total: rounds });
    }
    return {
      model: factorModelOf(averages, users, items, settings),
    };
  },
});

const propagation =
  'the printed noise covers one update, while in a sequential pass the changed vectors are read by every later rating of that user and item';

/** e_max of the presence variants: |e| ≤ B and |u·v| ≤ p_max·q_max. */
function presenceErrorBound({ residualBound, userNorm, itemNorm }: PrivateSgdSettings): number {
  return residualBound + userNorm * itemNorm;
}

/** How far one rating moves the step of its user and of its item. */
export function stepSensitivities(settings: PrivateSgdSettings): {
  readonly user: number;
  readonly item: number;
} {
  const { learningRate, ridge, userNorm, itemNorm, repaired } = settings;
  const error = presenceErrorBound(settings);
  const decay = repaired ? 0 : ridge;
  return {
    user: learningRate * (error * itemNorm + decay * userNorm),
    item: learningRate * (error * userNorm + decay * itemNorm),
  };
}

function planDescent(settings: PrivateSgdSettings): PlannedRelease[] {
  const { rounds, rank, unit, residualBound, repaired } = settings;
  const share = settings.preprocessing ? factorShare(settings) : 1;
  if (unit === 'rating-value') {
    const mechanism = { kind: 'laplace' } as const;
    return [{ name: 'noisy-ratings', mechanism, sensitivity: 2 * residualBound, count: rounds, share }];
  }
  const { user, item } = stepSensitivities(settings);
  const line = (name: string, sensitivity: number): PlannedRelease => ({
    name,
    mechanism: { kind: 'k-norm', dimension: rank },
    sensitivity: gridFor(sensitivity, rank).declared,
    count: rounds,
    share: share / 2,
    ...(repaired ? {} : { proved: { nothingBecause: propagation } }),
  });
  return [line('user-vectors', user), line('item-vectors', item)];
}

async function releaseSides(
  recorder: ReleaseRecorder,
  users: Float64Array,
  items: Float64Array,
  settings: PrivateSgdSettings,
): Promise<void> {
  const sensitivities = stepSensitivities(settings);
  const userRelease = recorder.begin('user-vectors');
  await releaseRows(userRelease, users, settings.rank, sensitivities.user);
  userRelease.close();
  const itemRelease = recorder.begin('item-vectors');
  await releaseRows(itemRelease, items, settings.rank, sensitivities.item);
  itemRelease.close();
}

/**
 * γg_i and γh_j for frozen factors, exactly: every term is cut towards zero, which does not make it longer,
 * to a step on which as many as a row can have add up without rounding. O(ratings · d).
 */
export function batchSteps(
  { users, items, values }: VisitedRatings,
  userRows: Float64Array,
  itemRows: Float64Array,
  settings: PrivateSgdSettings,
): { readonly userSteps: Float64Array; readonly itemSteps: Float64Array } {
  const { rank: width, learningRate } = settings;
  const bound = presenceErrorBound(settings);
  const { user, item } = stepSensitivities(settings);
  const userStep = termStep(user, itemRows.length / width);
  const itemStep = termStep(item, userRows.length / width);
  const userSteps = new Float64Array(userRows.length);
  const itemSteps = new Float64Array(itemRows.length);
  for (let at = 0; at < values.length; at++) {
    const u = users[at] * width;
    const v = items[at] * width;
    const step = learningRate * clip(errorOf(values[at], userRows, u, itemRows, v, width), bound);
    for (let c = 0; c < width; c++) {
      userSteps[u + c] += Math.trunc((step * itemRows[v + c]) / userStep) * userStep;
      itemSteps[v + c] += Math.trunc((step * userRows[u + c]) / itemStep) * itemStep;
    }
  }
  return { userSteps, itemSteps };
}

export function descentOf(settings: PrivateSgdSettings) {
  return {
    width: settings.rank,
    learningRate: settings.learningRate,
    ridge: settings.ridge,
    errorBound: settings.unit === 'rating-value' ? settings.errorBound : presenceErrorBound(settings),
    update: settings.repaired ? 'simultaneous' : 'item-first',
  } as const;
}

/**
 * Sums over frozen factors do not need a random order, and in a fixed one a rating leaves other rows' sums
 * alone to the last bit.
 */
function fileOrder(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, at) => at);
}

function visitInOrder({ byUser }: RatingMatrix, residuals: Float64Array, order: Uint32Array): VisitedRatings {
  const rowOf = new Uint32Array(residuals.length);
  for (let i = 0; i < byUser.rowCount; i++) rowOf.fill(i, byUser.offsets[i], byUser.offsets[i + 1]);
  return {
    users: Uint32Array.from(order, (at) => rowOf[at]),
    items: Uint32Array.from(order, (at) => byUser.indices[at]),
    values: Float32Array.from(order, (at) => residuals[at] * gridStep),
  };
}
