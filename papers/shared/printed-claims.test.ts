import '@hushrec/papers/register';
import { readSettings } from '@hushrec/factorize';
import { calibrate, type ReleasePlan } from '@hushrec/privacy';
import { methodLoss, ratingsOf, smallRatings, withoutRating, withRatingChanged } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { dpimf } from '../dpimf/methods/dpimf.js';
import { dpmf } from '../dpimf/methods/dpmf.js';
import { gaussianRows, projectRows } from '../friedman/methods/factor-rows.js';
import { privateAls } from '../friedman/methods/private-als.js';
import { privateGlobalEffects } from '../friedman/methods/private-global-effects.js';
import { batchSteps, descentOf, privateSgd, stepSensitivities } from '../friedman/methods/private-sgd.js';
import { descentRound, type VisitedRatings } from '../friedman/methods/stochastic-descent.js';

/**
 * Guarantees that do not hold as printed. Each test shows two neighbouring data sets and an output (equal to
 * one of the two noiseless results) whose likelihoods differ by more than e^ε, and that the repaired variant
 * stays within.
 */
const epsilon = 1;
const shape = { itemCount: 6, scale: { min: 1, max: 5, step: 1 }, epsilon, delta: 0, features: [] };

function provenEpsilon(plan: ReleasePlan): number {
  return calibrate(plan, { epsilon, delta: 0 }).epsilon;
}

describe('averages, presence (Friedman et al. 2016, Algorithm 1)', () => {
  // Forty people give the only item 1; one gives it 5, which is removed. A large ε keeps the averages where
  // they are.
  const epsilon = 20;
  const shape = { itemCount: 1, scale: { min: 1, max: 5, step: 1 }, epsilon, delta: 0, features: [] };
  const settings = { unit: 'rating-presence', itemShrinkage: 0 };
  const printed = { ...settings, repaired: false };
  const people = Array.from({ length: 41 }, (_, user) => ({
    name: `${user}`,
    items: [0],
    ratings: [user === 40 ? 5 : 1],
  }));
  const ratings = ratingsOf(people, 1);
  const neighbour = withoutRating(ratings, 40);
  const provenEpsilon = (plan: ReleasePlan) => calibrate(plan, { epsilon, delta: 0 }).epsilon;

  it('as printed, adding a rating of 5 costs more than ε, and no more than the certificate says', async () => {
    const { total, byLine } = await methodLoss(privateGlobalEffects, printed, epsilon, ratings, neighbour);
    expect(total).toBeGreaterThan(epsilon);
    // The sum moves by the rating itself, 5, where the noise covers the range, 4.
    const share = privateGlobalEffects
      .plan(printed, shape)
      .releases.find(({ name }) => name === 'item-sums')!.share;
    expect(byLine.get('item-sums')).toBeCloseTo((5 / 4) * share * epsilon, 6);
    const proven = provenEpsilon(privateGlobalEffects.plan(printed, shape));
    expect(proven).toBeGreaterThan(epsilon);
    expect(total).toBeLessThanOrEqual(proven * (1 + 1e-9));
    expect(privateGlobalEffects.plan(printed, shape).claimedByPaper?.why).toContain('5');
  });

  it('repaired, it costs at most ε', async () => {
    const { total } = await methodLoss(privateGlobalEffects, settings, epsilon, ratings, neighbour);
    expect(total).toBeLessThanOrEqual(epsilon * (1 + 1e-6));
  });
});

