import type { BaselineModel } from '@hushrec/model';
import type { IndexedHistory, Scorer } from './scorer.js';

/**
 * r̂_j = offset + b_j + U, U = Σ_k (r_k − offset − b_k)/(n + userShrinkage) where the model has an own mean,
 * else 0.
 */
export function baselineScorer(model: BaselineModel, history: IndexedHistory): Scorer {
  const n = history.items.length;
  const shares = new Float64Array(n);
  let ownMean = 0;
  if (model.userShrinkage !== undefined && model.feedback === 'explicit') {
    for (let k = 0; k < n; k++) {
      const residual = history.ratings[k] - model.offset - model.itemBias[history.items[k]];
      shares[k] = residual / (n + model.userShrinkage);
      ownMean += shares[k];
    }
  }
  const base = (item: number) => model.offset + model.itemBias[item];
  return {
    base,
    score: (item) => base(item) + ownMean,
    contributions: () => shares.slice(),
    lifts: () => new Float64Array(n), // the own mean lifts all items alike
  };
}
