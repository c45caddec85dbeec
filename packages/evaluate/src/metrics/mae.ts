import { plainMean } from './per-user.js';
import { type RatingMetric, summed } from './rating-metric.js';

/** Mean absolute error Σ |r̂ − r| / number of pairs, over all pairs. */
export const mae: RatingMetric = {
  name: 'mae',
  of: (heldOut) => summed(heldOut, (prediction, rating) => Math.abs(prediction - rating)),
  finish: plainMean,
};
