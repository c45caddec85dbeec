import { methodLoss, smallRatings, withoutRating, withRatingChanged } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { dpimf } from '../dpimf/methods/dpimf.js';
import { dplcf } from '../dpimf/methods/dplcf.js';
import { dpmf } from '../dpimf/methods/dpmf.js';
import { ldpicf } from '../dpimf/methods/ldpicf.js';
import { inputPerturbation } from '../friedman/methods/input-perturbation.js';
import { privateAls } from '../friedman/methods/private-als.js';
import { privateGlobalEffects } from '../friedman/methods/private-global-effects.js';
import { privateKnn } from '../friedman/methods/private-knn.js';
import { privateSgd } from '../friedman/methods/private-sgd.js';

const epsilon = 1.5;

/**
 * Every method with its proved variant, for every unit it supports; `tight` is the share of ε that some
 * neighbour reaches.
 */
const cases = [
  { method: privateGlobalEffects, settings: { unit: 'rating-value' }, tight: 0.99 },
  { method: privateGlobalEffects, settings: { unit: 'rating-presence' }, tight: 0.9 },
  { method: inputPerturbation, settings: { unit: 'rating-value', rank: 2, rounds: 2 }, tight: 0.9 },
  { method: inputPerturbation, settings: { unit: 'rating-presence', rank: 2, rounds: 2 }, tight: 0.9 },
  { method: privateSgd, settings: { unit: 'rating-value', rank: 2, rounds: 2 }, tight: 0.9 },
  {
    method: privateSgd,
    settings: { unit: 'rating-presence', rank: 2, rounds: 2, initialStdDev: 5, learningRate: 0.1 },
    tight: 0.6,
  },
  { method: privateAls, settings: { unit: 'rating-value', rank: 2, rounds: 2 }, tight: 0.6 },
  {
    method: privateAls,
    settings: {
      unit: 'rating-value',
      sensitivity: 'worst-case',
      rank: 2,
      rounds: 2,
      ridge: 0.5,
    },
    tight: 0.4,
  },
  {
    method: privateAls,
    settings: { unit: 'rating-presence', rank: 2, rounds: 2, fewestRatings: 1, ridge: 0.5 },
    tight: 0.3,
  },
  { method: privateKnn, settings: { unit: 'rating-value' }, tight: 0.9 },
  { method: privateKnn, settings: { unit: 'rating-presence' }, tight: 0.9 },
] as const;

describe('one changed value or one missing rating costs at most ε', () => {
  it.each(cases)('$method.id, $settings', async ({ method, settings, tight }) => {
    let largest = 0;
    for (const seed of [1, 2, 3]) {
      const ratings = smallRatings(5, 6, seed);
      for (let at = 0; at < ratings.byUser.values.length; at++) {
        const neighbours =
          settings.unit === 'rating-value'
            ? [1, 5, 1e12].map((value) => withRatingChanged(ratings, at, value))
            : [withoutRating(ratings, at)];
        for (const neighbour of neighbours) {
          const { total } = await methodLoss(method, settings, epsilon, ratings, neighbour);
          expect(total).toBeLessThanOrEqual(epsilon * (1 + 1e-5));
          largest = Math.max(largest, total);
        }
      }
    }
    // A bound that no neighbour comes near would be wasted noise, or a test that looks at nothing.
    expect(largest).toBeGreaterThan(tight * epsilon);
  });
});

describe('bounds and scales that are not on the grid', () => {
  it.each(['rating-value', 'rating-presence'])('are clipped to it from inside, %s', async (unit) => {
    const scaled = { ...smallRatings(5, 6, 1), scale: { min: 0.1, max: 4.7, step: 0 } };
    const settings = { unit, residualBound: 0.3, userBound: 0.7, rank: 2, rounds: 2 };
    for (let at = 0; at < scaled.byUser.values.length; at++) {
      const neighbour =
        unit === 'rating-value' ? withRatingChanged(scaled, at, 1e9) : withoutRating(scaled, at);
      const { total } = await methodLoss(inputPerturbation, settings, epsilon, scaled, neighbour);
      expect(total).toBeLessThanOrEqual(epsilon * (1 + 1e-5));
    }
  });
});

describe('one flipped cell costs at most ε', () => {
  it.each([
    { method: dpimf, settings: { variant: 'strawman' }, tight: 0.2 },
    { method: dpimf, settings: { variant: 'complementary' }, tight: 0.5 },
    { method: dpimf, settings: { variant: 'symmetric' }, tight: 0.5 },
    { method: dpimf, settings: { variant: 'optimal' }, tight: 0.5 },
    { method: dpimf, settings: { variant: 'optimal', side: 'user', importanceSampling: true }, tight: 0.5 },
    { method: dplcf, settings: {}, tight: 0.99 },
    { method: ldpicf, settings: {}, tight: 0.99 },
  ])('$method.id, $settings', async ({ method, settings, tight }) => {
    const given =
      method === dpimf ? { ...settings, rank: 3, rounds: 2, l1Bound: 0.4, l2Bound: 0.3 } : settings;
    let largest = 0;
    for (const seed of [1, 2]) {
      const ratings = smallRatings(5, 6, seed);
      for (let at = 0; at < ratings.byUser.values.length; at++) {
        const { total } = await methodLoss(method, given, epsilon, ratings, withoutRating(ratings, at));
        expect(total).toBeLessThanOrEqual(epsilon * (1 + 1e-5));
        largest = Math.max(largest, total);
      }
    }
    expect(largest).toBeGreaterThan(tight * epsilon);
  });
});

describe('dpmf', () => {
  it('one changed value costs at most ε', async () => {
    let largest = 0;
    for (const seed of [1, 2]) {
      const ratings = smallRatings(5, 6, seed);
      for (let at = 0; at < ratings.byUser.values.length; at++) {
        for (const value of [1, 5]) {
          const neighbour = withRatingChanged(ratings, at, value);
          const { total } = await methodLoss(dpmf, { rank: 2, rounds: 2 }, epsilon, ratings, neighbour);
          expect(total).toBeLessThanOrEqual(epsilon * (1 + 1e-5));
          largest = Math.max(largest, total);
        }
      }
    }
    expect(largest).toBeGreaterThan(0.5 * epsilon);
  });
});
