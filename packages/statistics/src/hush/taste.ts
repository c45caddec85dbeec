import {
  type Csr,
  type FactorMatrix,
  packedLength,
  sharedFloat32,
  symmetricEigen,
  zeroFactors,
} from '@hushrec/numerics';
import { blocksOfPeople, peopleBetween } from '../people/cut-shares.js';
import type { PersonStatistic } from '../people/people.js';
import { addClippedOuter } from './clipped-moment.js';
import { ClippedItemSums, clippedShape } from './jointly-clipped.js';
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
  /** Public or released constant subtracted from every rating. */
  readonly offset: number;
  /** g: the taste that everybody is expected to have; 0 where absent. */
  readonly constant?: Float64Array;
}

/**
 * What a person believes about herself before she looks at her ratings: u ~ N(g, I), c ~ N(0,
 * σ²/interceptRidge).
 */
export interface PersonPrior {
  /** σ²: variance of a rating around its prediction. */
  readonly residualVariance: number;
  readonly interceptRidge: number;
}

export interface TasteBounds {
  /** B: norm of a person's whole contribution to the item vectors. */
  readonly vectorBound: number;
  /** G: Frobenius norm of a person's contribution to the second moment. */
  readonly momentBound: number;
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
  /** Qᵀg, and g·v_j for every item. */
  readonly constant: Float64Array;
  readonly ofConstant: Float64Array;
  readonly residualVariance: number;
}

/** Most entries of the people whose tastes are found at once: 12 bytes each. */
const BLOCK_ENTRIES = 2 ** 20;

/**
 * What one round releases (M-step of probabilistic matrix factorization, Salakhutdinov & Mnih 2008, with one
 * second moment shared by all items):
 *
 *   b_j = Σ_i k_i w_ij y_ij û_i            for every item, y_ij = r_ij − offset − b_j − ĉ_i
 *   C   = Σ_i k_i W_i (û_i û_iᵀ + P_i)     once, W_i = Σ_j w_ij
 *
 * (ĉ_i, û_i − g) is person i's own posterior mean given what was released before: with x_j = (1, v_j) and
 * y = r − offset − b_j − g·v_j, (Σ x_j x_jᵀ + diag(interceptRidge, σ², …, σ²))⁻¹ Σ y_j x_j. P_i stands for
 * its covariance: in the basis in which the released items' own covariance is diagonal, f_1 … f_d, it is
 * diag(σ²/(n_i f_k + σ²)), the covariance of someone who rated n_i items at random. k_i ≤ 1 scales the whole
 * of a person's part in (b_1 … b_m) to norm ≤ B; the same k_i weights her part in C, so a scaled person is a
 * lighter person, not a distorted one. C is clipped a second time, to Frobenius norm G.
 *
 * Sensitivity: B and G (see `ClippedItemSums`, `addClippedOuter`); everyone else's posterior is the same
 * whether or not person i is there, because it reads released items only. Where her own system has no
 * solution in floating point she counts as nothing said: both parts of her are 0.
 * O(ratings · d² + people · d³) for the posteriors, in the engine; O(ratings · d + people · d²) for the sums.
 */
export const taste: PersonStatistic<TasteQuestion, 'vectors' | 'moment'> = {
  id: 'taste',
  parallel: 'shares',
  shapes: ({ width, vectorBound, momentBound }, itemCount) => ({
    vectors: clippedShape('bound on a contribution', itemCount * width, vectorBound),
    moment: clippedShape('bound on a moment', packedLength(width), momentBound),
  }),
  async add({ rows, engine }, question, into) {
    const { width, residualVariance } = question;
    const vectors = new ClippedItemSums(rows.columnCount, width, question.vectorBound);
    for (const { begin, end } of blocksOfPeople(rows, BLOCK_ENTRIES)) {
      const block = peopleBetween(rows, begin, end);
      const residuals = residualsOf(block, question);
      const people = zeroFactors(block.rowCount, width + 1);
      await engine.solveRows({
        rows: block,
        fixed: question.rotated,
        out: people,
        targets: residuals,
        ridge: residualVariance,
        unsolvable: 'nan',
      });
      addBlock(block, residuals, people.data, question, vectors, into.moment);
    }
    vectors.addTo(into.vectors);
  },
};

