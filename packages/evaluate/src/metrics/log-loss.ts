import { plainMean } from './per-user.js';
import { type RatingMetric, summed } from './rating-metric.js';

/**
 * −ln of the chance that was given to what happened, mean over all pairs: ln 2 = 0.693 says nothing, 0 is
 * always right.
 */
export const logLoss: RatingMetric = {
  name: 'log-loss',
  about: '−ln of the chance given to what happened; ln 2 = 0.693 says nothing',
  better: 'smaller',
  unit: 'nats',
  needs: 'ratings',
  predicts: ['chances'],
  of: (heldOut) =>
    summed(
      heldOut,
      (chance, label) => -Math.log(Math.max(label === 1 ? chance : 1 - chance, Number.MIN_VALUE)),
    ),
  finish: plainMean,
};
