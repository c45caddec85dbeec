import type { PeopleInput, PublicShape, TrainedModel } from '@hushrec/factorize';
import {
  defineMethod,
  eachRound,
  roundName,
  roundReleases,
  SettingsError,
  type SettingsOf,
  within,
} from '@hushrec/factorize';
import { zeroFactors } from '@hushrec/numerics';
import type { PlannedRelease, ReleasePlan } from '@hushrec/privacy';
import type { FeatureSource } from '@hushrec/ratings';
import { ridgeByCount } from '@hushrec/statistics';
import { alternatingSearch } from '../../dpals/methods/dpals-settings.js';
import { startAlike } from '../../shared/common-start.js';
import {
  planCounts,
  prepareContributions,
  sumScale,
  weightBudget,
  weightScale,
} from '../../shared/contribution-step.js';
import { gramianName, refuseUnobservedRatings, releaseGramian } from '../../shared/gramian-step.js';
import { releaseItemSums } from '../../shared/item-step.js';
import { paperClaim } from '../../shared/paper-claim.js';
import { planOffset, ratingOffset } from '../../shared/rating-offset.js';
import { matrixSensitivity, vectorSensitivity } from '../../shared/statistics/item-sum-bounds.js';
import { userGramian } from '../../shared/statistics/item-sums.js';
import { askPeople, foldInModel, makeUserStep } from '../../shared/user-step.js';
import { amSspSettings, idleAmSsp, suggestAmSsp } from './am-ssp-settings.js';
import { encodedKinds } from './encoder/item-encoder.js';
import { checkItemUpdate, makeItemUpdate, ridgeTowardsZero } from './item-update.js';
import { NoisyQuadratic } from './noisy-quadratic.js';
import { PersonEncoder, planPersonEncoder } from './person-encoder.js';
import {
  releaseSampledSums,
  sampledMechanism,
  sampledSensitivity,
  sampledSumsName,
} from './sampled-item-sums.js';
import { planSspConvex, trainSspConvex } from './ssp-convex.js';

export type AmSspSettings = SettingsOf<typeof amSspSettings>;

/**
 * Alternating minimization with sufficient-statistics perturbation, Krichene et al. 2024, Algorithms 1–5:
 * item vectors are a function of public features, fitted to noised sums of every item rather than by noised
 * gradients.
 *
 * With `resamplings` 1 the sums are noised once a round and optimized for free (SSP-c); with more, noise is
 * drawn afresh (SSP-i and everything between). Repairs: all outer rounds are charged, the sums are projected,
 * item ridges see released counts only. Unit: user, add or remove; people's vectors stay with them.
 * `peopleFeatures` adds the private encoder of equation 1 (`PersonEncoder`).
 */
export const amSsp = defineMethod({
  id: 'am-ssp',
  title: 'Alternating minimization with sufficient-statistics perturbation',
  paper: 'Krichene et al. 2024, Algorithms 1–5 and 7 (corrected)',
  feedback: ['explicit', 'implicit'],
  protects: [
    { unit: 'user', relation: 'add-remove' },
    { unit: 'rating-presence', relation: 'add-remove' },
  ],
  settings: amSspSettings,
  needs: 'people',
  clips: ['clipNorm', 'targetBound'],
  learnsFrom: encodedKinds,
  sameAs: sameAsDpals,
  asksAbout: ({ peopleFeatures }) => peopleFeatures !== '',
  search: {
    ...alternatingSearch,
    featurePull: within(1.5),
    tokenRidge: within(4),
    learningRate: within(4),
    embedding: within(2),
  },
  suggest: suggestAmSsp,
  idle: idleAmSsp,
  plan(settings, shape) {
    checkItemUpdate(settings);
    planPersonEncoder(settings, 0); // refuses what has no features of people
    return settings.loss === 'squared' ? planAmSsp(settings, shape) : planSspConvex(settings, shape);
  },
  train(input) {
    return input.settings.loss === 'squared' ? trainAmSsp(input) : trainSspConvex(input);
  },
});

