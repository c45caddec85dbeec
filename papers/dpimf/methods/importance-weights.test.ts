import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InfeasibleWeightError, optimalWeight, sampledLoss } from './importance-weights.js';

const loss = fc.double({ min: 1e-3, max: 3, noNaN: true });

describe('importance weights', () => {
  it('are the largest that keep the target', () => {
    fc.assert(
      fc.property(loss, loss, (a, b) => {
        const [unit, target] = [Math.min(a, b), Math.max(a, b)];
        const weight = optimalWeight(unit, target);
        expect(sampledLoss(weight * unit, weight)).toBeLessThanOrEqual(target * (1 + 1e-12));
        expect(sampledLoss(weight * 1.001 * unit, weight * 1.001)).toBeGreaterThan(target);
      }),
      { seed: 5 },
    );
  });

  it('never lower the loss: a kept record that counts w times costs at least what it cost without sampling', () => {
    fc.assert(
      fc.property(loss, fc.double({ min: 1, max: 20, noNaN: true }), (unit, weight) => {
        expect(sampledLoss(weight * unit, weight)).toBeGreaterThanOrEqual(unit * (1 - 1e-12));
      }),
      { seed: 6 },
    );
  });

  it('refuse a record that costs too much even when always kept', () => {
    expect(() => optimalWeight(1.1, 1)).toThrow(InfeasibleWeightError);
  });
});
