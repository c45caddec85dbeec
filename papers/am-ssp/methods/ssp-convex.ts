import type { PeopleInput, PublicShape, TrainedModel } from '@hushrec/factorize';
import { eachRound, roundName, roundReleases, SettingsError } from '@hushrec/factorize';
import type { ModelLoss } from '@hushrec/model';
import { type FactorMatrix, zeroFactors } from '@hushrec/numerics';
import type { PlannedRelease, ReleasePlan } from '@hushrec/privacy';
import { ridgeByCount } from '@hushrec/statistics';
import { startAlike } from '../../shared/common-start.js';
import {
  planCounts,
  prepareContributions,
  sumScale,
  weightBudget,
  weightScale,
} from '../../shared/contribution-step.js';
import { itemBlocks } from '../../shared/statistics/item-sum-bounds.js';
import {
  curvatureSensitivity,
  curvatureSums,
  type LossBounds,
  logisticBounds,
  slopeSensitivity,
} from '../statistics/curvatures.js';
import type { AmSspSettings } from './am-ssp.js';
import { makeItemUpdate, ridgeTowardsZero } from './item-update.js';
import { NoisyQuadratic } from './noisy-quadratic.js';

function lossOf(settings: AmSspSettings): { readonly loss: ModelLoss; readonly bounds: LossBounds } {
  return settings.loss === 'logistic'
    ? { loss: { kind: 'logistic', likedFrom: settings.likedFrom }, bounds: logisticBounds }
    : {
        loss: { kind: 'poisson' },
        bounds: { slope: settings.slopeBound, curvature: settings.curvatureBound },
      };
}

/** Refuses ratings that a loss can learn nothing from, by their declared scale. */
function checkLabels({ loss, likedFrom }: AmSspSettings, { scale: { min, max } }: PublicShape): void {
  if (min === max)
    throw new SettingsError(
      'loss',
      `loss=${loss} needs ratings that differ, and choices are all alike: nobody says no, so that liking everything fits them best. Use loss=squared, which counts what was not chosen (unobservedWeight).`,
    );
  if (loss === 'logistic' && !(likedFrom > min && likedFrom <= max))
    throw new SettingsError(
      'likedFrom',
      `likedFrom is ${likedFrom}, and ratings go from ${min} to ${max}: ${likedFrom > max ? 'none' : 'all'} would count as liked. Set it above ${min} and to at most ${max}.`,
    );
  if (loss === 'poisson' && min < 0)
    throw new SettingsError('loss', `loss=poisson needs counts, and ratings go from ${min} to ${max}.`);
}

/** rounds × resamplings releases of curvature and slope sums. */
export function planSspConvex(settings: AmSspSettings, shape: PublicShape): ReleasePlan {
  checkLabels(settings, shape);
  const { rounds, resamplings, roundGrowth, clipNorm, matrixShare } = settings;
  const { bounds } = lossOf(settings);
  const budget = weightBudget(settings);
  const counts: readonly PlannedRelease[] = planCounts(settings);
  const left = counts.reduce((rest, { share }) => rest - share, 1);
  const line = (name: string, share: number, sensitivity: number) =>
    roundReleases(name, rounds, roundGrowth, left * share, sensitivity, resamplings);
  const releases = [
    ...counts,
    ...line('item-curvatures', matrixShare, curvatureSensitivity(budget, clipNorm, bounds)),
    ...line('item-slopes', 1 - matrixShare, slopeSensitivity(budget, clipNorm, bounds)),
  ];
  return { unit: 'user', relation: 'add-remove', released: 'item vectors of every round', releases };
}

