import {
  type FactorMatrix,
  packedLength,
  sharedFloat32,
  symmetricEigen,
  zeroFactors,
} from '@hushrec/numerics';
import { blocksOfPeople, peopleBetween } from '../people/cut-shares.js';
import type { PersonStatistic } from '../people/people.js';
import { addClippedMoment, ClippedItemSums, clippedShape } from './jointly-clipped.js';
import { type ItemPreference, PersonWeights } from './person-weights.js';

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
  /** `per-item` sums Σ_i k_i w_ij (û_i û_iᵀ + P_i) for every item instead of C (see `itemMoment`). */
  readonly moment: 'shared' | 'per-item';
  /** Given: residuals are clipped to ± this and tastes to norm B over this, apart, instead of scaling the whole. */
  readonly residualBound?: number;
}

/** What a round tells people: everything of it is released, public, or follows from both. */
export interface TasteQuestion extends ItemPreference, TasteBounds {
  readonly width: number;
  /** (s, Qᵀv_j) for every item, see `tasteQuestion`. */
  readonly rotated: FactorMatrix;
  /** f_1 … f_d ≥ 0. */
  readonly variances: Float64Array;
  /** s. */
  readonly levelUnit: number;
  readonly effects: Float64Array;
  readonly offset: number;
  readonly residualVariance: number;
  readonly posteriorSpread: boolean;
}

/** Most entries of the people whose tastes are found at once: 12 bytes each. */
const BLOCK_ENTRIES = 2 ** 20;

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
 * Sensitivity: B and G (see `ClippedItemSums`, `addClippedMoment`); everyone else's posterior is the same
 * whether or not person i is there, because it reads released items only. O(ratings · d² + people · d³) for the posteriors,
 * in the engine; O(ratings · d + people · d²) for the sums.
 */
export const taste: PersonStatistic<TasteQuestion, 'vectors' | 'moment'> = {
  id: 'taste',
  parallel: 'shares',
  shapes: ({ width, vectorBound, moment, momentBound }, itemCount) => ({
    vectors: clippedShape('bound on a contribution', itemCount * width, vectorBound),
    moment: clippedShape(
      'bound on a moment',
      packedLength(width) * (moment === 'shared' ? 1 : itemCount),
      momentBound,
    ),
  }),
  async add({ rows, engine }, question, into) {
    const { width, effects, offset, levelUnit, variances, residualVariance } = question;
    const { vectorBound, momentBound, residualBound = Infinity } = question;
    const shared = question.moment === 'shared';
    const spread = question.posteriorSpread ? 1 : 0;
    const size = width + 1;
    const weights = new PersonWeights(question);
    const vectors = new ClippedItemSums(rows.columnCount, width, vectorBound);
    const moments = shared
      ? undefined
      : new ClippedItemSums(rows.columnCount, packedLength(width), momentBound);
    const { amounts } = vectors;
    const own = new Float64Array(rows.columnCount);
    const tasteOf = new Float64Array(width);
    const matrix = new Float64Array(packedLength(width));
    let residuals: Float32Array | undefined;
    for (const { begin: first, end: last } of blocksOfPeople(rows, BLOCK_ENTRIES)) {
      const block = peopleBetween(rows, first, last);
      const { offsets, indices, values } = block;
      if (residuals === undefined || residuals.length < values.length)
        residuals = sharedFloat32(values.length);
      for (let at = 0; at < values.length; at++) {
        residuals[at] = values[at]! - offset - effects[indices[at]!]!;
      }
      const people = zeroFactors(block.rowCount, size);
      await engine.solveRows({
        rows: block,
        fixed: question.rotated,
        out: people,
        targets: residuals.subarray(0, values.length),
        ridge: residualVariance,
      });
      for (let user = 0; user < block.rowCount; user++) {
        const begin = offsets[user]!;
        const end = offsets[user + 1]!;
        const intercept = levelUnit * people.data[user * size]!;
        for (let a = 0; a < width; a++) tasteOf[a] = people.data[user * size + 1 + a]!;
        if (residualBound < Infinity) clipToNorm(tasteOf, vectorBound / residualBound);
        const total = weights.of(block, user, own);
        for (let at = begin, k = 0; at < end; at++, k++) {
          const residual = residuals[at]! - intercept;
          amounts[k] = own[k]! * Math.min(residualBound, Math.max(-residualBound, residual));
        }
        const items = indices.subarray(begin, end);
        const scaling = vectors.add(items, tasteOf);
        const weight = shared ? total * scaling : scaling;
        for (let a = 0, at = 0; a < width; a++) {
          matrix[at++] =
            weight *
            (tasteOf[a]! * tasteOf[a]! +
              spread * (residualVariance / ((end - begin) * variances[a]! + residualVariance)));
          for (let b = a + 1; b < width; b++, at++) matrix[at] = weight * tasteOf[a]! * tasteOf[b]!;
        }
        if (moments === undefined) addClippedMoment(into.moment, matrix, width, momentBound);
        else {
          moments.amounts.set(own.subarray(0, items.length));
          moments.add(items, itemMoment(matrix, width));
        }
      }
    }
    vectors.addTo(into.vectors);
    moments?.addTo(into.moment);
  },
};

/**
 * svec(M) = (M_aa; √2 M_ab), in place of a packed M, whose norm is the Frobenius norm, so independent noise on its coordinates is the
 * symmetric (GOE) noise on M. A person adds w_ij svec(M_i) to every item: a second moment of its own for each, as the papers
 * have it, which the shared moment is compared with.
 */
function itemMoment(matrix: Float64Array, width: number): Float64Array {
  for (let a = 0, at = 0; a < width; a++) {
    at++;
    for (let b = a + 1; b < width; b++, at++) matrix[at] = Math.SQRT2 * matrix[at]!;
  }
  return matrix;
}

function clipToNorm(vector: Float64Array, bound: number): void {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (norm > bound) for (let a = 0; a < vector.length; a++) vector[a]! *= bound / norm;
}

/**
 * The question of a round. With c = s·c′, s² = σ²/interceptRidge, one ridge serves (c′, u): systems are well conditioned, and
 * float32 suffices. Q diagonalizes the covariance of item vectors weighted by ŝ_j; f_k ≥ 0 are its eigenvalues.
 * Post-processing: a rotation of released vectors. O(items · d²).
 */
export function tasteQuestion(
  items: ReleasedItems,
  preference: ItemPreference,
  prior: PersonPrior,
  bounds: TasteBounds,
): TasteQuestion {
  const { residualVariance, interceptRidge, posteriorSpread } = prior;
  const levelUnit = Math.sqrt(residualVariance / interceptRidge);
  return {
    ...principalItems(items, levelUnit),
    ...preference,
    ...bounds,
    width: items.width,
    levelUnit,
    effects: items.effects,
    offset: items.offset,
    residualVariance,
    posteriorSpread,
  };
}

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
