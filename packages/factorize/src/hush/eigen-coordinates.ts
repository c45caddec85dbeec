import { smallProduct, symmetricEigen } from '@hushrec/numerics';
import type { MeasuredSums } from './earlier-rounds.js';
import type { NoisyCoordinate } from './shrinkage.js';

/** Released sums b̂_j of every item, the second moment behind them, and what is known about their error. */
export interface NoisySums {
  /** b̂_j. */
  readonly vectors: MeasuredSums;
  /** Full symmetric; each item's system is about its weight times this. */
  readonly moment: Float64Array;
  /** Standard deviation of the noise on its diagonal. */
  readonly momentNoise: number;
  /**
   * Variance that sampling adds to a coordinate of b̂_j, per unit of the item's weight times the eigenvalue.
   */
  readonly samplingVariance: number;
}

/**
 * Where eigenvalues of a released second moment stop meaning anything: below σ√(2d), where those of the
 * symmetric noise alone end (else a moment that is all noise would make vectors of any length), and where
 * rounding begins.
 */
export function eigenvalueFloor(eigenvalues: Float64Array, noise: number): number {
  return Math.max(noise * Math.sqrt(2 * eigenvalues.length), 1e-6 * Math.max(...eigenvalues), 1e-12);
}

/**
 * The sums in the eigenbasis of their moment Q diag(e) Qᵀ, where an item's system falls apart into numbers:
 *
 *   z_jk = (Qᵀ b̂_j)_k = a_jk θ_jk + error,  a_jk = w_j e_k,  variance of the error  n_jk = σ_jk² + s·a_jk
 *
 * Each k is asked for once: its numbers are finished when it is, and the caller may write in them.
 * O(items · d² + d³).
 *
 * @param weights w_j > 0 of every item
 */
export function eigenCoordinates(
  { vectors: measured, moment, momentNoise, samplingVariance }: NoisySums,
  weights: Float64Array,
) {
  const { width } = measured;
  const { values: found, vectors: basis } = symmetricEigen(moment, width);
  const floor = eigenvalueFloor(found, momentNoise);
  const eigenvalues = found.map((value) => Math.max(value, floor));
  const { values, variances } = turned(measured, basis);
  const count = weights.length;
  const strengths = new Float64Array(count);
  const coordinate = (k: number): NoisyCoordinate => {
    const eigenvalue = eigenvalues[k];
    const own = variances.subarray(k * count, (k + 1) * count);
    for (let item = 0; item < count; item++) {
      const strength = weights[item] * eigenvalue;
      strengths[item] = strength;
      own[item] += samplingVariance * strength;
    }
    return { values: values.subarray(k * count, (k + 1) * count), strengths, variances: own };
  };
  return { basis, eigenvalues, coordinate };
}

/** Items that are turned at once. */
const BLOCK = 128;

/**
 * Qᵀb̂_j and the variances of its noise, coordinate by coordinate. Items are read once, whatever their
 * number: by coordinates all of them would come through the caches d times.
 */
function turned({ width, values, variances }: MeasuredSums, basis: Float64Array) {
  const count = values.length / width;
  const byDirection = new Float64Array(width * width);
  for (let k = 0; k < width; k++)
    for (let a = 0; a < width; a++) byDirection[a * width + k] = basis[k * width + a];
  const squares = byDirection.map((part) => part ** 2);
  const turnedValues = new Float64Array(values.length);
  const turnedVariances = new Float64Array(values.length);
  const product = new Float64Array(BLOCK * width);
  const turn = (from: Float64Array, matrix: Float64Array, begin: number, end: number, into: Float64Array) => {
    smallProduct(product, from.subarray(begin * width, end * width), matrix, end - begin, width, width);
    for (let k = 0; k < width; k++)
      for (let item = begin; item < end; item++) into[k * count + item] = product[(item - begin) * width + k];
  };
  for (let begin = 0; begin < count; begin += BLOCK) {
    const end = Math.min(count, begin + BLOCK);
    turn(values, byDirection, begin, end, turnedValues);
    turn(variances, squares, begin, end, turnedVariances);
  }
  return { values: turnedValues, variances: turnedVariances };
}
