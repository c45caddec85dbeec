import type { FactorModel } from '@hushrec/model';
import { foldIn } from './fold-in.js';
import type { IndexedHistory, ModelCache, Scorer } from './scorer.js';

/**
 * r̂_j = offset + b_j + c + u·v_j with (u, c) folded in from the history. Since (u, c) = Σ_k M⁻¹ x_k y_k is linear in
 * the targets, entry k contributes x_jᵀ M⁻¹ x_k y_k to item j, and these add up to c + u·v_j.
 */
export function factorScorer(model: FactorModel, history: IndexedHistory, cache?: ModelCache): Scorer {
  const d = model.rank;
  const folded = foldIn(model, history, cache);
  const hasIntercept = model.feedback === 'explicit' && model.foldIn.interceptRidge !== undefined;
  const base = (item: number) => model.offset + (model.itemBias?.[item] ?? 0);
  return {
    base,
    score(item) {
      let score = folded.intercept;
      for (let a = 0; a < d; a++) score += folded.vector[a] * model.itemFactors[item * d + a];
      return base(item) + score;
    },
    contributions(item) {
      const z = new Float64Array(hasIntercept ? d + 1 : d);
      for (let a = 0; a < d; a++) z[a] = model.itemFactors[item * d + a];
      if (hasIntercept) z[d] = 1;
      folded.solve(z);
      const contributions = new Float64Array(history.items.length);
      for (let k = 0; k < contributions.length; k++) {
        const start = history.items[k] * d;
        let dot = hasIntercept ? z[d] : 0;
        for (let a = 0; a < d; a++) dot += z[a] * model.itemFactors[start + a];
        contributions[k] = dot * folded.targets[k];
      }
      return contributions;
    },
  };
}
