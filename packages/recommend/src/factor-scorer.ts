import type { FactorModel } from '@hushrec/model';
import { type FoldedIn, foldIn } from './fold-in.js';
import type { IndexedHistory, ModelCache, Scorer } from './scorer.js';

/**
 * r̂_j = offset + b_j + c + u·v_j with (u, c) folded in from the history. Since (u, c) = Σ_k M⁻¹ x_k y_k + e
 * is linear in the targets, entry k contributes x_jᵀ M⁻¹ x_k y_k to item j, and these and what her features
 * expect, x_j·e, add up to c + u·v_j. With a loss the score is the same and stands for the prediction
 * `predictionAt` gives; the targets are those of its last Newton step.
 */
export function factorScorer(model: FactorModel, history: IndexedHistory, cache: ModelCache = {}): Scorer {
  const d = model.rank;
  const folded = foldIn(model, history, cache);
  const hasIntercept = model.feedback === 'explicit' && model.foldIn.interceptRidge !== undefined;
  /** xᵀ M⁻¹ x_k y_k of every entry k, x a vector followed by what it takes of the intercept. */
  const along = (vector: ArrayLike<number>, ofIntercept: number) => {
    const z = new Float64Array(hasIntercept ? d + 1 : d);
    z.set(vector);
    if (hasIntercept) z[d] = ofIntercept;
    folded.solve(z);
    const contributions = new Float64Array(history.items.length);
    for (let k = 0; k < contributions.length; k++) {
      const start = history.items[k] * d;
      let dot = hasIntercept ? z[d] : 0;
      for (let a = 0; a < d; a++) dot += z[a] * model.itemFactors[start + a];
      contributions[k] = dot * folded.targets[k];
    }
    return contributions;
  };
  const ofItem = (item: number) => model.offset + (model.itemBias?.[item] ?? 0);
  return {
    base(item) {
      let expected = hasIntercept ? folded.expected[d] : 0;
      for (let a = 0; a < d; a++) expected += folded.expected[a] * model.itemFactors[item * d + a];
      return ofItem(item) + expected;
    },
    score(item) {
      let score = folded.intercept;
      for (let a = 0; a < d; a++) score += folded.vector[a] * model.itemFactors[item * d + a];
      return ofItem(item) + score;
    },
    scores: () => scoresOfAll(model, folded, ofItem),
    contributions(item) {
      return along(model.itemFactors.subarray(item * d, (item + 1) * d), 1);
    },
    lifts(item) {
      cache.meanItem ??= meanItem(model);
      const beyond = new Float64Array(d); // v_j − v̄, and no 1 for the intercept
      for (let a = 0; a < d; a++) beyond[a] = model.itemFactors[item * d + a] - cache.meanItem[a];
      return along(beyond, 0);
    },
  };
}

function scoresOfAll(
  { itemFactors, rank: d }: FactorModel,
  { vector, intercept }: FoldedIn,
  ofItem: (item: number) => number,
): Float64Array {
  const count = itemFactors.length / d;
  const scores = new Float64Array(count);
  const rowOf = (item: number) => Math.min(item, count - 1) * d;
  // Four items at a time: an addition waits for the one before it, and those of other items need not wait.
  // Beyond the last item the last one is scored again, and written nowhere.
  for (let item = 0; item < count; item += 4) {
    const [first, second, third, fourth] = [rowOf(item), rowOf(item + 1), rowOf(item + 2), rowOf(item + 3)];
    let [s0, s1, s2, s3] = [intercept, intercept, intercept, intercept];
    for (let a = 0; a < d; a++) {
      const x = vector[a];
      s0 += x * itemFactors[first + a];
      s1 += x * itemFactors[second + a];
      s2 += x * itemFactors[third + a];
      s3 += x * itemFactors[fourth + a];
    }
    scores[item] = s0;
    scores[item + 1] = s1;
    scores[item + 2] = s2;
    scores[item + 3] = s3;
  }
  for (let item = 0; item < count; item++) scores[item] = ofItem(item) + scores[item];
  return scores;
}

function meanItem({ rank, itemFactors }: FactorModel): Float64Array {
  const mean = new Float64Array(rank);
  const count = itemFactors.length / rank;
  for (let at = 0; at < itemFactors.length; at++) mean[at % rank] += itemFactors[at] / count;
  return mean;
}