/** r_ij − offset − b_j − g·v_j. */
function residualsOf({ values, indices }: Csr, { offset, effects, ofConstant }: TasteQuestion): Float32Array {
  const residuals = sharedFloat32(values.length);
  for (let at = 0; at < values.length; at++) {
    const item = indices[at];
    residuals[at] = values[at] - offset - effects[item] - ofConstant[item];
  }
  return residuals;
}

/**
 * Adds the parts of a block's people. Not in the function that waits for the engine: loops are slower there.
 * @param people (ĉ_i/s, Qᵀ(û_i − g)) of the block's people
 */
function addBlock(
  block: Csr,
  residuals: Float32Array,
  people: Float32Array,
  question: TasteQuestion,
  vectors: ClippedItemSums,
  moment: Float64Array,
): void {
  const { width, levelUnit, variances, residualVariance, momentBound, constant, ofConstant } = question;
  const { offsets, indices } = block;
  const { amounts } = vectors;
  const size = width + 1;
  const weights = new PersonWeights(question);
  const own = new Float64Array(block.columnCount);
  const tasteOf = new Float64Array(width);
  const spread = new Float64Array(width); // P_i
  const matrix = new Float64Array(packedLength(width));
  for (let user = 0; user < block.rowCount; user++) {
    const begin = offsets[user];
    const end = offsets[user + 1];
    const intercept = levelUnit * people[user * size];
    for (let a = 0; a < width; a++) tasteOf[a] = constant[a] + people[user * size + 1 + a];
    const total = weights.of(block, user, own);
    for (let at = begin, k = 0; at < end; at++, k++) {
      amounts[k] = own[k] * (residuals[at] + ofConstant[indices[at]] - intercept);
    }
    const weight = total * vectors.add(indices.subarray(begin, end), tasteOf);
    for (let a = 0; a < width; a++)
      spread[a] = residualVariance / ((end - begin) * variances[a] + residualVariance);
    addClippedOuter(moment, tasteOf, weight, momentBound, matrix, spread);
  }
}

/**
 * The question of a round. With c = s·c′, s² = σ²/interceptRidge, one ridge serves (c′, u): systems are well
 * conditioned, and float32 suffices. Q diagonalizes the covariance of item vectors weighted by ŝ_j; f_k ≥ 0
 * are its eigenvalues. Post-processing: a rotation of released vectors. O(items · d²).
 */
export function tasteQuestion(
  items: ReleasedItems,
  preference: ItemPreference,
  prior: PersonPrior,
  bounds: TasteBounds,
): TasteQuestion {
  const { residualVariance, interceptRidge } = prior;
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
  };
}

function principalItems({ width, vectors, weights, constant }: ReleasedItems, levelUnit: number) {
  const itemCount = weights.length;
  const mean = new Float64Array(width);
  const second = new Float64Array(width * width);
  let total = 0;
  for (let item = 0; item < itemCount; item++) {
    const weight = weights[item];
    total += weight;
    for (let a = 0; a < width; a++) {
      const va = weight * vectors[item * width + a];
      mean[a] += va;
      for (let b = a; b < width; b++) second[a * width + b] += va * vectors[item * width + b];
    }
  }
  for (let a = 0; a < width; a++) {
    for (let b = a; b < width; b++) {
      second[a * width + b] = second[a * width + b] / total - (mean[a] * mean[b]) / total ** 2;
      second[b * width + a] = second[a * width + b];
    }
  }
  const { values, vectors: basis } = symmetricEigen(second, width);
  const rotated = zeroFactors(itemCount, width + 1);
  for (let item = 0; item < itemCount; item++) {
    rotated.data[item * (width + 1)] = levelUnit;
    for (let k = 0; k < width; k++) {
      let sum = 0;
      for (let a = 0; a < width; a++) sum += vectors[item * width + a] * basis[k * width + a];
      rotated.data[item * (width + 1) + 1 + k] = sum;
    }
  }
  const turned = new Float64Array(width);
  const ofConstant = new Float64Array(itemCount);
  if (constant !== undefined) {
    for (let k = 0; k < width; k++)
      for (let a = 0; a < width; a++) turned[k] += constant[a] * basis[k * width + a];
    for (let item = 0; item < itemCount; item++)
      for (let a = 0; a < width; a++) ofConstant[item] += constant[a] * vectors[item * width + a];
  }
  return { rotated, variances: values.map((value) => Math.max(0, value)), constant: turned, ofConstant };
}
