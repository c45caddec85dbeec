import { type FactorMatrix, randomFactors, unpackSymmetric } from '@hushrec/numerics';
import type { ReleasePlan } from '@hushrec/privacy';
import {
  choices,
  flooredCounts,
  type GridSums,
  peopleCount,
  weightedCountSensitivity,
  weightedCounts,
  itemWeights as weightSums,
} from '@hushrec/statistics';
import type { PeopleInput, PublicShape, TrainedModel } from '../method.js';
import { roundName, roundReleases, singleRelease } from '../user-level/shared/round-releases.js';
import { doubtOfTastes, shareOfChosen, weightOfAll, weightsOfItems } from './choice-weights.js';
import { clearestDirection } from './clearest-direction.js';
import { weightsForHead, withCountsForHead } from './counts-for-head.js';
import { divideForChoices } from './divide-for-choices.js';
import { type MeasuredSums, withEarlierRounds } from './earlier-rounds.js';
import { itemFeatures, shrinkToFeatures } from './feature-shrinkage.js';
import type { HushPieces } from './hush-pieces.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import { type ReleasedSums, releaseSums, together } from './release-sums.js';
import { envelopeOf, fixedRank, withinNumbers } from './round-limits.js';
import { shrinkChoices } from './shrink-choices.js';
import { shrinkIfClear, shrinkToZero } from './shrinkage.js';

/**
 * Rounds that have a stage of their own where the head is not plain: before each of them vectors must show
 * something, or counts get what is left.
 */
const weighedRounds = 3;

/**
 * First stage: people and counts. They say how much more counts need, and what is left goes to
 * rounds × {moment, vectors}, or, where these show nothing, to counts once more.
 */
export function planImplicit(settings: HushSettings, shape: PublicShape, rules: HushRules): ReleasePlan {
  return {
    unit: 'user',
    relation: 'add-remove',
    released: 'item vectors of every round',
    releases: [
      singleRelease('people-count', rules.peopleShare, 1),
      singleRelease('item-counts', rules.countsAtLeast, weightedCountSensitivity),
    ],
    later: envelopeOf(
      settings,
      shape.itemCount,
      ['item-counts-again', 'item-counts-instead'].map((name) => ({
        name,
        sensitivity: weightedCountSensitivity,
        numbers: shape.itemCount,
      })),
      { vectors: settings.choiceBound, moment: settings.choiceMomentBound },
      'rank, rounds and shares follow from the released number of people and item counts; whether the last rounds are made, or counts once more, from what the rounds before released',
      rules,
      1 + weighedRounds,
    ),
  };
}

/**
 * Implicit feedback: alternating least squares in which not choosing counts a little, min Σ_i κ_i
 * [Σ_{j ∈ Ω_i} (1 − u_i·v_j)² + α₀ Σ_j (u_i·v_j)² + λ‖u_i‖²] (Hu, Koren & Volinsky 2008), with the releases
 * of `choiceStatistics` in place of exact item systems and the shrinkage of `shrinkChoices` in place of an
 * item ridge. docs/hush-proof.md.
 */
export async function trainImplicit(
  input: PeopleInput<HushSettings>,
  pieces: Pick<HushPieces, 'leftOut'>,
  rules: HushRules,
): Promise<TrainedModel> {
  const { settings } = input;
  const { itemCount } = input.people;
  const { population, counts, stage } = await releaseCounts(input, rules);
  const spread = choicesOf(counts, population, itemCount, settings.unobservedRatio, rules);
  if (stage.rank === 0) return popularityModel(counts.value, spread.shares, settings.userRidge, population);
  const items = await learnVectors(input, stage, counts, spread, stage.leftOut && pieces.leftOut, rules);
  if (typeof items === 'number') {
    const better = await releaseInstead(input, items, counts, rules);
    const { shares } = choicesOf(better, population, itemCount, settings.unobservedRatio, rules);
    return popularityModel(better.value, shares, settings.userRidge, population);
  }
  const doubt = doubtOfTastes(stage.rank, rules.certainDirections, spread.rootChoices ** 2, itemCount);
  return {
    model: {
      kind: 'factors',
      feedback: 'implicit',
      rank: stage.rank,
      itemFactors: Float32Array.from(items.data),
      offset: 0,
      foldIn: {
        ridge: doubt * rules.ridgeInUse * settings.userRidge,
        ridgeExponent: 0.5,
        unobservedWeight: spread.unobservedWeight,
      },
      popularity: Float32Array.from(counts.value),
    },
    facts: { people: population, directions: stage.rank },
  };
}

