import { type FactorMatrix, sharedFloat32, zeroFactors } from '@hushrec/numerics';
import type { PlannedRelease, ReleasePlan } from '@hushrec/privacy';
import {
  type ClippedRows,
  type ConvexLoss,
  clipRows,
  curvatureSensitivity,
  curvatureSums,
  itemBlocks,
  type LossBounds,
  ridgeByCount,
  slopeSensitivity,
} from '@hushrec/statistics';
import type { TrainedModel, TrainingInput } from '../../method.js';
import { rowRidges } from '../../shared/solve-side.js';
import { planCounts, prepareContributions, weightBudget, weightScale } from '../shared/contribution-step.js';
import { roundName, roundReleases } from '../shared/round-releases.js';
import type { AmSspSettings } from './am-ssp.js';
import { logisticBounds, logisticLoss, poissonLoss } from './convex-loss.js';
import { makeItemUpdate, ridgeTowardsZero } from './item-update.js';
import { NoisyQuadratic } from './noisy-quadratic.js';

const userNewtonSteps = 4;

function lossOf(settings: AmSspSettings): { readonly loss: ConvexLoss; readonly bounds: LossBounds } {
  return settings.loss === 'logistic'
    ? { loss: logisticLoss, bounds: logisticBounds }
    : { loss: poissonLoss, bounds: { slope: settings.slopeBound, curvature: settings.curvatureBound } };
}

/** rounds × resamplings releases of curvature and slope sums. */
export function planSspConvex(settings: AmSspSettings): ReleasePlan {
  const { rounds, resamplings, roundGrowth, clipNorm, matrixShare } = settings;
  const { bounds } = lossOf(settings);
  const budget = weightBudget(settings);
  const before: PlannedRelease[] = [...planCounts(settings)];
  const left = 1 - before.reduce((sum, { share }) => sum + share, 0);
  const line = (name: string, share: number, sensitivity: number) =>
    roundReleases(name, rounds, roundGrowth, left * share, sensitivity, resamplings);
  return {
    unit: 'user',
    relation: 'add-remove',
    released: 'item vectors of every round',
    releases: [
      ...before,
      ...line('item-curvatures', matrixShare, curvatureSensitivity(budget, clipNorm, bounds)),
      ...line('item-slopes', 1 - matrixShare, slopeSensitivity(budget, clipNorm, bounds)),
    ],
  };
}

/**
 * Sufficient-statistics perturbation for losses that are convex in the score, Krichene et al. 2024, Algorithm 7: around the present item vectors v⁰
 * the loss is replaced by its second-order expansion, whose sums H_j and g_j are noised; then
 *
 *   Σ_j g̃_jᵀ(v_j − v⁰_j) + ½ (v_j − v⁰_j)ᵀ(Π₊(H̃_j) + κI)(v_j − v⁰_j) + ½ λ_j‖v_j‖²
 *
 * is minimized over the encoder's parameters for free. κ keeps steps where the expansion holds (an addition to the paper, as
 * is the projection). `resamplings` is how many expansions a round has; each is charged.
 */
