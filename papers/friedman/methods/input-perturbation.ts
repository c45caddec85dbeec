import type { SettingsOf, SettingsSchema } from '@hushrec/factorize';
import { defineMethod, idleBy } from '@hushrec/factorize';
import { csrFromTriples, transpose } from '@hushrec/numerics';
import { type ReleaseRecorder, sensitive } from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';
import { letInterruptionsIn } from '../../shared/let-interruptions-in.js';
import { clampedResiduals, releaseAverages } from './averages.js';
import { planAverages } from './averages-budget.js';
import { printedAveragesClaim } from './claims.js';
import { gaussianRows } from './factor-rows.js';
import { factorSchema, factorShare, learningRate } from './factor-settings.js';
import { clip, gridStep, presenceOrValue, protectionOf } from './protected-rating.js';
import { factorModelOf } from './published-averages.js';
import { RowEquations } from './ridge-rows.js';
import { descentRound, randomOrder, type VisitedRatings } from './stochastic-descent.js';
import { SurvivorList } from './survivor-list.js';

const schema = {
  ...factorSchema,
  learningRate,
  rounds: {
    type: 'integer',
    default: 20,
    min: 1,
    max: 1000,
    description: 'Passes over the noisy ratings; free.',
  },
  solver: {
    type: 'choice',
    default: 'sgd',
    choices: ['sgd', 'als'],
    description: 'How the noisy ratings are factorized: by gradient steps, or by alternating least squares.',
  },
  threshold: {
    type: 'number',
    default: 0.6,
    min: 0,
    max: 100,
    description: 'α: noisy cells with |value| ≤ α are dropped (presence only); any value is free.',
  },
} as const satisfies SettingsSchema;

type Settings = SettingsOf<typeof schema>;

/**
 * Matrix factorization on noisy ratings: Friedman, Berkovsky, Kaafar 2016, Algorithm 3 ("ISGD").
 *
 * Value: every observed residual e ∈ [−B, B] is released once as e + Lap(2B/ε), then clamped; a changed
 * rating changes its own residual by at most 2B. Presence: every cell of the matrix, 0 where there is no
 * rating, is released as e + Lap(B/ε); cells with |·| ≤ α become 0 and the rest is clamped (eq. 8); an added
 * rating moves its own cell by at most B. Cells that were empty and survive are drawn directly instead of
 * filling the matrix, with the same law: P(|Lap(b)| > α) = e^(−α/b), and beyond α the excess is again
 * exponential.
 *
 * Everything after that is post-processing: any number of rounds is free. Pure ε, both factors public.
 */
export const inputPerturbation = defineMethod({
  id: 'input-perturbation',
  title: 'Matrix factorization on noisy ratings',
  paper: 'Friedman, Berkovsky, Kaafar 2016, Algorithm 3',
  ...presenceOrValue,
  settings: schema,
  idle: ({ unit, solver }) =>
    idleBy(
      [unit === 'rating-value', 'unit=rating-presence', 'repaired', 'threshold'],
      [solver === 'als', 'solver=sgd', 'learningRate'],
    ),
  plan(settings, shape) {
    return {
      ...protectionOf(settings.unit),
      released: 'item and user averages, item and user vectors',
      releases: [
        ...planAverages(settings, shape.scale),
        {
          name: 'noisy-ratings',
          mechanism: { kind: 'laplace' },
          sensitivity: (settings.unit === 'rating-value' ? 2 : 1) * settings.residualBound,
          count: 1,
          share: factorShare(settings),
        },
      ],
      ...printedAveragesClaim(settings, shape),
    };
  },
  async train({ ratings, settings, recorder, random, progress, signal }) {
    const averages = await releaseAverages(settings, ratings, recorder);
    const residuals = clampedResiduals(ratings, averages, settings.residualBound);
    const noisy =
      settings.unit === 'rating-value'
        ? await noisyObserved(ratings, residuals, settings, recorder)
        : await noisyMatrix(ratings, residuals, settings, recorder, signal);
    const pass = settings.solver === 'als' ? alternating(noisy, ratings) : descending(noisy, random);
    const users = gaussianRows(ratings.userCount, settings.rank, settings.initialStdDev, random);
    const items = gaussianRows(ratings.itemCount, settings.rank, settings.initialStdDev, random);
    for (let round = 0; round < settings.rounds; round++) {
      await letInterruptionsIn(signal);
      pass(users, items, settings);
      progress?.({ stage: 'rounds', done: round + 1, total: settings.rounds });
    }
    return {
      model: factorModelOf(averages, users, items, settings),
    };
  },
});

