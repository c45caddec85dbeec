import type { RatingMetric } from './rating-metric.js';

/** Root mean squared error √(Σ (r̂ − r)² / number of pairs), over all pairs, not averaged per user first. */
export const rmse: RatingMetric = { name: 'rmse', loss: (error) => error * error, finish: Math.sqrt };
