import { expect, it } from 'vitest';
import { forecastNoise, peopleNeeded, tooNoisyBelow } from './forecast.js';

const data = { people: 10_000, items: 1000, ratingsPerPerson: 200, feedback: 'ratings' } as const;
const shape = { headShare: 0.4, tailShare: 0.1 };
const relative = (a: number, b: number) => Math.abs(a / b - 1);

// Where people rate a fifth of the catalogue (or more), the head of weighted counts has 1.3 times its share,
// the tail 0.68 times; in a catalogue without end both have their own. Signal goes with the mean count.
it('makes weighted counts more uneven than plain ones, the denser the ratings', () => {
  const dense = forecastNoise({ ...data, shape }, 1, 1e-6).counts;
  const uneven = { headShare: 0.4 * 1.3, tailShare: 0.1 * 0.68 };
  const sparse = forecastNoise({ ...data, items: 1e12, shape: uneven }, 1, 1e-6).counts;
  expect(relative(dense.head, sparse.head / 1e9)).toBeLessThan(1e-6);
  expect(relative(dense.tail, sparse.tail / 1e9)).toBeLessThan(1e-6);
  const even = forecastNoise({ ...data, items: 1e12, shape }, 1, 1e-6).counts;
  expect(even.tail / sparse.tail).toBeLessThan(0.8);
  expect(even.head / sparse.head).toBeGreaterThan(1.2);
});

it('has signal grow with people, and noise with the inverse of the budget', () => {
  const { head, tail } = forecastNoise(data, 1, 1e-6).counts;
  const twice = forecastNoise({ ...data, people: 20_000 }, 1, 1e-6).counts;
  expect(twice.head).toBeCloseTo(head / 2, 12);
  expect(twice.tail).toBeCloseTo(tail / 2, 12);
  const needed = peopleNeeded(data, 1, 1e-6);
  expect(forecastNoise({ ...data, people: needed }, 1, 1e-6).verdict).toBe('worth-it');
  expect(forecastNoise({ ...data, people: needed - 2 }, 1, 1e-6).verdict).not.toBe('worth-it');
});

it('is too noisy below an ε, and not above it', () => {
  const few = { ...data, people: 610 };
  const epsilon = tooNoisyBelow(few, 1e-6);
  expect(forecastNoise(few, 0.999 * epsilon, 1e-6).verdict).toBe('too-noisy');
  expect(forecastNoise(few, 1.001 * epsilon, 1e-6).verdict).toBe('weak');
});