/** One pass of step 3 of Algorithm 3. */
type Pass = (users: Float64Array, items: Float64Array, settings: Settings) => void;

/** By gradient steps in one random order, as the paper does. */
function descending(noisy: VisitedRatings, random: () => number): Pass {
  const visited = inOrder(noisy, randomOrder(noisy.values.length, random));
  return (users, items, { rank, learningRate: rate, ridge }) =>
    descentRound(visited, users, items, {
      width: rank,
      learningRate: rate,
      ridge,
      errorBound: Number.POSITIVE_INFINITY,
      update: 'simultaneous',
    });
}

/** By least squares, users then items, with the ridge λ per rating of the printed loss. */
function alternating({ users, items, values }: VisitedRatings, { userCount, itemCount }: RatingMatrix): Pass {
  const byUser = csrFromTriples(userCount, itemCount, users, items, values);
  const byItem = transpose(byUser);
  return (ofUsers, ofItems, { rank, ridge }) => {
    const equations = new RowEquations(rank);
    equations.solveAll(byUser, ofItems, ridge, ofUsers);
    equations.solveAll(byItem, ofUsers, ridge, ofItems);
  };
}

/** Step 1 and 2 of Algorithm 3 on observed ratings. */
async function noisyObserved(
  { byUser }: RatingMatrix,
  residuals: Float64Array,
  { residualBound }: Settings,
  recorder: ReleaseRecorder,
): Promise<VisitedRatings> {
  const release = recorder.begin('noisy-ratings');
  const noisy = await release.add(0, sensitive(residuals, 'l1', 2 * residualBound), gridStep);
  release.close();
  const users = new Uint32Array(noisy.length);
  for (let i = 0; i < byUser.rowCount; i++) users.fill(i, byUser.offsets[i], byUser.offsets[i + 1]);
  return {
    users,
    items: byUser.indices,
    values: Float32Array.from(noisy, (value) => clip(value, residualBound)),
  };
}

/** The complete noisy matrix after thresholding, row by row. O(ratings + survivors). */
async function noisyMatrix(
  { byUser, itemCount }: RatingMatrix,
  residuals: Float64Array,
  { residualBound, threshold }: Settings,
  recorder: ReleaseRecorder,
  signal: AbortSignal | undefined,
): Promise<VisitedRatings> {
  const release = recorder.begin('noisy-ratings');
  const survivors = new SurvivorList();
  for (let i = 0; i < byUser.rowCount; i++) {
    if (i % 256 === 0) await letInterruptionsIn(signal);
    const begin = byUser.offsets[i];
    const end = byUser.offsets[i + 1];
    const cells = { columns: byUser.indices.subarray(begin, end), values: residuals.subarray(begin, end) };
    survivors.append(
      i,
      await release.thresholdedLaplace(i, sensitive(cells, 'l1', residualBound), {
        gridStep,
        columnCount: itemCount,
        threshold,
        clampTo: residualBound,
      }),
    );
  }
  release.close();
  return survivors.visited();
}

function inOrder({ users, items, values }: VisitedRatings, order: Uint32Array): VisitedRatings {
  const visited = {
    users: new Uint32Array(order.length),
    items: new Uint32Array(order.length),
    values: new Float32Array(order.length),
  };
  for (let at = 0; at < order.length; at++) {
    visited.users[at] = users[order[at]];
    visited.items[at] = items[order[at]];
    visited.values[at] = values[order[at]];
  }
  return visited;
}
