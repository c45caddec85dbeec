import type { ModelLoss } from './loss.js';
import type { PersonFeatures } from './person-features.js';

/**
 * What a published model says about items, and how a person's own device turns it into predictions.
 * Tensors are row-major float32 with one row per item, in the order of `ModelManifest.itemIds`.
 */
export type ItemModel = FactorModel | NeighbourModel | BaselineModel;

/** Declared range of ratings. Predictions of explicit models are clamped to it. */
export interface RatingRange {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/**
 * r̂ = offset + itemBias_j + c + u · v_j, where (c, u) is fitted on the device: explicit: min Σ_j
 * (r_j − offset − b_j − c − u·v_j)² + ridge·ν·‖u‖² + interceptRidge·c² implicit: min Σ_j g_j
 * (1 − u·v_j)² + unobservedWeight·Σ_all (u·v)² + ridge·ν·‖u‖² with ν = (n + ridgeCountOffset)^ridgeExponent,
 * n the person's own number of ratings; g_j is the grade of what she rated where the model says how ratings
 * are graded, else 1. Where there is a `loss` ℓ with labels y_j, the score
 * z_j = offset + itemBias_j + c + u·v_j stands for a prediction (`predictionAt`) and (c, u) is
 *
 *   argmin Σ_j 2ℓ(z_j, y_j) + ridge·ν·‖u‖² + interceptRidge·c²
 *
 * which is the explicit form for ℓ = ½(r − z)². Where there are `personFeatures`, ‖u‖² is ‖u − p‖²
 * throughout, p what they expect of her; someone who rated nothing has u = p.
 */
export interface FactorModel {
  readonly kind: 'factors';
  readonly feedback: 'explicit' | 'implicit';
  /** Absent: squared error. Needs explicit feedback; such models have the format `hushrec-model-3`. */
  readonly loss?: ModelLoss;
  readonly rank: number;
  /** items × rank. */
  readonly itemFactors: Float32Array;
  readonly itemBias?: Float32Array;
  readonly offset: number;
  readonly foldIn: FoldInSettings;
  /**
   * Released popularity per item (noisy counts or weighted counts): the answer for people without history.
   */
  readonly popularity?: Float32Array;
  /** Only for methods that publish user vectors under their own guarantee. */
  readonly users?: PublishedUsers;
  /** What is expected of a person by her own features, which stay with her. Not with a loss. */
  readonly personFeatures?: PersonFeatures;
}

export interface FoldInSettings {
  readonly ridge: number;
  /** The ridge is multiplied by (own number of ratings + ridgeCountOffset)^exponent. */
  readonly ridgeExponent: number;
  /**
   * 0 when absent; unobservedWeight × items in the frequency-scaled regularizer of iALS (Rendle et al. 2021).
   */
  readonly ridgeCountOffset?: number;
  /** Absent: no personal intercept is fitted. */
  readonly interceptRidge?: number;
  readonly unobservedWeight: number;
  /**
   * Implicit models that learned from ratings: the declared scale on which a rating is a grade,
   * g = (r − min)/(max − min). Something without a rating has the grade 1. Absent: every choice counts 1.
   */
  readonly grades?: { readonly min: number; readonly max: number };
}

/**
 * Whether everybody gets the same order of items, whatever she chose or rated: no vectors, vectors that are
 * all 0, or a single direction that all items point to. O(items · rank).
 */
export function isSameForAll(model: ItemModel): boolean {
  if (model.kind === 'neighbours') return false;
  if (model.kind === 'baseline') return true;
  const { itemFactors, rank, feedback, foldIn } = model;
  if (itemFactors.every((value) => value === 0)) return true;
  // Then u = M⁻¹ Σ g v ≥ 0 is a number, and u·v_j has the order of v_j.
  return (
    feedback === 'implicit' && rank === 1 && foldIn.ridge > 0 && itemFactors.every((value) => value >= 0)
  );
}

/** What such a list is, in words. @param basis what it is ranked by */
export function sameForAllWords(basis: 'popularity' | 'item-means'): string {
  return `The same list for everyone, by ${basis === 'popularity' ? 'popularity' : 'how high items are rated'}: this model has no vectors, so nobody’s taste changes it.`;
}

export interface PublishedUsers {
  readonly ids: readonly string[];
  readonly factors: Float32Array;
  readonly bias?: Float32Array;
}

/**
 * Item–item neighbours. Explicit: r̂ = I_j + U + Σ s·c / Σ|s| over the k nearest rated; implicit: Σ s over
 * own items.
 */
export interface NeighbourModel {
  readonly kind: 'neighbours';
  readonly feedback: 'explicit' | 'implicit';
  /** Neighbours per item. */
  readonly k: number;
  /** items × k; −1 pads. */
  readonly neighbours: Int32Array;
  readonly similarities: Float32Array;
  readonly itemBias?: Float32Array;
  readonly offset: number;
  /** Shrinkage of the person's own mean: Σ(r − offset − I_j)/(n + userShrinkage). */
  readonly userShrinkage: number;
  readonly popularity?: Float32Array;
}

/** Averages or popularity: r̂ = offset + itemBias_j + own mean (when userShrinkage is given). */
export interface BaselineModel {
  readonly kind: 'baseline';
  readonly feedback: 'explicit' | 'implicit';
  readonly offset: number;
  readonly itemBias: Float32Array;
  readonly userShrinkage?: number;
  readonly users?: PublishedUsers;
}