type Stage = ReturnType<typeof laterStage>;

/** How many there are and what is popular; counts get as much of the budget as these say they need. */
async function releaseCounts(
  { people, settings, recorder, signal }: PeopleInput<HushSettings>,
  rules: HushRules,
) {
  const { count } = await people.sum(peopleCount, null, signal);
  const population = Math.max(1, (await releaseSums(recorder, 'people-count', count)).value[0]);
  const exact = await people.sum(weightedCounts, null, signal);
  const first = await releaseSums(recorder, 'item-counts', exact.counts);
  const stage = laterStage(settings, people.itemCount, population, first, rules);
  recorder.stage(stage.lines);
  if (stage.countShare === 0) return { population, counts: first, stage };
  const again = (sums: GridSums) => releaseSums(recorder, 'item-counts-again', sums);
  if (stage.rank > 0 || !stage.countsAlone || first.noise === 0)
    return { population, counts: together(first, await again(exact.counts)), stage };
  return { population, counts: await countHead(people, first, again, rules, signal), stage };
}

/** What the last rounds would have cost goes to counts, since the rounds before them found nothing. */
async function releaseInstead(
  { people, recorder, signal }: PeopleInput<HushSettings>,
  share: number,
  counts: ReleasedSums,
  rules: HushRules,
): Promise<ReleasedSums> {
  recorder.stage([singleRelease('item-counts-instead', share, weightedCountSensitivity)]);
  const release = (sums: GridSums) => releaseSums(recorder, 'item-counts-instead', sums);
  return countHead(people, counts, release, rules, signal);
}

/** Counts of what may be in the head by the counts so far, put together with them. */
async function countHead(
  people: PeopleInput<HushSettings>['people'],
  counts: ReleasedSums,
  release: (sums: GridSums) => Promise<ReleasedSums>,
  rules: HushRules,
  signal: AbortSignal | undefined,
): Promise<ReleasedSums> {
  const preference = weightsForHead(counts, rules);
  const { weights } = await people.sum(weightSums, { preference }, signal);
  return withCountsForHead(counts, await release(weights), preference);
}

/** What released counts say of how people choose. */
interface Choices {
  /** Mean of √n_i. */
  readonly rootChoices: number;
  /** About Σ_i ω_i. */
  readonly totalWeight: number;
  /** Share of people who chose an item, by item. */
  readonly shares: Float64Array;
  /** α₀ */
  readonly unobservedWeight: number;
}

function choicesOf(
  counts: ReleasedSums,
  population: number,
  itemCount: number,
  ratio: number,
  rules: HushRules,
): Choices {
  // Σ_j c_j = Σ_i √n_i; nobody chooses more than there is.
  const rootChoices = Math.min(Math.sqrt(itemCount), Math.max(1, sum(counts.value) / population));
  const totalWeight = population / rootChoices;
  const meanShare = rootChoices ** 2 / itemCount;
  const unobservedWeight = weightOfAll({
    ratio,
    choicesEach: rootChoices ** 2,
    share: shareOfChosen(counts, totalWeight, meanShare),
    meanShare,
    people: population,
    countNoise: counts.noise,
    rules,
  });
  const shares = flooredCounts(counts.value, counts.noise * rules.countFloor).map((count) =>
    Math.min(1, count / totalWeight),
  );
  return { rootChoices, totalWeight, shares, unobservedWeight };
}

/**
 * Rounds: everybody's taste is local, what items learn from it is released. Where counts could use what is
 * left and no direction is clear, the share of μ² that is left, in place of vectors.
 */
