import { SeededRandom } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { type PerUserMetric, plainMean } from '../metrics/per-user.js';
import { bootstrapIntervals, quantile } from './bootstrap.js';

const random = new SeededRandom(11);
function normals(people: number, mean: number): PerUserMetric {
  return {
    name: 'ndcg@10',
    finish: plainMean,
    numerator: Float64Array.from({ length: people }, () => mean + random.normal()),
    denominator: new Float64Array(people).fill(1),
  };
}

describe('bootstrapIntervals', () => {
  it('has the width of the normal theory', () => {
    // Half-width 1.96/√n ≈ 0.0310 for n = 4000. Seeded, so it cannot fail by chance; over seeds, the
    // half-width from 1,000 resamples has a relative standard deviation of about 3%, and 20% is more than 6
    // of them.
    const metric = normals(4000, 0.5);
    const [{ value, low, high }] = bootstrapIntervals([metric]) as [
      { value: number; low: number; high: number },
    ];
    const theory = 1.96 / Math.sqrt(4000);
    expect(high - value).toBeGreaterThan(0.8 * theory);
    expect(high - value).toBeLessThan(1.2 * theory);
    expect(value - low).toBeGreaterThan(0.8 * theory);
    expect(value - low).toBeLessThan(1.2 * theory);
  });
  it('covers the truth about 95 times in 100, and would notice 80 or 100', () => {
    // 300 repetitions: the count of misses is Binomial(300, ≈0.055), mean 16.5. For a correct interval
    // P(count > 42) < 1e-7 and P(count = 0) = 4e-8; half the width misses about 98 times, twice the width
    // 0.03 times.
    let misses = 0;
    for (let repeat = 0; repeat < 300; repeat++) {
      const [estimate] = bootstrapIntervals([normals(200, 1)], { resamples: 200, seed: repeat });
      if (estimate.low > 1 || estimate.high < 1) misses++;
    }
    expect(misses).toBeLessThanOrEqual(42);
    expect(misses).toBeGreaterThan(0);
  });
  it('leaves out people who do not count and is repeatable', () => {
    const metric: PerUserMetric = {
      name: 'recall@20',
      finish: plainMean,
      numerator: Float64Array.of(1, 0, 0, 1),
      denominator: Float64Array.of(1, 0, 0, 1),
    };
    expect(bootstrapIntervals([metric])).toEqual([{ value: 1, low: 1, high: 1 }]);
    const many = normals(50, 0);
    expect(bootstrapIntervals([many])).toEqual(bootstrapIntervals([many]));
  });
  it('interpolates quantiles', () => {
    expect(quantile(Float64Array.of(0, 1, 2, 10), 0.5)).toBeCloseTo(1.5, 12);
    expect(quantile(new Float64Array(0), 0.5)).toBeNaN();
  });
});
