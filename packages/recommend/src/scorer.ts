import type { ItemModel } from '@hushrec/model';
import { baselineScorer } from './baseline-scorer.js';
import { factorScorer } from './factor-scorer.js';
import { neighbourScorer } from './neighbour-scorer.js';

/** One person's own history by item index: each item once, aligned ratings (all 1 for implicit feedback). */
export interface IndexedHistory {
  readonly items: Uint32Array;
  readonly ratings: Float64Array;
  /** Numbers of her own features among those of the model (`PersonFeatures`); none when absent. */
  readonly features?: readonly number[];
}

/**
 * What a model says to one person. Every score is a part that is the same for everybody (with the same
 * features, where the model has features of people) plus one term per
 * item of the person's history, so that an explanation adds up to the score:
 *
 *   score(j) = base(j) + Σ_k contributions(j)[k]
 */
export interface Scorer {
  /**
   * Score of item j: a rating before clamping (explicit), a preference (implicit), or what a loss makes a
   * prediction of.
   */
  score(item: number): number;
  /** Scores of all items, the very numbers of `score`, where that is faster than one by one. */
  scores?(): Float64Array;
  /** The part of the score that does not depend on the person's history. */
  base(item: number): number;
  /** Aligned with the history. */
  contributions(item: number): Float64Array;
  /**
   * What each entry of the history does for this item beyond what it does for the average item, aligned with
   * the history. A personal intercept, which lifts all items alike, has no part in it.
   */
  lifts(item: number): Float64Array;
}

/** The scorer of a published model for one history. An empty history gives the base alone. */
export function scorerFor(model: ItemModel, history: IndexedHistory, shared?: ModelCache): Scorer {
  switch (model.kind) {
    case 'factors':
      return factorScorer(model, history, shared);
    case 'neighbours':
      return neighbourScorer(model, history);
    case 'baseline':
      return baselineScorer(model, history);
    default:
      return model satisfies never;
  }
}

/** Work on a model that is the same for every person; kept by whoever serves several histories. */
export interface ModelCache {
  /** Σ_j v_j v_jᵀ of an implicit model, d × d. */
  gramian?: Float64Array;
  /** Mean of v_j. */
  meanItem?: Float64Array;
}

/** Number of items of a model. */
export function itemCountOf(model: ItemModel): number {
  switch (model.kind) {
    case 'factors':
      return model.itemFactors.length / model.rank;
    case 'neighbours':
      return model.neighbours.length / model.k;
    case 'baseline':
      return model.itemBias.length;
    default:
      return model satisfies never;
  }
}