describe('alternating least squares, value (Algorithm 6)', () => {
  // One user with one rating of an item whose vector has norm q_max: the exact worst case of the user step.
  const settings = {
    unit: 'rating-value',
    rank: 2,
    rounds: 1,
    userNorm: 0.05,
    itemNorm: 0.5,
    initialStdDev: 10,
    ridge: 50,
  };

  it('as printed, exchanged norm bounds let the user step cost several times its share', async () => {
    const ratings = smallRatings(5, 6, 1);
    const { byUser } = ratings;
    const printed = { ...settings, repaired: false };
    const plan = privateAls.plan(printed, shape);
    const share = plan.releases.find(({ name }) => name === 'user-vectors')!.share;
    let largest = 0;
    for (let at = 0; at < byUser.values.length; at++) {
      const { byLine, total } = await methodLoss(
        privateAls,
        printed,
        epsilon,
        withRatingChanged(ratings, at, 1),
        withRatingChanged(ratings, at, 5),
      );
      largest = Math.max(largest, byLine.get('user-vectors') ?? 0);
      expect(total).toBeLessThanOrEqual(provenEpsilon(plan) * (1 + 1e-6));
    }
    expect(largest).toBeGreaterThan(5 * share * epsilon);
    expect(largest).toBeGreaterThan(epsilon);
  });

  it('repaired, it stays within its share', async () => {
    const ratings = smallRatings(5, 6, 1);
    for (let at = 0; at < ratings.byUser.values.length; at++) {
      const { total } = await methodLoss(
        privateAls,
        settings,
        epsilon,
        withRatingChanged(ratings, at, 1),
        withRatingChanged(ratings, at, 5),
      );
      expect(total).toBeLessThanOrEqual(epsilon * (1 + 1e-5));
    }
  });
});

describe('alternating least squares, presence', () => {
  const ratings = smallRatings(5, 6, 1);
  const neighbour = withoutRating(ratings, 0);

  it('as printed, neighbours get noise of different scale: no finite ε, and the plan says so', async () => {
    const printed = { repaired: false, rank: 2, rounds: 1 };
    const { byLine } = await methodLoss(privateAls, printed, epsilon, ratings, neighbour);
    expect(byLine.get('user-vectors')).toBe(Number.POSITIVE_INFINITY);
    expect(provenEpsilon(privateAls.plan(printed, shape))).toBe(Number.POSITIVE_INFINITY);
  });

  it('repaired, scales come from released counts and the loss is bounded', async () => {
    const { total } = await methodLoss(privateAls, { rank: 2, rounds: 1 }, epsilon, ratings, neighbour);
    expect(total).toBeLessThanOrEqual(epsilon * (1 + 1e-5));
  });
});

