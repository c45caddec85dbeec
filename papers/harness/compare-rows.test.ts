import { describe, expect, it } from 'vitest';
import { ahead, aheadByPairs, averageOf, shown, signOf } from './compare-rows.js';

describe('comparing means over runs', () => {
  it('has the standard error of the mean, and none for one run', () => {
    // Deviations −1, 0, 1: variance 1, over three.
    expect(averageOf([1, 2, 3])).toEqual({ mean: 2, runs: 3, error: Math.sqrt(1 / 3) });
    expect(averageOf([5]).error).toBeNaN();
  });

  it('holds or fails beyond two standard errors, and is a tie within', () => {
    const at = (mean: number) => ({ mean, error: 0.03, runs: 4 });
    // The difference has the error 0.03·√2 = 0.0424: two of them are 0.0849.
    expect(ahead('a', at(0.8), at(0.9), 'rmse')).toMatchObject({ holds: true, error: 0.03 * Math.SQRT2 });
    expect(ahead('a', at(0.9), at(0.8), 'rmse')).toMatchObject({ holds: false });
    expect(ahead('a', at(0.8), at(0.88), 'rmse')).toMatchObject({ holds: 'tie' });
    expect(ahead('a', at(0.9), at(0.8), 'recall@20')).toMatchObject({ holds: true });
  });

  it('asks the metric which side is better, and refuses a name that is none', () => {
    expect(['rmse', 'log-loss', 'auc', 'HR@10', 'recall@20'].map(signOf)).toEqual([-1, -1, 1, 1, 1]);
    expect(() => signOf('rmsee')).toThrow('There is no metric "rmsee". Did you mean "rmse"?');
  });

  it('goes by the sign where nothing was run twice, and claims no error', () => {
    const once = (mean: number) => ({ mean, error: 0, runs: 1 });
    const finding = ahead('a', once(0.8), once(0.8001), 'rmse', { published: 0.01 });
    expect(finding).toMatchObject({ holds: true, published: 0.01 });
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
    expect(finding.note).toBe('0.9000 against 0.9100, 3 pairs of runs');
    expect(aheadByPairs('a beats b', [0.8, 0.9], [0.7, 1.01], 'rmse').holds).toBe('tie');
    expect(aheadByPairs('a beats b', [0.3, 0.4], [0.4, 0.51], 'recall@20').holds).toBe(false);
    expect(aheadByPairs('a beats b', [0.8], [0.9], 'rmse')).toMatchObject({ holds: true });
  });

  it('show an error only where there is one', () => {
    expect(shown(averageOf([1, 2]))).toBe('1.5000 ± 0.5000');
    expect(shown(averageOf([1]), 2)).toBe('1.00');
  });
});
