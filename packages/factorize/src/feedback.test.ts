import { likedFrom } from '@hushrec/ratings';
import { expect, it } from 'vitest';
import { goalOf, likesForGoal, settingsForFeedback, trainingScale } from './feedback.js';
import { methodById } from './registry.js';

const stars = { min: 1, max: 5, step: 1 };
const choices = { min: 1, max: 1, step: 1 };
const [hush, als] = [methodById('hush'), methodById('als')];

it('makes lists with hush and keeps what other methods learn, unless asked', () => {
  expect([goalOf(hush, {}), goalOf(als, {}), goalOf(methodById('ials'), {})]).toEqual([
    'rank',
    'stars',
    'rank',
  ]);
  expect(goalOf(hush, { goal: 'stars' })).toBe('stars');
  expect(goalOf(hush, {}, { feedback: 'explicit' })).toBe('stars');
  expect(goalOf(als, { liked: 4 })).toBe('rank');
  expect(() => goalOf(hush, { goal: 'stars', liked: 4 })).toThrow(/do not go together/);
  expect(() => goalOf(hush, { goal: 'rank' }, { feedback: 'explicit' })).toThrow(/do not go together/);
});

it('learns lists from grades where a method can, else from likes by the declared scale', () => {
  expect(likesForGoal(hush, stars, { goal: 'rank' })).toBeUndefined();
  expect(likesForGoal(hush, stars, { goal: 'rank', liked: 3 })).toBe(3);
  expect(likesForGoal(als, stars, { goal: 'rank' })).toBe(4);
  expect(likesForGoal(als, choices, { goal: 'rank' })).toBeUndefined();
  expect(likesForGoal(als, stars, {})).toBeUndefined();
  expect(() => likesForGoal(hush, choices, { goal: 'stars' })).toThrow(/no ratings to predict/);
});

it('tells a method that learns from grades to do so, and leaves stars as they were', () => {
  expect(settingsForFeedback(hush, stars, {}, 'rank')).toEqual({ feedback: 'implicit' });
  expect(settingsForFeedback(hush, stars, {}, 'stars')).toEqual({});
  expect(settingsForFeedback(hush, trainingScale(stars, 4), {}, 'rank')).toEqual({ feedback: 'implicit' });
});

it.each([
  [{ min: 1, max: 5, step: 1 }, 4],
  [{ min: 0.5, max: 5, step: 0.5 }, 4],
  [{ min: 0, max: 1, step: 1 }, 1],
  [{ min: -10, max: 10, step: 0 }, 4],
  [{ min: 1, max: 10, step: 1 }, 8],
])('on %o liked is from %d on', (scale, from) => {
  expect(likedFrom(scale)).toBeCloseTo(from, 12);
});
