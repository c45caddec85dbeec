import { type FactorMatrix, randomFactors, unpackSymmetric } from '@hushrec/numerics';
import { choices, type GridSums } from '@hushrec/statistics';
import type { PeopleInput } from '../method.js';
import { roundName } from '../user-level/shared/round-releases.js';
import { type Choices, weightsOfItems } from './choice-weights.js';
import { clearestDirection } from './clearest-direction.js';
import { type MeasuredSums, withEarlierRounds } from './earlier-rounds.js';
import { itemFeatures, shrinkToFeatures } from './feature-shrinkage.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import { type ChoiceStage, shareFrom } from './implicit-plan.js';
import { type ReleasedSums, releaseSums } from './release-sums.js';
import { shrinkChoices } from './shrink-choices.js';
import { shrinkIfClear, shrinkToZero } from './shrinkage.js';

/**
 * Rounds: everybody's taste is local, what items learn from it is released. Where counts could use what is
 * left and no direction is clear they end, with the share of μ² that is left.
 */
export async function learnVectors(
  input: PeopleInput<HushSettings>,
  { rank: width, rounds, weighed }: ChoiceStage,
  counts: ReleasedSums,
  { rootChoices, totalWeight, shares, unobservedWeight }: Choices,
  leftOut: boolean,
  rules: HushRules,
): Promise<{ readonly items: FactorMatrix } | { readonly left: number }> {
  const { people, settings, recorder, random, engine, progress, signal } = input;
  const { itemCount } = people;
  const { userRidge, choiceBound, choiceMomentBound } = settings;
  const known = itemFeatures(input.features, itemCount, rules.leastItems, rules.mostTokens);
  const shrink = known === undefined ? shrinkIfClear(rules.doubt) : shrinkToFeatures(known);
  const shrinkEarly = known === undefined ? shrinkToZero : shrink;
  const itemWeights = weightsOfItems(counts, shares, rules);
  const sizes = shares.map((share, item) => itemWeights[item] ** 2 * share * totalWeight);
  const items = randomFactors(itemCount, width, rules.firstItems, random);
  let before: MeasuredSums | undefined;
  let shown = 0; // by the clearest direction of each round from the second on, in standard errors
  let gauge = 1 / typicalFirstNorm(rootChoices, items, unobservedWeight, userRidge, rules.firstItems);
  for (let round = 0; round < rounds; round++) {
    signal?.throwIfAborted();
    progress?.({ stage: 'rounds', done: round, total: rounds });
    const last = round === rounds - 1;
    const own = weighed.get(round);
    if (own !== undefined) {
      if (known === undefined && shown < own.wanted) return { left: shareFrom(round, weighed) };
      recorder.stage(own.lines);
    }
    const question = {
      items,
      gramian: await engine.gramian(items),
      ridge: userRidge,
      unobservedWeight,
      itemWeights,
      gauge,
      vectorBound: choiceBound,
      momentBound: choiceMomentBound,
      leftOut: last && leftOut,
    };
    const told = await people.sum(choices, question, signal); // u_i, local, and what items learn from it
    const release = (name: string, sums: GridSums, symmetricWidth = 0) =>
      releaseSums(recorder, roundName(name, round, rules.roundGrowth), sums, symmetricWidth);
    const moment = await release('taste-moment', told.moment, width);
    const vectors = await release('taste-vectors', told.vectors);
    // The last round alone decides what is signal, so it alone must be free of echoes. What the one before
    // said of the same directions is put together with it.
    const measured = withEarlierRounds(vectors, last ? before : undefined, sizes, rules);
    before = last ? undefined : { ...measured, values: measured.values.slice() };
    const full = unpackSymmetric(moment.value, width);
    const noise = rules.plainTrace * moment.noise * Math.sqrt(width);
    const norm = typicalNorm(trace(full, width), noise, totalWeight, choiceBound);
    const scaling = Math.min(1, choiceBound / norm); // of the typical person
    const sums = {
      vectors: unweighted(measured, itemWeights),
      moment: full,
      momentNoise: moment.noise,
      shares,
      unobservedWeight,
      samplingVariance: scaling / rootChoices,
      peopleWeight: scaling * totalWeight,
      leastEigenvalue: rules.leastEigenvalue,
    };
    if (weighed.size > 0 && round > 0 && !last) shown += clearestDirection(sums, shares, items);
    items.data.set(await shrinkChoices(sums, last ? shrink : shrinkEarly));
    gauge = 1 / Math.sqrt(width); // tastes have variance 1 in every direction now
  }
  progress?.({ stage: 'rounds', done: rounds, total: rounds });
  return { items };
}

/** Sums as they would be had people weighed all items alike. */
function unweighted({ width, values, variances }: MeasuredSums, itemWeights: Float64Array): MeasuredSums {
  return {
    width,
    values: values.map((value, at) => value / itemWeights[Math.floor(at / width)]),
    variances: variances.map((variance, at) => variance / itemWeights[Math.floor(at / width)] ** 2),
  };
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
