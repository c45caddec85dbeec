import type { NeighbourModel } from '@hushrec/model';
import type { IndexedHistory, Scorer } from './scorer.js';

/**
 * Item–item neighbours (Friedman et al. 2016, §5.4). With y_k = r_k − offset − b_k, the own mean
 * U = Σ y_k / (n + userShrinkage), and N the item's neighbours that the person has rated:
 *
 *   explicit: r̂_j = offset + b_j + U + Σ_N s_jk (y_k − U) / Σ_N |s_jk|        implicit: Σ_N s_jk
 *
 * Linear in y, so entry k contributes (1 − Σ_N s/Σ_N|s|)·y_k/(n + userShrinkage) + [k ∈ N] s_jk y_k/Σ_N|s|.
 */
export function neighbourScorer(model: NeighbourModel, history: IndexedHistory): Scorer {
  const n = history.items.length;
  const place = new Map<number, number>();
  const y = new Float64Array(n);
  let sum = 0;
  for (let k = 0; k < n; k++) {
    const item = history.items[k];
    place.set(item, k);
    y[k] =
      model.feedback === 'implicit' ? 1 : history.ratings[k] - model.offset - (model.itemBias?.[item] ?? 0);
    sum += y[k];
  }
  const implicit = model.feedback === 'implicit';
  const ownMean = n === 0 || implicit ? 0 : sum / (n + model.userShrinkage);
  const base = (item: number) => (implicit ? 0 : model.offset + (model.itemBias?.[item] ?? 0));

  /** Calls back with the place in the history and the similarity of each rated neighbour. O(model.k). */
  const ratedNeighbours = (item: number, visit: (k: number, similarity: number) => void) => {
    for (let a = item * model.k; a < (item + 1) * model.k; a++) {
      const neighbour = model.neighbours[a];
      if (neighbour < 0) return;
      const k = place.get(neighbour);
      if (k !== undefined) visit(k, model.similarities[a]);
    }
  };

  /** Σ_N s/Σ_N|s| and what of it is each entry's, for the neighbours of an item. */
  const ofNeighbours = (item: number) => {
    const parts = new Float64Array(n);
    let signed = 0;
    let mass = 0;
    ratedNeighbours(item, (k, s) => {
      parts[k] = s * y[k];
      signed += s;
      mass += Math.abs(s);
    });
    const scale = implicit ? 1 : mass > 0 ? 1 / mass : 0;
    return { parts: parts.map((part) => part * scale), signed: signed * scale };
  };

  return {
    base,
    score(item) {
      let weighted = 0;
      let mass = 0;
      ratedNeighbours(item, (k, s) => {
        weighted += s * (y[k] - ownMean);
        mass += Math.abs(s);
      });
      if (implicit) return weighted;
      return base(item) + ownMean + (mass > 0 ? weighted / mass : 0);
    },
    contributions(item) {
      const { parts, signed } = ofNeighbours(item);
      if (implicit) return parts;
      const toMean = (1 - signed) / (n + model.userShrinkage);
      return parts.map((part, k) => part + toMean * y[k]);
    },
    // What the own mean does, it does for all items; an item is next to nothing to most of them.
    lifts: (item) => ofNeighbours(item).parts,
  };
}
