import { type FactorMatrix, randomFactors, unpackSymmetric } from '@hushrec/numerics';
import { choices, type GridSums } from '@hushrec/statistics';
import type { PeopleInput } from '../method.js';
import { roundName } from '../shared/round-releases.js';
import { type Choices, sharesOf, weightsOfItems } from './choice-weights.js';
import { CountsFromRounds } from './counts-from-rounds.js';
import { type MeasuredSums, withEarlierRounds } from './earlier-rounds.js';
import { itemFeatures, shrinkToFeatures } from './feature-shrinkage.js';
import { gradesFor } from './grades-for.js';
import type { HushPieces } from './hush-pieces.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import type { ChoiceStage } from './implicit-plan.js';
import {
  type ChoiceMemory,
  type LastRound,
  nextItems,
  RecalledRound,
  recalledItems,
} from './memory/choice-memory.js';
import type { RecalledCounts } from './memory/recall-counts.js';
import { recallMoment } from './memory/recall-sums.js';
import { type ReleasedSums, releaseSums } from './release-sums.js';
import { shrinkChoices } from './shrink-choices.js';
import { shrinkIfClear, shrinkToZero } from './shrinkage.js';

/**
 * Rounds: everybody's taste is local, what items learn from it is released. Counts are those that were
 * released and, where they had needed more than the first look, what rounds say of them.
 */
export async function learnVectors(
  input: PeopleInput<HushSettings>,
  { rank: width, rounds, countShare, leftOut }: ChoiceStage,
  counts: ReleasedSums,
  spread: Choices,
  pieces: Pick<HushPieces, 'leftOut' | 'countsFromRounds'>,
  rules: HushRules,
  recalled?: { readonly memory: ChoiceMemory; readonly counts: RecalledCounts },
): Promise<{ readonly items: FactorMatrix; readonly counts: ReleasedSums; readonly last: LastRound }> {
  const { people, settings, recorder, random, engine, progress, signal } = input;
  const { itemCount } = people;
  const { userRidge, choiceBound, choiceMomentBound } = settings;
  const { rootChoices, totalWeight, unobservedWeight } = spread;
  let { shares } = spread;
  const known = itemFeatures(input.features, itemCount, rules.leastItems, rules.mostTokens);
  const shrink = known === undefined ? shrinkIfClear(rules.doubt) : shrinkToFeatures(known);
  const shrinkEarly = known === undefined ? shrinkToZero : shrink;
  const itemWeights = weightsOfItems(counts, shares, rules);
  const sizes = shares.map((share, item) => itemWeights[item] ** 2 * share * totalWeight);
  const items =
    recalled === undefined
      ? randomFactors(itemCount, width, rules.firstItems, random)
      : recalledItems(recalled.memory, itemCount, width, random);
  const recall = recalled && new RecalledRound(recalled.memory, recalled.counts);
  let lastRound: LastRound | undefined;
  // Where the first look at counts was enough, rounds add nothing to them.
  const hears = countShare > 0 && counts.noise > 0 && pieces.countsFromRounds;
  const heard = hears ? new CountsFromRounds(counts, shares) : undefined;
  let countsByNow = counts;
  let before: MeasuredSums | undefined;
  let gauge =
    recalled === undefined
      ? 1 / typicalFirstNorm(rootChoices, items, unobservedWeight, userRidge, rules.firstItems)
      : 1 / Math.sqrt(width);
  for (let round = 0; round < rounds; round++) {
    signal?.throwIfAborted();
    progress?.({ stage: 'rounds', done: round, total: rounds });
    const last = round === rounds - 1;
    const question = {
      items,
      gramian: await engine.gramian(items),
      ridge: userRidge,
      unobservedWeight,
      itemWeights,
      gauge,
      vectorBound: choiceBound,
      momentBound: choiceMomentBound,
      leftOut: last && leftOut && pieces.leftOut,
      ...gradesFor(people),
    };
    const said = await people.sum(choices, question, signal); // u_i, local, and what items learn from it
    const release = (name: string, sums: GridSums, symmetricWidth = 0) =>
      releaseSums(recorder, roundName(name, round, rules.roundGrowth), sums, symmetricWidth);
    const moment = await release('taste-moment', said.moment, width);
    const vectors = await release('taste-vectors', said.vectors);
    heard?.add(vectors, itemWeights);
    // The last round alone decides what is signal, so it alone must be free of echoes. What the one before
    // said of the same directions is put together with it.
    const measured = withEarlierRounds(vectors, last ? before : undefined, sizes, rules);
    before = round === rounds - 2 ? copyOf(measured) : undefined;
    const today = unpackSymmetric(moment.value, width);
    const known =
      recall?.moment(today, moment.noise, width, totalWeight) ??
      recallMoment(today, moment.noise, width, totalWeight, undefined, 1);
    const full = known.matrix;
    const noise = rules.plainTrace * known.noise * Math.sqrt(width);
    const norm = typicalNorm(trace(full, width), noise, totalWeight, choiceBound);
    const scaling = Math.min(1, choiceBound / norm); // of the typical person
    if (last && heard !== undefined) {
      countsByNow = heard.withCounts();
      shares = sharesOf(countsByNow, totalWeight, rules);
    }
    const told = unweighted(measured, itemWeights);
    const sums = {
      vectors:
        recall?.sums(
          told,
          shares.map((share) => share * totalWeight),
        ) ?? told,
      moment: full,
      momentNoise: known.noise,
      shares,
      unobservedWeight,
      samplingVariance: scaling / rootChoices,
      peopleWeight: scaling * totalWeight,
    };
    if (last) lastRound = { sums, moment: known, weight: totalWeight };
    const next = last || recall === undefined ? undefined : await nextItems(sums, gauge);
    items.data.set(next?.items ?? (await shrinkChoices(sums, last ? shrink : shrinkEarly)));
    gauge = next?.gauge ?? 1 / Math.sqrt(width); // tastes have variance 1 in every direction now
  }
  progress?.({ stage: 'rounds', done: rounds, total: rounds });
  if (lastRound === undefined) throw new Error('Vectors need a round.');
  return { items, counts: countsByNow, last: lastRound };
}

