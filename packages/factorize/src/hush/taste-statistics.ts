import {
  type Csr,
  type Engine,
  type FactorMatrix,
  sharedFloat32,
  symmetricEigen,
  zeroFactors,
} from '@hushrec/numerics';
import { type GridSums, JointlyClippedItemSums, JointlyClippedMoment } from '@hushrec/statistics';
import { PerItemMoments } from './per-item-moments.js';

/** Released item side, as a person's own step reads it. Float64, items by rows. */
export interface ReleasedItems {
  readonly width: number;
  /** v_j. */
  readonly vectors: Float64Array;
  /** b_j. */
  readonly effects: Float64Array;
  /** ŝ_j > 0: released weight of every item. */
  readonly weights: Float64Array;
  /** Public constant subtracted from every rating: the middle of the scale. */
  readonly offset: number;
}

/** What a person believes about herself before she looks at her ratings: u ~ N(0, I), c ~ N(0, σ²/interceptRidge). */
export interface PersonPrior {
  /** σ²: variance of a rating around its prediction. */
  readonly residualVariance: number;
  readonly interceptRidge: number;
  /** Whether P_i below is counted. */
  readonly posteriorSpread: boolean;
}

export interface TasteBounds {
  /** B: norm of a person's whole contribution to the item vectors. */
  readonly vectorBound: number;
  /** G: Frobenius norm of a person's contribution to the second moment, or moments. */
  readonly momentBound: number;
  /** `per-item` sums Σ_i k_i w_ij (û_i û_iᵀ + P_i) for every item instead of C (see `PerItemMoments`). */
  readonly moment: 'shared' | 'per-item';
  /** Given: residuals are clipped to ± this and tastes to norm B over this, apart, instead of scaling the whole. */
  readonly residualBound?: number;
}

/** What a round works in besides its sums, for callers with several rounds. */
export interface TasteBuffers {
  readonly residuals: Float32Array;
  readonly amounts: Float64Array;
  /** (ĉ_i/s, û_i), see `tasteStatistics`. */
  readonly people: FactorMatrix;
}

/** 12 bytes per rating and 4(d + 1) per person. */
export function tasteBuffers(byUser: Csr, width: number): TasteBuffers {
  return {
    residuals: sharedFloat32(byUser.indices.length),
    amounts: new Float64Array(byUser.indices.length),
    people: zeroFactors(byUser.rowCount, width + 1),
  };
}

/**
 * What one round releases (M-step of probabilistic matrix factorization, Salakhutdinov & Mnih 2008, with one second
 * moment shared by all items):
 *
 *   b_j = Σ_i k_i w_ij y_ij û_i            for every item, y_ij = r_ij − offset − b_j − ĉ_i
 *   C   = Σ_i k_i W_i (û_i û_iᵀ + P_i)     once, W_i = Σ_j w_ij
 *
 * (ĉ_i, û_i) is person i's own posterior mean given what was released before: with x_j = (1, v_j) and y = r − offset − b_j,
 * (Σ x_j x_jᵀ + diag(interceptRidge, σ², …, σ²))⁻¹ Σ y_j x_j. P_i stands for its covariance: in the basis in which the released
 * items' own covariance is diagonal, f_1 … f_d, it is diag(σ²/(n_i f_k + σ²)), the covariance of someone who rated n_i items at
 * random. k_i ≤ 1 scales the whole of a person's part in (b_1 … b_m) to norm ≤ B; the same k_i weights her part in C, so a
 * scaled person is a lighter person, not a distorted one. C is clipped a second time, to Frobenius norm G.
 *
 * Sensitivity: B and G (see `JointlyClippedItemSums`, `JointlyClippedMoment`); everyone else's posterior is the same
 * whether or not person i is there, because it reads released items only. O(ratings · d² + people · d³) for the posteriors,
 * in the engine; O(ratings · d + people · d²) for the sums.
 */
