import type { PeopleInput, PublicShape, SettingsOf, TrainedModel } from '@hushrec/factorize';
import { defineMethod, eachRound, roundName, roundReleases } from '@hushrec/factorize';
import { type FactorMatrix, randomFactors } from '@hushrec/numerics';
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
import { gramianName, refuseUnobservedRatings, releaseGramian } from '../../shared/gramian-step.js';
import { type ItemSolve, releaseItemSums, solveItems } from '../../shared/item-step.js';
import { orthonormalizeColumns } from '../../shared/orthonormal-columns.js';
import { planOffset, ratingOffset } from '../../shared/rating-offset.js';
import { matrixSensitivity, vectorSensitivity } from '../../shared/statistics/item-sum-bounds.js';
import { type SubspaceQuestion, userGramian } from '../../shared/statistics/item-sums.js';
import { askPeople, foldInModel, makeUserStep } from '../../shared/user-step.js';
import { alternatingSearch, dpalsSettings, idleDpals, suggestDpals } from './dpals-settings.js';
import { planSubspace, privateSubspace } from './private-subspace.js';
import { planDirections, principalDirections } from './spectral/principal-directions.js';

export type DpalsSettings = SettingsOf<typeof dpalsSettings>;

/**
 * Private alternating least squares, Chien et al. 2021, Algorithm 1, with its errors repaired: the clips are
 * minima and two-sided, both statistics of a round are charged, the ridge stands outside the projection, and
 * whatever else looks at people (counts, mean, Gramian, initial directions) is in the plan.
 *
 * Unit: user, add or remove. Item vectors are released; user vectors stay with their owners (joint privacy).
 */
export const dpals = defineMethod({
  id: 'dpals',
  title: 'Private alternating least squares',
  paper: 'Chien et al. 2021, Algorithm 1 (corrected)',
  feedback: ['explicit', 'implicit'],
  protects: [{ unit: 'user', relation: 'add-remove' }],
  settings: dpalsSettings,
  needs: 'people',
  clips: ['clipNorm', 'targetBound'],
  search: alternatingSearch,
  suggest: suggestDpals,
  idle: idleDpals,
  plan: (settings, shape) => planDpals(settings, shape),
  train: (input) => trainDpals(input),
});

/**
 * counts → [mean] → [initial directions] → rounds × {[Gramian], A, b}. With β the weight budget of a person,
 * the sensitivities are √β·Γ_u² for all A_j together, √β·Γ_u·Γ_y for all b_j together, Γ_u² for the Gramian.
 */
export function planDpals(settings: DpalsSettings, shape: PublicShape): ReleasePlan {
  refuseUnobservedRatings(settings);
  const { rounds, roundGrowth, clipNorm, targetBound, matrixShare, unobservedWeight } = settings;
  const budget = weightBudget(settings);
  const before: PlannedRelease[] = [...planCounts(settings), ...planOffset(settings, shape.scale)];
  if (settings.initialization === 'private-svd') {
    before.push(planSubspace(settings.svdSteps, settings.svdShare, budget, targetBound));
  }
  if (settings.initialization === 'analyze-gauss')
    before.push(planDirections(shape.itemCount, rowBoundOf(settings), settings.svdShare));
  const left = 1 - before.reduce((sum, { share }) => sum + share, 0);
  const gramian = unobservedWeight > 0 ? settings.gramianShare : 0;
  const perRound = (name: string, share: number, sensitivity: number) =>
    share > 0 ? roundReleases(name, rounds, roundGrowth, left * share, sensitivity) : [];
  return {
    unit: 'user',
    relation: 'add-remove',
    released: 'item vectors of every round',
    releases: [
      ...before,
      ...perRound(gramianName, gramian, clipNorm ** 2),
      ...perRound('item-matrices', (1 - gramian) * matrixShare, matrixSensitivity(budget, clipNorm)),
      ...perRound(
        'item-vectors',
        (1 - gramian) * (1 - matrixShare),
        vectorSensitivity(budget, clipNorm, targetBound),
      ),
    ],
  };
}

/** ‖row‖ ≤ √k·Γ_y: Remark 2 of the paper scales its noise to Γ_y² and loses the factor k. */
function rowBoundOf({ contributionLimit, targetBound }: DpalsSettings): number {
  return Math.sqrt(contributionLimit) * targetBound;
}

/**
 * What a variant adds to every item solve of a round, from public data and item vectors that are already
 * released.
 */
export type PublicSums = (
  items: FactorMatrix,
  offset: number,
) => Promise<Pick<ItemSolve, 'added' | 'common'>>;

