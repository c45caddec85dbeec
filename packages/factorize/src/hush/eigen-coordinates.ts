import { symmetricEigen } from '@hushrec/numerics';
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
  /** Eigenvalues below this part of the largest are lifted to it. */
  readonly leastEigenvalue: number;
}

/**
 * Where eigenvalues of a released second moment stop meaning anything: below σ√(2d), where those of the
 * symmetric noise alone end, and below a part of the largest. Without the former, a moment that is all noise
 * would make vectors of any length.
 */
function eigenvalueFloor(eigenvalues: Float64Array, noise: number, least: number): number {
  return Math.max(noise * Math.sqrt(2 * eigenvalues.length), least * Math.max(...eigenvalues), 1e-12);
}

/**
 * The sums in the eigenbasis of their moment Q diag(e) Qᵀ, where an item's system falls apart into numbers:
 *
 *   z_jk = (Qᵀ b̂_j)_k = a_jk θ_jk + error,  a_jk = w_j e_k,  variance of the error  n_jk = σ_jk² + s·a_jk
 *
 * `coordinate(k)` is written into the same memory for every k; the caller may write in it too. O(items · d)
 * each, besides O(d³) once.
 *
 * @param weights w_j > 0 of every item
 */
export function eigenCoordinates(
  { vectors: measured, moment, momentNoise, samplingVariance, leastEigenvalue }: NoisySums,
  weights: Float64Array,
) {
  const { width } = measured;
  const { values: found, vectors: basis } = symmetricEigen(moment, width);
  const floor = eigenvalueFloor(found, momentNoise, leastEigenvalue);
  const eigenvalues = found.map((value) => Math.max(value, floor));
  const values = new Float64Array(weights.length);
  const strengths = new Float64Array(weights.length);
  const variances = new Float64Array(weights.length);
  const coordinate = (k: number): NoisyCoordinate => {
    const direction = basis.subarray(k * width, (k + 1) * width);
    const squares = direction.map((part) => part ** 2);
    const eigenvalue = eigenvalues[k];
    for (let item = 0, at = 0; item < weights.length; item++) {
      let z = 0;
      let noise = 0;
      for (let a = 0; a < width; a++, at++) {
        z += measured.values[at] * direction[a];
        noise += measured.variances[at] * squares[a];
      }
      const strength = weights[item] * eigenvalue;
      values[item] = z;
      strengths[item] = strength;
      variances[item] = noise + samplingVariance * strength;
    }
    return { values, strengths, variances };
  };
  return { basis, eigenvalues, coordinate };
}