function copyOf({ width, values, variances }: MeasuredSums): MeasuredSums {
  return { width, values: values.slice(), variances: variances.slice() };
}

/** Sums as they would be had people weighed all items alike, in place. */
function unweighted(sums: MeasuredSums, itemWeights: Float64Array): MeasuredSums {
  const { width, values, variances } = sums;
  for (let item = 0, at = 0; item < itemWeights.length; item++) {
    const weight = itemWeights[item];
    for (const end = at + width; at < end; at++) {
      values[at] /= weight;
      variances[at] /= weight ** 2;
    }
  }
  return sums;
}

/**
 * ‖u‖ of someone with √n = `rootChoices` choices among random item vectors of standard deviation s:
 * √(n d) s / (n s² + α₀ m s² + λ). A gauge only: it sets where clipping begins in the first round.
 */
function typicalFirstNorm(
  rootChoices: number,
  { rowCount, width }: FactorMatrix,
  unobservedWeight: number,
  ridge: number,
  deviation: number,
): number {
  return (
    (rootChoices * Math.sqrt(width) * deviation) /
    ((rootChoices ** 2 + unobservedWeight * rowCount) * deviation ** 2 + ridge)
  );
}

/**
 * r with E = min(1, B/r)·r², E = total/people: the norm that explains a released second moment of scaled
 * people. 1, what the gauge aims at, where the total is not above what noise may be: a gauge that follows
 * noise would grow without bound.
 */
function typicalNorm(total: number, noise: number, people: number, bound: number): number {
  if (!(total > noise)) return 1;
  const moment = total / people;
  return moment <= bound ** 2 ? Math.sqrt(moment) : moment / bound;
}

function trace(matrix: Float64Array, width: number): number {
  let total = 0;
  for (let a = 0; a < width; a++) total += matrix[a * width + a];
  return total;
}
