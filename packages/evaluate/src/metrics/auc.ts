import { plainMean } from './per-user.js';
import type { RatingMetric } from './rating-metric.js';

/**
 * Area under the ROC curve within people: of all pairs of held-out items that one person judged differently,
 * the share that the model puts in the right order, ties half. 0.5 says nothing. With two labels (liked or
 * not) it is the usual area, with more the concordance index. O(n²) per person.
 */
export const auc: RatingMetric = {
  name: 'auc',
  about:
    'of two items that a person judged differently, how often the better liked one is put first; 0.5 says nothing',
  better: 'larger',
  unit: 'share',
  needs: 'ratings',
  predicts: ['ratings', 'counts', 'chances'],
  shownFor: ['counts', 'chances'],
  of({ labels, scores }) {
    let numerator = 0;
    let denominator = 0;
    for (let i = 0; i < labels.length; i++) {
      for (let j = 0; j < i; j++) {
        if (labels[i] === labels[j]) continue;
        denominator++;
        if (scores[i] === scores[j]) numerator += 0.5;
        else if (scores[i] > scores[j] === labels[i] > labels[j]) numerator++;
      }
    }
    return { numerator, denominator };
  },
  finish: plainMean,
};