/** The rounds. `publicSums` turns them into collective factorization (see `dp-cmf`). */
export async function trainDpals(
  input: PeopleInput<DpalsSettings>,
  publicSums?: PublicSums,
): Promise<TrainedModel> {
  const { people, settings, engine, recorder, coins, signal } = input;
  const { rank, rounds, roundGrowth, clipNorm, targetBound, unobservedWeight, gridBits } = settings;
  const { itemCount } = people;

  const prepared = await prepareContributions(people, settings, recorder, coins, signal);
  const { weighting, counts, frequent } = prepared;
  const implicit = settings.feedback === 'implicit';
  const offset = implicit ? 0 : await ratingOffset(people, settings, recorder, signal);
  const step = makeUserStep(settings, offset);
  const items = await startingItems(input, { weighting, feedback: step.feedback, offset }); // V⁰

  const ridge = ridgeByCount(
    counts ?? new Float64Array(itemCount),
    settings.itemRidge * sumScale(settings, recorder, roundName('item-vectors', rounds - 1, roundGrowth)),
    settings.itemRidgeExponent,
  );
  for (const round of eachRound(rounds, input)) {
    const sample = settings.ownShare < 1 && {
      sample: { share: settings.ownShare, coins: coins.line('own-ratings', round) },
    };
    const own = await askPeople(engine, { ...step, ...sample }, items); // u_i ← A_user(V, own ratings), ‖u_i‖ ≤ Γ_u: on people's side
    let common: Float64Array | undefined;
    if (unobservedWeight > 0) {
      const { gramian } = await people.sum(userGramian, { own, clipNorm, gridBits }, signal);
      common = await releaseGramian(recorder, gramian, {
        name: roundName(gramianName, round, roundGrowth),
        weight: unobservedWeight * weightScale(settings),
        width: rank,
      }); // K̃ ← Π₊(UᵀU + noise)
    }
    const fromPublic = await publicSums?.(items, offset);
    const sums = releaseItemSums(
      recorder,
      people,
      { weighting, own, clipNorm, targetBound, gridBits },
      {
        matrices: roundName('item-matrices', round, roundGrowth),
        vectors: roundName('item-vectors', round, roundGrowth),
        matrixNoise: settings.matrixNoise === 'goe' ? 'goe' : 'uniform',
      },
      signal,
    );
    const solve: ItemSolve = {
      ridge,
      project: settings.project,
      ...addMatrices(common, fromPublic?.common),
      ...(fromPublic?.added && { added: fromPublic.added }),
      ...(frequent && { frequent }),
    };
    for await (const block of sums) await solveItems(engine, block, solve, items); // v_j ← (Π₊(Â_j) + λ_j I)⁻¹ b̂_j
    if (settings.orthonormalize) orthonormalizeColumns(items);
  }
  return { model: foldInModel(step, items, counts) };
}

/** V⁰: random, or directions of people's whole rows, which cost a release of their own. */
async function startingItems(
  { people, settings, recorder, random, signal }: PeopleInput<DpalsSettings>,
  rows: Pick<SubspaceQuestion, 'weighting' | 'feedback' | 'offset'>,
): Promise<FactorMatrix> {
  const { rank, targetBound, gridBits } = settings;
  const { itemCount } = people;
  let items: FactorMatrix = randomFactors(itemCount, rank, settings.initialStdDev, random);
  if (settings.feedback === 'explicit') startAlike(items, settings.initialMean * settings.initialStdDev);
  if (settings.initialization === 'private-svd') {
    const question = { ...rows, targetBound, gridBits };
    items = await privateSubspace({
      people,
      recorder,
      question,
      width: rank,
      steps: settings.svdSteps,
      random,
    });
  }
  if (settings.initialization === 'analyze-gauss') {
    const question = { offset: rows.offset, rowBound: rowBoundOf(settings) };
    const width = Math.min(rank, itemCount);
    const { vectors } = await principalDirections(people, recorder, question, width, random, signal);
    vectors.forEach((vector, k) => {
      for (let item = 0; item < itemCount; item++) items.data[item * rank + k] = vector[item];
    });
  }
  if (settings.initialization !== 'random') {
    const spread = settings.initialStdDev * Math.sqrt(itemCount);
    for (let at = 0; at < items.data.length; at++) items.data[at] *= spread;
  }
  return items;
}

function addMatrices(a?: Float64Array, b?: Float64Array): Pick<ItemSolve, 'common'> {
  if (a === undefined || b === undefined) {
    const common = a ?? b;
    return common === undefined ? {} : { common };
  }
  return { common: a.map((value, at) => value + b[at]) };
}
