import { describe, expect, it } from 'vitest';
import { largestThatFits, runsThatFit, spentAfter } from './budget-plan.js';

const account = { spent: 4.7, granted: 6, delta: 1e-6 };

describe('plans for an account', () => {
  it('add up by composition: less than the sum, more than before', () => {
    const after = spentAfter(account, 1, 1);
    expect(after).toBeGreaterThan(4.7);
    expect(after).toBeLessThan(5.7);
    expect(spentAfter(account, 1, 0)).toBe(4.7);
  });

  it('say how many runs fit, and not one more', () => {
    const fit = runsThatFit(account, 1, 100);
    expect(spentAfter(account, 1, fit)).toBeLessThanOrEqual(6);
    expect(spentAfter(account, 1, fit + 1)).toBeGreaterThan(6);
    expect(runsThatFit({ ...account, granted: null }, 1, 12)).toBe(12);
  });

  it('find the largest run that fits, rounded down', () => {
    const largest = largestThatFits(account);
    expect(spentAfter(account, largest, 1)).toBeLessThanOrEqual(6);
    expect(spentAfter(account, largest * 1.1, 1)).toBeGreaterThan(6);
    expect(largestThatFits({ ...account, granted: 4.7 })).toBe(0);
    // The same noise is a larger ε at a smaller δ.
    expect(largestThatFits({ ...account, delta: 1e-5 }, 1e-6)).toBeGreaterThan(
      largestThatFits({ ...account, delta: 1e-5 }),
    );
    expect(largestThatFits({ spent: 0, granted: 3, delta: 1e-6 })).toBe(3);
  });
});
