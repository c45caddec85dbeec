import { gaussianEpsilon, muFor } from '@hushrec/privacy';
import { describe, expect, it } from 'vitest';
import { epsilonLeft, epsilonOverPeriods } from './budget-left.js';

const protection = { unit: 'user', relation: 'add-remove' } as const;
const balance = (spent: number, accountant = 'gaussian-dp') => ({
  account: 'a'.repeat(32),
  unprotectedRuns: 0,
  grant: { epsilon: 2, delta: 1e-5, protection, note: '' },
  refused: false,
  runs: 1,
  unfinishedRuns: 0,
  spent: [{ protection, epsilon: spent, delta: 1e-5, accountant }],
});

describe('what is left of a budget', () => {
  it('composes with what was spent to what was granted', () => {
    const left = epsilonLeft(balance(1))!;
    expect(left).toBeGreaterThan(1);
    expect(muFor(1, 1e-5) ** 2 + muFor(left, 1e-5) ** 2).toBeCloseTo(muFor(2, 1e-5) ** 2, 9);
  });

  it('is everything at first and nothing in the end', () => {
    expect(epsilonLeft({ ...balance(0), spent: [] })).toBe(2);
    expect(epsilonLeft(balance(0))).toBe(2);
    expect(epsilonLeft(balance(2.5))).toBe(0);
  });

  it('is not stated where it has no formula', () => {
    expect(epsilonLeft(balance(1, 'pld'))).toBeUndefined();
    expect(epsilonLeft({ ...balance(1), grant: null })).toBeUndefined();
    expect(epsilonLeft({ ...balance(1), refused: true })).toBeUndefined();
  });

  it('says what a budget per period means for someone who stays', () => {
    expect(epsilonOverPeriods(1, 1e-6, 1)).toBeCloseTo(1, 6);
    expect(epsilonOverPeriods(1, 1e-6, 4)).toBeCloseTo(gaussianEpsilon(2 * muFor(1, 1e-6), 1e-6), 9);
  });
});