/**
 * Sufficient-statistics perturbation for losses that are convex in the score, Krichene et al. 2024, Algorithm
 * 7: around the present item vectors v⁰ the loss is replaced by its second-order expansion, whose sums H_j
 * and g_j are noised; then
 *
 *   Σ_j g̃_jᵀ(v_j − v⁰_j) + ½ (v_j − v⁰_j)ᵀ(Π₊(H̃_j) + κI)(v_j − v⁰_j) + ½ λ_j‖v_j‖²
 *
 * is minimized over the encoder's parameters for free. κ keeps steps where the expansion holds (an addition
 * to the paper, as is the projection). `resamplings` is how many expansions a round has; each is charged.
 */
export async function trainSspConvex(input: PeopleInput<AmSspSettings>): Promise<TrainedModel> {
  const { people, features, settings, recorder, random, coins, signal } = input;
  const { rank, rounds, resamplings, clipNorm, gridBits } = settings;
  const { itemCount } = people;
  const { loss, bounds } = lossOf(settings);
  const { weighting, counts, frequent } = await prepareContributions(
    people,
    settings,
    recorder,
    coins,
    signal,
  );
  const items = zeroFactors(itemCount, rank);
  const lastSlopes = roundName('item-slopes', rounds - 1, settings.roundGrowth);
  const unit =
    settings.itemRidge * sumScale({ ...settings, targetBound: bounds.slope }, recorder, lastSlopes);
  const ridge = ridgeByCount(counts ?? new Float64Array(itemCount), unit, settings.itemRidgeExponent);
  const encoder = makeItemUpdate(features, items, settings, { item: ridge, unit }, random);
  startAlike(items, settings.initialMean * settings.initialStdDev);
  const trust = settings.trustRegion * weightScale(settings);
  const quadratic = new NoisyQuadratic(
    itemCount,
    rank,
    ridgeTowardsZero(settings, ridge).map((value) => value + trust),
  );
  for (const round of eachRound(rounds, input)) {
    const own = {
      loss,
      items: copyOf(items),
      ridge: settings.userRidge,
      ridgeExponent: settings.userRidgeExponent,
      clipNorm,
    }; // UserUpdate: local
    for (let expansion = 0; expansion < resamplings; expansion++) {
      const question = { weighting, own, around: copyOf(items), bounds, gridBits };
      for await (const block of releaseExpansion(input, question, round))
        quadratic.setExpansion(block, items, trust, frequent);
      const steps = Math.ceil(settings.innerSteps / resamplings);
      encoder.update(quadratic, items, steps);
    }
  }
  return {
    model: {
      kind: 'factors',
      feedback: 'explicit',
      loss,
      rank,
      itemFactors: items.data,
      offset: 0,
      foldIn: {
        ridge: settings.userRidge,
        ridgeExponent: settings.userRidgeExponent,
        unobservedWeight: 0,
      },
      ...(counts && { popularity: Float32Array.from(counts) }),
    },
    facts: { encoderParameters: encoder.parameterCount },
  };
}

/** H_j and g_j with noise, block by block. */
async function* releaseExpansion(
  { people, settings, recorder, signal }: PeopleInput<AmSspSettings>,
  question: Omit<Parameters<typeof curvatureSums.shapes>[0], 'begin' | 'end'>,
  round: number,
) {
  const layout = { kind: 'symmetric', width: settings.rank } as const;
  const curvatures = recorder.begin(roundName('item-curvatures', round, settings.roundGrowth));
  const slopes = recorder.begin(roundName('item-slopes', round, settings.roundGrowth));
  for (const { part, begin, end } of itemBlocks(people.itemCount, settings.rank)) {
    const sums = await people.sum(curvatureSums, { ...question, begin, end }, signal);
    const { statistic, gridStep } = sums.curvatures;
    const matrices = await curvatures.add(part, statistic, gridStep, layout);
    const vectors = await slopes.add(part, sums.slopes.statistic, sums.slopes.gridStep);
    yield { begin, end, matrices, vectors };
  }
  curvatures.close();
  slopes.close();
}

/** Item vectors as they are now: they move on while people still answer. */
function copyOf(items: FactorMatrix): FactorMatrix {
  return { ...items, data: items.data.slice() };
}
