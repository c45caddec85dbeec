import '@hushrec/papers/register';
import { hushRules, methodById } from '@hushrec/factorize';
import { describe, expect, it } from 'vitest';
import { numbersOfChoices, numbersOfFacts, numbersOfRatings } from './varied-numbers.js';

const all = [...numbersOfRatings, ...numbersOfChoices, ...numbersOfFacts];
const names = new Set(all.map(({ name }) => name));

/** Settings that fix what a rule decides, or that are no more than a limit. */
const notFound = ['rank', 'rounds', 'numbers', 'effectShare'];

describe('the numbers that hush/numbers varies', () => {
  it('are all that hush has: every rule, and every setting whose default was found on data', () => {
    const settings = Object.entries(methodById('hush').settings)
      .filter(([name, { type }]) => (type === 'number' || type === 'integer') && !notFound.includes(name))
      .map(([name]) => name);
    expect([...names].sort()).toEqual([...new Set([...Object.keys(hushRules), ...settings])].sort());
  });

  it('are tried below and above what is in use, or only on the side where there is room', () => {
    for (const { name, inUse, others } of all) {
      expect(others.length, name).toBeGreaterThanOrEqual(2);
      expect(others, name).not.toContain(inUse);
      expect(Math.min(...others) < inUse && inUse < Math.max(...others), name).toBe(true);
    }
  });

  it('reach the method', () => {
    const [first] = numbersOfRatings;
    expect(first.variant(0.5)).toEqual({ rules: { peopleShare: 0.5 } });
    expect(numbersOfFacts[0].variant(3)).toEqual({ rules: { leastItems: 3 }, features: true });
    const bound = numbersOfRatings.find(({ name }) => name === 'effectBound');
    expect(bound?.variant(1)).toEqual({ settings: { effectBound: 1 } });
    expect(bound?.inUse).toBe(0.4);
  });
});
