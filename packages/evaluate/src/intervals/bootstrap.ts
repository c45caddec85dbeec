import { SeededRandom } from '@hushrec/ratings';
import { metricValue, type PerUserMetric } from '../metrics/per-user.js';

/** A value with its 95% confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  /**
   * Unless given, 1,000, and fewer (at least 200) for more than 20,000 people, whose intervals need no more.
   */
  readonly resamples?: number;
  /** Fixed so that the same evaluation prints the same interval; no noise comes from it. */
  readonly seed?: number;
}

/**
 * Percentile bootstrap over people: as many people are drawn with replacement as there are, the metric is
 * recomputed, and the 2.5% and 97.5% points of the recomputed values are the interval (Efron & Tibshirani
 * 1993). All metrics see the same resamples. People who count for no metric are left out first.
 * O(resamples · users · metrics).
 */
export function bootstrapIntervals(
  metrics: readonly PerUserMetric[],
  options: BootstrapOptions = {},
): Estimate[] {
  const people = countedPeople(metrics);
  const enough = Math.max(200, Math.min(1000, Math.floor(2e7 / Math.max(1, people.length))));
  const { resamples = enough, seed = 1 } = options;
  const random = new SeededRandom(seed);
  const values = metrics.map(() => new Float64Array(resamples));
  const above = new Float64Array(metrics.length);
  const below = new Float64Array(metrics.length);
  for (let b = 0; b < resamples; b++) {
    above.fill(0);
    below.fill(0);
    for (let draw = 0; draw < people.length; draw++) {
      const person = people[random.below(people.length)];
      for (let m = 0; m < metrics.length; m++) {
        above[m] = above[m] + metrics[m].numerator[person];
        below[m] = below[m] + metrics[m].denominator[person];
      }
    }
    for (let m = 0; m < metrics.length; m++) values[m][b] = metrics[m].finish(above[m] / below[m]);
  }
  return metrics.map((metric, m) => {
    const sorted = values[m].filter((value) => !Number.isNaN(value)).sort();
    return { value: metricValue(metric), low: quantile(sorted, 0.025), high: quantile(sorted, 0.975) };
  });
}

/** Users with a positive denominator in at least one metric. */
function countedPeople(metrics: readonly PerUserMetric[]): Uint32Array {
  const users = metrics[0]?.denominator.length ?? 0;
  const counted: number[] = [];
  for (let i = 0; i < users; i++) if (metrics.some((metric) => metric.denominator[i] > 0)) counted.push(i);
  return Uint32Array.from(counted);
}

/** Linear interpolation between order statistics (Hyndman & Fan 1996, type 7); NaN for an empty list. */
export function quantile(sorted: Float64Array, p: number): number {
  if (sorted.length === 0) return Number.NaN;
  const position = p * (sorted.length - 1);
  const below = Math.floor(position);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}