/** Solved exactly, with a token for every item and no others, item vectors are those of `dpals`. */
function sameAsDpals(settings: AmSspSettings, features: readonly FeatureSource[]): string | undefined {
  const isPlain =
    settings.loss === 'squared' &&
    settings.unit === 'user' &&
    settings.optimizer === 'exact' &&
    settings.itemIds &&
    settings.resamplings === 1 &&
    settings.samplingRate === 1 &&
    settings.peopleFeatures === '';
  const hasTokens = features.some(({ kind }) => encodedKinds.some((each) => each === kind));
  return isPlain && !hasTokens ? 'dpals' : undefined;
}

/**
 * Sums of rounds × resamplings, each draw with its share; sampled draws are one joint release (see
 * `sampled-item-sums`).
 */
function planAmSsp(settings: AmSspSettings, shape: PublicShape): ReleasePlan {
  refuseUnobservedRatings(settings);
  const { rounds, resamplings, roundGrowth, clipNorm, targetBound, matrixShare } = settings;
  if (settings.unit === 'rating') return planForRatings(settings);
  const budget = weightBudget(settings);
  const before: PlannedRelease[] = [...planCounts(settings), ...planOffset(settings, shape.scale)];
  const unspent = 1 - before.reduce((sum, { share }) => sum + share, 0);
  const encoding = settings.peopleFeatures === '' ? 0 : unspent * settings.featureShare;
  before.push(...planPersonEncoder(settings, encoding));
  const remaining = unspent - encoding;
  const gramian = settings.unobservedWeight > 0 ? settings.gramianShare : 0;
  if (gramian > 0) before.push(...roundReleases(gramianName, rounds, 1, remaining * gramian, clipNorm ** 2));
  const left = remaining * (1 - gramian);
  const rest =
    settings.samplingRate < 1
      ? [
          {
            name: sampledSumsName,
            mechanism: sampledMechanism(settings),
            sensitivity: sampledSensitivity,
            count: rounds * resamplings,
            share: left,
          },
        ]
      : [
          ...roundReleases(
            'item-matrices',
            rounds,
            roundGrowth,
            left * matrixShare,
            matrixSensitivity(budget, clipNorm),
            resamplings,
          ),
          ...roundReleases(
            'item-vectors',
            rounds,
            roundGrowth,
            left * (1 - matrixShare),
            vectorSensitivity(budget, clipNorm, targetBound),
            resamplings,
          ),
        ];
  return {
    unit: 'user',
    relation: 'add-remove',
    released: 'item vectors of every round',
    releases: [...before, ...rest],
  };
}

const notProved =
  'people’s vectors are fitted on the same ratings, so removing one rating changes all sums of its owner at the next round';

/** The paper's example-level scale: one rating moves one item's sums by Γ_u² and Γ_u·Γ_y. */
function planForRatings(settings: AmSspSettings): ReleasePlan {
  if (settings.samplingRate < 1)
    throw new SettingsError('samplingRate', 'unit=rating has no sampled form; leave samplingRate at 1.');
  const { rounds, resamplings, clipNorm, targetBound, matrixShare } = settings;
  const line = { mechanism: { kind: 'gaussian' }, count: rounds * resamplings } as const;
  const proved = { nothingBecause: notProved };
  return {
    unit: 'rating-presence',
    relation: 'add-remove',
    released: 'item vectors of every round',
    releases: [
      { ...line, name: 'item-matrices', sensitivity: clipNorm ** 2, share: matrixShare, proved },
      { ...line, name: 'item-vectors', sensitivity: clipNorm * targetBound, share: 1 - matrixShare, proved },
    ],
    ...paperClaim('(ε, δ) for every single rating (Theorem 1)', notProved),
  };
}

