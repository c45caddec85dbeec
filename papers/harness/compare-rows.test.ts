import { describe, expect, it } from 'vitest';
import { ahead, aheadByPairs, averageOf, shown, signOf, studentTail, testOf } from './compare-rows.js';

describe('comparing means over runs', () => {
  it('has the standard error of the mean, and none for one run', () => {
    // Deviations −1, 0, 1: variance 1, over three.
    expect(averageOf([1, 2, 3])).toEqual({ mean: 2, runs: 3, error: Math.sqrt(1 / 3) });
    expect(averageOf([5]).error).toBeNaN();
  });

  // Quantiles of Student's t at 97.5 %, from any table.
  it.each([
    [1, 12.7062],
    [2, 4.30265],
    [4, 2.77645],
    [9, 2.26216],
    [30, 2.04227],
    [120, 1.97993],
  ])('has a tail of one twentieth with %d degrees of freedom beyond %d', (degrees, quantile) => {
    expect(studentTail(quantile, degrees)).toBeCloseTo(0.05, 5);
  });

  it('holds or fails where the t test tells a difference, and is a tie elsewhere', () => {
    const at = (mean: number, runs = 4) => ({ mean, error: 0.03, runs });
    // The difference has the error 0.03·√2 = 0.0424 with 6 degrees of freedom, whose quantile is 2.447:
    // 0.1038.
    expect(ahead('a', at(0.8), at(0.905), 'rmse')).toMatchObject({
      holds: true,
      error: 0.03 * Math.SQRT2,
      test: { degrees: expect.closeTo(6, 9), p: expect.closeTo(0.048, 3) },
    });
    expect(ahead('a', at(0.905), at(0.8), 'rmse')).toMatchObject({ holds: false });
    expect(ahead('a', at(0.8), at(0.9), 'rmse')).toMatchObject({ holds: 'tie' });
    expect(ahead('a', at(0.905), at(0.8), 'recall@20')).toMatchObject({ holds: true });
    // With two runs each the quantile is 4.303: 0.1825, more than four standard errors.
    expect(ahead('a', at(0.8, 2), at(0.98, 2), 'rmse')).toMatchObject({ holds: 'tie' });
    expect(ahead('a', at(0.8, 2), at(0.99, 2), 'rmse')).toMatchObject({ holds: true });
  });

  it('takes a method without noise as it is, and runs that agree to the last digit as sure', () => {
    const exact = { mean: 0.9, error: Number.NaN, runs: 1 };
    const own = { mean: 0.8, error: 0.03, runs: 3 };
    expect(ahead('a', own, exact, 'rmse')).toMatchObject({ holds: 'tie', test: { degrees: 2 } });
    expect(testOf(0.1, [{ error: 0, degrees: 2 }])).toEqual({
      error: 0,
      test: { degrees: 2, p: 0 },
      holds: true,
    });
    expect(testOf(0, [{ error: 0, degrees: 2 }]).holds).toBe('tie');
  });

  it('asks the metric which side is better, and refuses a name that is none', () => {
    expect(['rmse', 'log-loss', 'auc', 'HR@10', 'recall@20'].map(signOf)).toEqual([-1, -1, 1, 1, 1]);
    expect(() => signOf('rmsee')).toThrow('There is no metric "rmsee". Did you mean "rmse"?');
  });

  it('only reports where nothing was run twice, and claims no error', () => {
    const once = (mean: number) => ({ mean, error: 0, runs: 1 });
    const finding = ahead('a', once(0.8), once(0.8001), 'rmse', { published: 0.01 });
    expect(finding).toMatchObject({ holds: null, published: 0.01 });
    expect(finding).not.toHaveProperty('error');
    expect(finding.note).toContain('1 run');
  });
});

describe('runs in pairs', () => {
  it('are judged by their differences, which may be sure where the runs themselves spread', () => {
    const finding = aheadByPairs('a beats b', [0.8, 0.9, 1], [0.81, 0.911, 1.009], 'rmse');
    expect(finding).toMatchObject({ what: 'a beats b (gain in rmse)', holds: true });
    expect(finding.measured).toBeCloseTo(0.01, 12);
    expect(finding.error).toBeCloseTo(0.001 / Math.sqrt(3), 12);
    expect(finding.note).toBe(
      '0.9000 against 0.9100, 3 pairs of runs, t test, 2 degrees of freedom, p = 0.0033',
    );
    expect(aheadByPairs('a beats b', [0.8, 0.9], [0.7, 1.01], 'rmse').holds).toBe('tie');
    expect(aheadByPairs('a beats b', [0.3, 0.4], [0.4, 0.51], 'recall@20').holds).toBe(false);
    expect(aheadByPairs('a beats b', [0.8], [0.9], 'rmse')).toMatchObject({ holds: null });
  });

  it('show an error only where there is one', () => {
    expect(shown(averageOf([1, 2]))).toBe('1.5000 ± 0.5000');
    expect(shown(averageOf([1]), 2)).toBe('1.00');
  });
});
