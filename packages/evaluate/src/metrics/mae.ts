import { plainMean } from './per-user.js';
import type { RatingMetric } from './rating-metric.js';

/** Mean absolute error Σ |r̂ − r| / number of pairs. */
export const mae: RatingMetric = { name: 'mae', loss: Math.abs, finish: plainMean };
