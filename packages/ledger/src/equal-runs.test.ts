import { muFor, tightestEpsilon } from '@hushrec/privacy';
import { describe, expect, it } from 'vitest';
import { totalCost } from './charge.js';
import { epsilonOfEqualRuns } from './equal-runs.js';

const run = (epsilon: number, delta: number, count: number) =>
  ({
    charge: { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 1 / muFor(epsilon, delta) } },
    count,
  }) as const;

describe('equal runs within a budget', () => {
  it.each([
    [12, 4, 1e-6],
    [1, 1, 1e-5],
    [52, 8, 1e-7],
    [365, 1, 1e-8],
  ])('%d runs within ε = %f at δ = %f: as much as fits, and not 0.0002 more', (runs, epsilon, delta) => {
    const each = epsilonOfEqualRuns({ runs, epsilon, delta, spent: [], accountant: tightestEpsilon });
    expect(totalCost([run(each, delta, runs)], delta, tightestEpsilon).epsilon).toBeLessThanOrEqual(epsilon);
    expect(totalCost([run(each + 2e-4, delta, runs)], delta, tightestEpsilon).epsilon).toBeGreaterThan(
      epsilon,
    );
    expect(each).toBeGreaterThanOrEqual(epsilon / runs);
  });

  it('leaves room for what is spent, also by other noise', () => {
    const delta = 1e-6;
    const spent = [
      run(1, delta, 2),
      { charge: { kind: 'guarantee', epsilon: 0.5, delta: 1e-7, because: 'tuning' }, count: 1 } as const,
    ];
    const each = epsilonOfEqualRuns({ runs: 4, epsilon: 4, delta, spent, accountant: tightestEpsilon });
    const total = (more: number) =>
      totalCost([...spent, run(each + more, delta, 4)], delta, tightestEpsilon).epsilon;
    expect(total(0)).toBeLessThanOrEqual(4);
    expect(total(2e-4)).toBeGreaterThan(4);
    const nothing = { runs: 1, epsilon: 1, delta, spent: [run(2, delta, 1)], accountant: tightestEpsilon };
    expect(epsilonOfEqualRuns(nothing)).toBe(0);
  });
});