export async function trainSspConvex(input: TrainingInput<AmSspSettings>): Promise<TrainedModel> {
  const { ratings, features, settings, engine, recorder, random, coins, progress, signal } = input;
  const { rank, rounds, resamplings } = settings;
  const { byUser, itemCount } = ratings;
  const { loss, bounds } = lossOf(settings);
  const grid = { vectorBits: settings.gridBits, targetBits: settings.gridBits };
  const { contributions, counts } = await prepareContributions(byUser, settings, recorder, coins);
  const labelsOfItems = labels(contributions.byItem.values, settings);
  const labelsOfPeople = labels(byUser.values, settings);
  const items = zeroFactors(itemCount, rank);
  const scale = weightScale(settings);
  const unit = settings.itemRidge * scale;
  const ridge = ridgeByCount(counts ?? new Float64Array(itemCount), unit, settings.itemRidgeExponent);
  const encoder = makeItemUpdate(features, items, settings, { item: ridge, unit }, random);
  const trust = settings.trustRegion * scale;
  const quadratic = new NoisyQuadratic(
    itemCount,
    rank,
    ridgeTowardsZero(settings, ridge).map((value) => value + trust),
  );
  const people = zeroFactors(ratings.userCount, rank);
  for (let round = 0; round < rounds; round++) {
    signal?.throwIfAborted();
    progress?.({ stage: 'rounds', done: round, total: rounds });
    const own = await solveConvexPeople(input, items, labelsOfPeople, loss, people); // UserUpdate: local
    for (let expansion = 0; expansion < resamplings; expansion++) {
      const sumsOf = await curvatureSums(
        { engine, contributions, users: own, grid },
        items,
        labelsOfItems,
        loss,
        bounds,
      );
      const curvatures = recorder.begin(roundName('item-curvatures', round, settings.roundGrowth));
      const slopes = recorder.begin(roundName('item-slopes', round, settings.roundGrowth));
      for (const { part, begin, end } of itemBlocks(itemCount, rank)) {
        const sums = await sumsOf(begin, end);
        const layout = { kind: 'symmetric', width: rank } as const;
        const matrices = await curvatures.add(part, sums.matrices.statistic, sums.matrices.gridStep, layout);
        const vectors = await slopes.add(part, sums.vectors.statistic, sums.vectors.gridStep);
        quadratic.setExpansion({ begin, end, matrices, vectors }, items, trust);
      }
      curvatures.close();
      slopes.close();
      const steps = Math.ceil(settings.innerSteps / resamplings);
      encoder.update(quadratic, items, steps);
    }
  }
  progress?.({ stage: 'rounds', done: rounds, total: rounds });
  return {
    model: {
      kind: 'factors',
      feedback: 'implicit',
      rank,
      itemFactors: items.data,
      offset: 0,
      foldIn: {
        ridge: settings.userRidge,
        ridgeExponent: settings.userRidgeExponent,
        unobservedWeight: settings.unobservedWeight,
      },
      ...(counts && { popularity: Float32Array.from(counts) }),
    },
  };
}

/** 0/1 for the logistic loss (liked or not); for counts the value, kept within 0 … 1e4 (0 where it is no number). */
function labels(values: Float32Array, settings: AmSspSettings): Float32Array {
  const out = sharedFloat32(values.length);
  for (let at = 0; at < out.length; at++) {
    const value = values[at]!;
    out[at] =
      settings.loss === 'logistic'
        ? Number(value >= settings.likedFrom)
        : Number.isNaN(value)
          ? 0
          : Math.min(1e4, Math.max(0, value));
  }
  return out;
}

/**
 * Everyone's own vector by Newton's method on own labels: u ← (Σ a v vᵀ + λI)⁻¹ Σ (a·z − g) v with z = u·v, a few times, then clipped. Reads
 * released item vectors and own data. O(steps × ratings × d²).
 */
async function solveConvexPeople(
  { engine, ratings, settings }: TrainingInput<AmSspSettings>,
  items: FactorMatrix,
  own: Float32Array,
  loss: ConvexLoss,
  people: FactorMatrix,
): Promise<ClippedRows> {
  const { byUser } = ratings;
  const weights = sharedFloat32(own.length);
  const targets = sharedFloat32(own.length);
  people.data.fill(0);
  for (let step = 0; step < userNewtonSteps; step++) {
    const scores = await engine.predictPairs(people, items, byUser);
    for (let at = 0; at < own.length; at++) {
      const score = Math.max(-8, Math.min(8, scores[at]!));
      const curvature = Math.max(loss.curvature(score, own[at]!), 1e-3);
      weights[at] = curvature;
      targets[at] = score - loss.slope(score, own[at]!) / curvature;
    }
    const ridge = rowRidges(byUser, settings.userRidge, settings.userRidgeExponent);
    await engine.solveRows({ rows: byUser, fixed: items, out: people, ridge, weights, targets });
  }
  return clipRows(people, settings.clipNorm);
}