describe('stochastic descent, presence (Algorithm 5): one epoch from vectors on the norm bounds', () => {
  const people = 60;
  const items = 60;
  const width = 3;
  const base = {
    rank: width,
    rounds: 1,
    userNorm: 0.4,
    itemNorm: 0.5,
    ridge: 0.045,
    learningRate: 0.01,
  };
  const printed = readSettings(privateSgd.settings, { ...base, repaired: false });
  const repaired = readSettings(privateSgd.settings, base);
  /** Everyone rates everything in order; dropping the first rating gives the neighbour. */
  const dense = (from: number): VisitedRatings => {
    const count = people * items - from;
    return {
      users: Uint32Array.from({ length: count }, (_, at) => Math.floor((at + from) / items)),
      items: Uint32Array.from({ length: count }, (_, at) => (at + from) % items),
      values: Float32Array.from({ length: count }, (_, at) => (((at + from) * 7) % 3) - 1),
    };
  };
  const start = () => {
    let state = 11;
    const random = () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    const users = gaussianRows(people, width, 10, random);
    const itemRows = gaussianRows(items, width, 10, random);
    projectRows(users, width, printed.userNorm);
    projectRows(itemRows, width, printed.itemNorm);
    return { users, items: itemRows };
  };
  const rowDistances = (one: Float64Array, other: Float64Array): number[] =>
    Array.from({ length: one.length / width }, (_, row) =>
      Math.hypot(...Array.from({ length: width }, (_, c) => one[row * width + c] - other[row * width + c])),
    );
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

  it('as printed, one rating reaches other vectors within the pass and costs more than the claimed ε/k', () => {
    const one = start();
    const other = start();
    descentRound(dense(0), one.users, one.items, descentOf(printed));
    descentRound(dense(1), other.users, other.items, descentOf(printed));
    const users = rowDistances(one.users, other.users);
    const itemRows = rowDistances(one.items, other.items);
    expect(users.filter((distance) => distance > 0).length).toBeGreaterThan(people / 2);
    const { user, item } = stepSensitivities(printed);
    // Log-likelihood ratio at the noiseless output, over ε/k: noise scales are 2k·s/ε on either side.
    const loss = sum(users) / (2 * user) + sum(itemRows) / (2 * item);
    expect(loss).toBeGreaterThan(1);
    expect(provenEpsilon(privateSgd.plan({ ...base, repaired: false }, shape))).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  it('repaired, only the vectors of that user and that item move, within their bounds', () => {
    const { users, items: itemRows } = start();
    const one = batchSteps(dense(0), users, itemRows, repaired);
    const other = batchSteps(dense(1), users, itemRows, repaired);
    const { user, item } = stepSensitivities(repaired);
    const userDistances = rowDistances(one.userSteps, other.userSteps);
    const itemDistances = rowDistances(one.itemSteps, other.itemSteps);
    expect(userDistances[0]).toBeGreaterThan(0);
    expect(userDistances[0]).toBeLessThanOrEqual(user);
    expect(itemDistances[0]).toBeLessThanOrEqual(item);
    expect(sum(userDistances.slice(1)) + sum(itemDistances.slice(1))).toBe(0);
  });
});

describe('DPIMF (Ran et al. 2024)', () => {
  const ratings = smallRatings(6, 8, 3);
  const settings = { rank: 3, rounds: 2, l1Bound: 0.4, l2Bound: 0.3 };

  it.each(['strawman', 'complementary', 'symmetric', 'optimal'])(
    'as printed, %s: a flip changes the noise scale itself, and the plan states no guarantee',
    async (variant) => {
      const printed = { ...settings, variant, repaired: false };
      let largest = 0;
      for (let at = 0; at < 6; at++) {
        const { total } = await methodLoss(dpimf, printed, epsilon, ratings, withoutRating(ratings, at));
        largest = Math.max(largest, total);
      }
      expect(largest).toBe(Number.POSITIVE_INFINITY);
      const plan = dpimf.plan(printed, shape);
      expect(provenEpsilon(plan)).toBe(Number.POSITIVE_INFINITY);
      expect(plan.claimedByPaper?.claim).toContain('per user');
    },
  );

  it('repaired, a flip moves one row on either side', async () => {
    const { moved, total } = await methodLoss(dpimf, settings, epsilon, ratings, withoutRating(ratings, 0));
    expect(moved.get('user-linear')).toBeLessThanOrEqual(settings.rounds * settings.rank);
    expect(moved.get('item-linear')).toBeLessThanOrEqual(settings.rounds * settings.rank);
    expect(total).toBeLessThanOrEqual(epsilon * (1 + 1e-6));
  });
});

describe('DPMF (Hua et al. 2015)', () => {
  it('as published, user vectors carry one value into every item of that user; repaired, they do not', async () => {
    const ratings = smallRatings(6, 30, 1);
    const [low, high] = [withRatingChanged(ratings, 0, 1), withRatingChanged(ratings, 0, 5)];
    const settings = { rank: 2, rounds: 2, ridge: 0.01 };
    const printed = await methodLoss(dpmf, { ...settings, repaired: false }, epsilon, low, high);
    expect(printed.moved.get('item-sums')).toBeGreaterThan(1);
    expect(printed.total).toBeGreaterThan(epsilon);
    const repaired = await methodLoss(dpmf, settings, epsilon, low, high);
    expect(repaired.moved.get('item-sums')).toBe(settings.rounds);
    expect(repaired.total).toBeLessThanOrEqual(epsilon * (1 + 1e-5));
  });
});