export async function tasteStatistics(
  engine: Engine,
  byUser: Csr,
  weights: Float64Array,
  items: ReleasedItems,
  prior: PersonPrior,
  bounds: TasteBounds,
  buffers: TasteBuffers = tasteBuffers(byUser, items.width),
): Promise<{ readonly vectors: GridSums; readonly moment: GridSums }> {
  const { width, effects, offset } = items;
  const { residualVariance, interceptRidge } = prior;
  // With c = s·c′, s² = σ²/interceptRidge, one ridge serves (c′, u): systems are well conditioned, and float32 suffices.
  const levelUnit = Math.sqrt(residualVariance / interceptRidge);
  const { rotated, variances } = principalItems(items, levelUnit);
  const spread = prior.posteriorSpread ? 1 : 0;
  const size = width + 1;
  const { residuals, amounts, people } = buffers;
  for (let at = 0; at < residuals.length; at++) {
    residuals[at] = byUser.values[at]! - offset - effects[byUser.indices[at]!]!;
  }
  await engine.solveRows({
    rows: byUser,
    fixed: rotated,
    out: people,
    targets: residuals,
    ridge: residualVariance,
  });

  const vectors = new JointlyClippedItemSums(byUser.columnCount, width, bounds.vectorBound);
  const moment =
    bounds.moment === 'shared'
      ? new JointlyClippedMoment(width, bounds.momentBound)
      : new PerItemMoments(byUser.columnCount, width, bounds.momentBound);
  const residualBound = bounds.residualBound ?? Infinity;
  const taste = new Float64Array(width);
  const matrix = new Float64Array((width * (width + 1)) / 2);
  for (let user = 0; user < byUser.rowCount; user++) {
    const intercept = levelUnit * people.data[user * size]!;
    for (let a = 0; a < width; a++) taste[a] = people.data[user * size + 1 + a]!;
    const begin = byUser.offsets[user]!;
    const end = byUser.offsets[user + 1]!;
    if (residualBound < Infinity) clipToNorm(taste, bounds.vectorBound / residualBound);
    let total = 0;
    for (let at = begin; at < end; at++) {
      const residual = residuals[at]! - intercept;
      amounts[at] = weights[at]! * Math.min(residualBound, Math.max(-residualBound, residual));
      total += weights[at]!;
    }
    const scaling = vectors.add(byUser, user, amounts, taste);
    const weight = bounds.moment === 'shared' ? total * scaling : scaling;
    for (let a = 0, at = 0; a < width; a++) {
      matrix[at++] =
        weight *
        (taste[a]! * taste[a]! +
          spread * (residualVariance / ((end - begin) * variances[a]! + residualVariance)));
      for (let b = a + 1; b < width; b++, at++) matrix[at] = weight * taste[a]! * taste[b]!;
    }
    if (moment instanceof PerItemMoments) moment.add(byUser, user, weights, matrix);
    else moment.add(matrix);
  }
  return { vectors: vectors.finish(), moment: moment.finish() };
}

function clipToNorm(vector: Float64Array, bound: number): void {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (norm > bound) for (let a = 0; a < vector.length; a++) vector[a]! *= bound / norm;
}

/**
 * (s, Qᵀv_j) for every item, where Q diagonalizes the covariance of item vectors weighted by ŝ_j, and its eigenvalues f_k ≥ 0.
 * Post-processing: a rotation of released vectors. O(items · d²).
 */
function principalItems({ width, vectors, weights }: ReleasedItems, levelUnit: number) {
  const itemCount = weights.length;
  const mean = new Float64Array(width);
  const second = new Float64Array(width * width);
  let total = 0;
  for (let item = 0; item < itemCount; item++) {
    const weight = weights[item]!;
    total += weight;
    for (let a = 0; a < width; a++) {
      const va = weight * vectors[item * width + a]!;
      mean[a]! += va;
      for (let b = a; b < width; b++) second[a * width + b]! += va * vectors[item * width + b]!;
    }
  }
  for (let a = 0; a < width; a++) {
    for (let b = a; b < width; b++) {
      second[a * width + b] = second[a * width + b]! / total - (mean[a]! * mean[b]!) / total ** 2;
      second[b * width + a] = second[a * width + b]!;
    }
  }
  const { values, vectors: basis } = symmetricEigen(second, width);
  const rotated = zeroFactors(itemCount, width + 1);
  for (let item = 0; item < itemCount; item++) {
    rotated.data[item * (width + 1)] = levelUnit;
    for (let k = 0; k < width; k++) {
      let sum = 0;
      for (let a = 0; a < width; a++) sum += vectors[item * width + a]! * basis[k * width + a]!;
      rotated.data[item * (width + 1) + 1 + k] = sum;
    }
  }
  return { rotated, variances: values.map((value) => Math.max(0, value)) };
}
