import { type FactorMatrix, zeroFactors } from '@hushrec/numerics';
import type { PlannedRelease, ReleasePlan } from '@hushrec/privacy';
import {
  curvatureSensitivity,
  curvatureSums,
  itemBlocks,
  type LossBounds,
  logisticBounds,
  ridgeByCount,
  slopeSensitivity,
} from '@hushrec/statistics';
import type { PeopleInput, TrainedModel } from '../../method.js';
import { planCounts, prepareContributions, weightBudget, weightScale } from '../shared/contribution-step.js';
import { roundName, roundReleases } from '../shared/round-releases.js';
import type { AmSspSettings } from './am-ssp.js';
import { makeItemUpdate, ridgeTowardsZero } from './item-update.js';
import { NoisyQuadratic } from './noisy-quadratic.js';

function lossOf(settings: AmSspSettings): {
  readonly loss: 'logistic' | 'poisson';
  readonly bounds: LossBounds;
} {
  return settings.loss === 'logistic'
    ? { loss: 'logistic', bounds: logisticBounds }
    : { loss: 'poisson', bounds: { slope: settings.slopeBound, curvature: settings.curvatureBound } };
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
export async function trainSspConvex(input: PeopleInput<AmSspSettings>): Promise<TrainedModel> {
  const { people, features, settings, recorder, random, coins, progress, signal } = input;
  const { rank, rounds, resamplings, clipNorm, gridBits } = settings;
  const { itemCount } = people;
  const { loss, bounds } = lossOf(settings);
  const { weighting, counts } = await prepareContributions(people, settings, recorder, coins, signal);
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
  for (let round = 0; round < rounds; round++) {
    signal?.throwIfAborted();
    progress?.({ stage: 'rounds', done: round, total: rounds });
    const own = {
      loss,
      likedFrom: settings.likedFrom,
      items: copyOf(items),
      ridge: settings.userRidge,
      ridgeExponent: settings.userRidgeExponent,
      clipNorm,
    }; // UserUpdate: local
    for (let expansion = 0; expansion < resamplings; expansion++) {
      const question = { weighting, own, around: copyOf(items), bounds, gridBits };
      const curvatures = recorder.begin(roundName('item-curvatures', round, settings.roundGrowth));
      const slopes = recorder.begin(roundName('item-slopes', round, settings.roundGrowth));
      for (const { part, begin, end } of itemBlocks(itemCount, rank)) {
        const sums = await people.sum(curvatureSums, { ...question, begin, end }, signal);
        const layout = { kind: 'symmetric', width: rank } as const;
        const matrices = await curvatures.add(
          part,
          sums.curvatures.statistic,
          sums.curvatures.gridStep,
          layout,
        );
        const vectors = await slopes.add(part, sums.slopes.statistic, sums.slopes.gridStep);
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

/** Item vectors as they are now: they move on while people still answer. */
function copyOf(items: FactorMatrix): FactorMatrix {
  return { ...items, data: items.data.slice() };
}
