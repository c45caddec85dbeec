import { plainMean } from './per-user.js';
import { type RatingMetric, summed } from './rating-metric.js';

/** Mean absolute error Σ |r̂ − r| / number of pairs, over all pairs. */
export const mae: RatingMetric = {
  name: 'mae',
  about: 'mean absolute error of predicted ratings',
  better: 'smaller',
  unit: 'as the ratings',
  needs: 'ratings',
  predicts: ['ratings', 'counts'],
  of: (heldOut) => summed(heldOut, (prediction, rating) => Math.abs(prediction - rating)),
  finish: plainMean,
};
