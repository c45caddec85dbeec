import { type RatingMetric, summed } from './rating-metric.js';

/** Root mean squared error √(Σ (r̂ − r)² / number of pairs), over all pairs, not averaged per user first. */
export const rmse: RatingMetric = {
  name: 'rmse',
  about: 'root mean squared error of predicted ratings',
  better: 'smaller',
  unit: 'as the ratings',
  needs: 'ratings',
  predicts: ['ratings', 'counts'],
  of: (heldOut) => summed(heldOut, (prediction, rating) => (prediction - rating) * (prediction - rating)),
  finish: Math.sqrt,
};