async function learnVectors(
  input: PeopleInput<HushSettings>,
  { rank: width, rounds, weighed }: Stage,
  counts: ReleasedSums,
  { rootChoices, totalWeight, shares, unobservedWeight }: Choices,
  leftOut: boolean,
  rules: HushRules,
): Promise<FactorMatrix | number> {
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
  let clearest = Number.POSITIVE_INFINITY;
  let gauge = 1 / typicalFirstNorm(rootChoices, items, unobservedWeight, userRidge, rules.firstItems);
  for (let round = 0; round < rounds; round++) {
    signal?.throwIfAborted();
    progress?.({ stage: 'rounds', done: round, total: rounds });
    const last = round === rounds - 1;
    const lines = weighed.get(round);
    if (lines !== undefined) {
      if (known === undefined && clearest < rules.clearTastes) return shareFrom(round, weighed);
      recorder.stage(lines);
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
    if (weighed.has(round + 1)) clearest = clearestDirection(sums, shares, items);
    items.data.set(await shrinkChoices(sums, last ? shrink : shrinkEarly));
    gauge = 1 / Math.sqrt(width); // tastes have variance 1 in every direction now
  }
  progress?.({ stage: 'rounds', done: rounds, total: rounds });
  return items;
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
 * Popularity alone: with one direction, in which all items have their released count, everybody gets what is
 * popular.
 */
function popularityModel(
  counts: Float64Array,
  shares: Float64Array,
  ridge: number,
  people: number,
): TrainedModel {
  return {
    model: {
      kind: 'factors',
      feedback: 'implicit',
      rank: 1,
      itemFactors: Float32Array.from(counts, (count, item) => Math.max(shares[item] * 1e-3, count)),
      offset: 0,
      foldIn: { ridge, ridgeExponent: 0, unobservedWeight: 0 },
      popularity: Float32Array.from(counts),
    },
    facts: { people, directions: 0 },
  };
}

/** The lines of the second stage: from settings and released figures. */
function laterStage(
  settings: HushSettings,
  itemCount: number,
  people: number,
  counts: ReleasedSums,
  rules: HushRules,
) {
  const mu = counts.noise > 0 ? Math.min(50, 1 / (counts.noise * Math.sqrt(rules.countsAtLeast))) : 50;
  const division = divideForChoices({ people, itemCount, mu, counts, rules });
  const { rank, rounds } = withinNumbers(
    settings,
    itemCount,
    fixedRank(settings, division.rank, () => division.rounds),
  );
  const left = 1 - rules.peopleShare - rules.countsAtLeast;
  const countShare = rank === 0 ? left : Math.max(0, division.countShare - rules.countsAtLeast);
  const perRound = (name: string, share: number, sensitivity: number) =>
    roundReleases(name, rounds, rules.roundGrowth, (left - countShare) * share, sensitivity);
  const moments = perRound('taste-moment', settings.momentShare, settings.choiceMomentBound);
  const vectors = perRound('taste-vectors', 1 - settings.momentShare, settings.choiceBound);
  // A rank that settings ask for is made whatever is found; with growth 1 there is one line for all rounds.
  const asked = settings.rank > 0 || division.plainHead || moments.length < rounds;
  const certain = asked ? rounds : Math.min(rounds, Math.max(1, rounds - weighedRounds));
  return {
    rank,
    rounds,
    countShare,
    leftOut: division.leftOut,
    countsAlone: division.rank === 0,
    lines: [
      ...(countShare > 0 ? [singleRelease('item-counts-again', countShare, weightedCountSensitivity)] : []),
      ...(rank > 0 ? [...moments.slice(0, certain), ...vectors.slice(0, certain)] : []),
    ],
    /** Lines of the rounds that are made only where the ones before show something. */
    weighed: new Map(
      Array.from({ length: rounds - certain }, (_, k) => [
        certain + k,
        [moments[certain + k], vectors[certain + k]],
      ]),
    ),
  };
}

/** What the rounds from this one on would cost of μ². */
function shareFrom(round: number, weighed: Stage['weighed']): number {
  let share = 0;
  for (const [at, lines] of weighed) if (at >= round) for (const line of lines) share += line.share;
  return share;
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

function sum(values: Float64Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
