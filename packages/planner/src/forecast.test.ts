import type { CertifiedRelease, FactorModel } from '@hushrec/model';
import { SeededRandom } from '@hushrec/ratings';
import { expect, it } from 'vitest';
import { epsilonNeeded, forecastNoise, peopleNeeded, tooNoisyBelow } from './forecast.js';
import { forecastRange, worthItBelow } from './forecast-range.js';
import { countsOfModel } from './known-counts.js';
import { referenceRuns } from './reference-runs.js';

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

it('foresees the same list for everyone where hush would have no vectors', () => {
  const shop = { people: 2000, items: 200, ratingsPerPerson: 20, feedback: 'likes' } as const;
  expect(forecastNoise(shop, 0.5, 1e-6).verdict).toBe('same-for-all');
  expect(forecastRange(shop, 0.5, 1e-6, referenceRuns).verdicts[1]).toBe('same-for-all');
  expect(forecastNoise({ ...shop, feedback: 'ratings' }, 0.5, 1e-6).verdict).toBe('worth-it');
  const people = peopleNeeded(shop, 0.5, 1e-6);
  expect(forecastNoise({ ...shop, people }, 0.5, 1e-6).verdict).toBe('worth-it');
  expect(forecastNoise({ ...shop, people: 0.99 * people }, 0.5, 1e-6).verdict).toBe('same-for-all');
  const epsilon = epsilonNeeded(shop, 1, 1e-6);
  expect(forecastNoise(shop, 1.001 * epsilon, 1e-6).verdict).toBe('worth-it');
  expect(forecastNoise(shop, 0.99 * epsilon, 1e-6).verdict).toBe('same-for-all');
});

it('never calls worth it what may be worse than bestsellers', () => {
  const films = { people: 6000, items: 3700, ratingsPerPerson: 165, feedback: 'likes' } as const;
  for (const epsilon of [0.5, 1, 2, 4, 8]) {
    const { quality, verdicts, middle } = forecastRange(films, epsilon, 1e-6, referenceRuns);
    if (quality.low < 0) expect([...verdicts, middle.verdict], `ε = ${epsilon}`).not.toContain('worth-it');
  }
  const { quality, middle } = forecastRange(films, 1, 1e-6, referenceRuns);
  expect(quality.low).toBeLessThan(0);
  expect(middle.verdict).toBe('weak');
  const people = 1.01 * peopleNeeded(films, 1, 1e-6, worthItBelow(films, referenceRuns));
  expect(forecastRange({ ...films, people }, 1, 1e-6, referenceRuns).middle.verdict).toBe('worth-it');
});

it('reads no forecast off counts that cannot be told from their noise', () => {
  const random = new SeededRandom(3);
  const countsOf = (signal: number) => {
    const popularity = Float32Array.from({ length: 1000 }, () => signal + 10 * random.normal());
    const model = { kind: 'factors', popularity } as Partial<FactorModel> as FactorModel;
    const releases: CertifiedRelease[] = [
      { name: 'item-counts', mechanism: 'gaussian', sensitivity: 1, noise: 10, count: 1 },
    ];
    return countsOfModel(model, { releases });
  };
  expect(countsOf(0)).toBeUndefined();
  expect(countsOf(40)).toBeDefined();
});
