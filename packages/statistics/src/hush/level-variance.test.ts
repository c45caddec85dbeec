import { ratingsOf } from '@hushrec/testing';
import { expect, it } from 'vitest';
import { revealToMechanism } from '../../../privacy/src/recorder/sensitive.js';
import { sumsOf } from '../people/sums-of.test.data.js';
import { levelVariance } from './level-variance.js';

const effects = Float64Array.of(0.5, 0, -0.5, 0, 0);

function squaresOf(items: number[], ratings: number[], bound = 4): number {
  const { byUser } = ratingsOf([{ name: 'someone', items, ratings }], effects.length);
  const { squares } = sumsOf(levelVariance, { offset: 3, effects, bound }, byUser);
  return revealToMechanism(squares.statistic)[0] * squares.gridStep;
}

it('multiplies the means of every other one of a person’s ratings, less offset and effects', () => {
  // 4.5 − 3 − 0.5 = 1 and 4 − 3 + 0.5 = 1.5 against 5 − 3 = 2.
  expect(squaresOf([0, 1, 2], [4.5, 5, 4])).toBeCloseTo(1.25 * 2, 4);
  expect(squaresOf([1, 3], [5, 2])).toBeCloseTo(2 * -1, 4);
  expect(squaresOf([1, 3], [5, 5], 0.3)).toBeCloseTo(0.3, 6);
  expect(squaresOf([1, 3], [5, 1], 0.3)).toBeCloseTo(-0.3, 6);
});

it('says nothing of people with one rating, none, or ratings that are not numbers', () => {
  expect(squaresOf([1], [5])).toBe(0);
  expect(squaresOf([], [])).toBe(0);
  expect(squaresOf([1, 3], [Number.NaN, 5])).toBe(0);
});

it('is the variance of levels on average, however few ratings tell each of them', () => {
  // Levels ±0.6, and errors ±1 in every combination: two ratings each.
  const people = [0.6, -0.6].flatMap((level) =>
    [1, -1].flatMap((first) => [1, -1].map((second) => [3 + level + first, 3 + level + second])),
  );
  const mean = people.reduce((sum, ratings) => sum + squaresOf([1, 3], ratings), 0) / people.length;
  expect(mean).toBeCloseTo(0.36, 4);
});
