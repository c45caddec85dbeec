import type { Estimate } from '../intervals/bootstrap.js';
import type { MetricFacts } from './metric.js';

/**
 * A metric of all people's lists at once, which is no mean over people, with its own 95% interval. Called
 * with users × length item indices, best first; −1 pads.
 */
export interface ListMetric extends MetricFacts {
  readonly needs: 'lists';
  of(lists: Int32Array, length: number, k: number, itemCount: number): Estimate;
}
