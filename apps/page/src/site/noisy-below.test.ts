import { forecastNoise } from '@hushrec/planner';
import { expect, it } from 'vitest';
import { noisyBelow } from './noisy-below.js';

const few = { people: 610, items: 2000, ratings: 60_000, feedback: 'ratings' } as const;

it('is where the forecast changes its mind', () => {
  const epsilon = noisyBelow(few, 1e-6)!;
  const verdict = (at: number) =>
    forecastNoise({ ...few, ratingsPerPerson: few.ratings / few.people }, at, 1e-6).verdict;
  expect(verdict(0.999 * epsilon)).toBe('too-noisy');
  expect(verdict(1.001 * epsilon)).not.toBe('too-noisy');
});

it('is smaller with more people, and unknown without them or without noise', () => {
  expect(noisyBelow({ ...few, people: 6100, ratings: 600_000 }, 1e-6)).toBeLessThan(
    noisyBelow(few, 1e-6)! / 5,
  );
  expect(noisyBelow(null, 1e-6)).toBeUndefined();
  expect(noisyBelow(few, 0)).toBeUndefined();
});