async function trainAmSsp(input: PeopleInput<AmSspSettings>): Promise<TrainedModel> {
  const { people, settings, engine, recorder, random, coins, signal } = input;
  const { rank, rounds, clipNorm, targetBound, resamplings, innerSteps, gridBits } = settings;
  const { itemCount } = people;
  const forRatings = settings.unit === 'rating';
  const contributing = forRatings ? withoutContributionBounds(settings, itemCount) : settings;
  const prepared = await prepareContributions(people, contributing, recorder, coins, signal);
  const { weighting, counts, frequent } = prepared;
  const implicit = settings.feedback === 'implicit';
  const offset = implicit ? 0 : await ratingOffset(people, contributing, recorder, signal);
  const step = makeUserStep(settings, offset);

  const encoder = settings.peopleFeatures === '' ? undefined : new PersonEncoder(settings);
  const items = zeroFactors(itemCount, rank);
  const unit =
    settings.itemRidge *
    (forRatings
      ? 1
      : sumScale(settings, recorder, roundName('item-vectors', rounds - 1, settings.roundGrowth)));
  const ridge = ridgeByCount(counts ?? new Float64Array(itemCount), unit, settings.itemRidgeExponent);
  const itemEncoder = makeItemUpdate(input.features, items, settings, { item: ridge, unit }, random); // θ ← init
  if (settings.feedback === 'explicit') startAlike(items, settings.initialMean * settings.initialStdDev);
  const quadratic = new NoisyQuadratic(itemCount, rank, ridgeTowardsZero(settings, ridge));
  for (const round of eachRound(rounds, input)) {
    const expected = encoder && { expected: encoder.expected };
    const own = { ...(await askPeople(engine, step, items)), ...expected }; // UserUpdate: local
    if (settings.unobservedWeight > 0 && !forRatings) {
      const weight = settings.unobservedWeight * weightScale(settings);
      const { gramian } = await people.sum(userGramian, { own, clipNorm, gridBits }, signal);
      quadratic.setCommon(
        await releaseGramian(recorder, gramian, { name: gramianName, weight, width: rank }),
      );
    }
    const sums = { weighting, own, clipNorm, targetBound, gridBits };
    for (let draw = 0; draw < resamplings; draw++) {
      for await (const block of releaseSums(input, sums, round, draw)) quadratic.set(block, frequent);
      const steps =
        Math.ceil(((draw + 1) * innerSteps) / resamplings) - Math.ceil((draw * innerSteps) / resamplings);
      itemEncoder.update(quadratic, items, steps); // ItemUpdate: post-processing
    }
    await encoder?.update(people, await askPeople(engine, step, items), recorder, round, signal);
  }
  return {
    model: {
      ...foldInModel(step, items, counts),
      ...(encoder && { personFeatures: encoder.published() }),
    },
    facts: { encoderParameters: itemEncoder.parameterCount },
  };
}

/**
 * For single ratings nobody is bound to a number of items: all of them count, and nothing is released before.
 */
function withoutContributionBounds(settings: AmSspSettings, itemCount: number): AmSspSettings {
  return {
    ...settings,
    contribution: 'uniform',
    contributionLimit: itemCount,
    itemFraction: 1,
    itemRidgeExponent: 0,
    centring: 'constant',
  };
}

/** A_j and b_j with noise, block by block: of everybody, or of a fresh sample of them. */
function releaseSums(
  { people, settings, recorder, coins, signal }: PeopleInput<AmSspSettings>,
  sums: Parameters<typeof releaseItemSums>[2],
  round: number,
  draw: number,
) {
  const { samplingRate: rate, sampled, matrixShare, resamplings } = settings;
  if (rate < 1) {
    const drawn = coins.line(sampledSumsName, round * resamplings + draw);
    return releaseSampledSums(
      recorder,
      people,
      { ...sums, rate, sampled, coins: drawn, matrixShare },
      signal,
    );
  }
  const growth = settings.unit === 'rating' ? 1 : settings.roundGrowth;
  return releaseItemSums(
    recorder,
    people,
    sums,
    {
      matrices: roundName('item-matrices', round, growth),
      vectors: roundName('item-vectors', round, growth),
      matrixNoise: settings.matrixNoise === 'goe' ? 'goe' : 'uniform',
    },
    signal,
  );
}
