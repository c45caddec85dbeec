import type { CalibratedPlan } from '@hushrec/privacy';
import {
  addGaussianNoise,
  GRID_GAUSSIAN_DISTANCE,
  gaussianStream,
  gridSigmaFor,
} from '@hushrec/privacy/recorder-parts';
import { fineGrid, type LineShape, lineOf, SharingError } from './sharing-line.js';

/**
 * Least standard deviation, in grid steps, of one of several noises that together are the planned one.
 *
 * Lemma (sums). z₁ … z_h independent discrete Gaussians on ℤ of variance parameters s_k² ≥ 16. At every point
 * Σz_k has the probability of one discrete Gaussian of parameter Σs_k², up to a factor 1 ± 4e^(−2π²ρ²) for
 * each added term, ρ² = S s²/(S + s²) ≥ 8: within 2^-225 of 1. Proof: the weights of z in Σ_z N(z; 0,
 * S)·N(x − z; 0, s²) are N(x; 0, S + s²) times a Gaussian in z of variance ρ²; by Poisson summation its sum
 * over ℤ is its integral up to the factor. ∎
 */
const LEAST_SHARE_SIGMA = 4;

/**
 * What one of `honestNeeded` noises adds to the total-variation distance of a coordinate: its sampler, and
 * the lemma.
 */
export const SHARED_NOISE_DISTANCE = GRID_GAUSSIAN_DISTANCE + 2 ** -224;

/**
 * One share of a line's planned noise, in fine grid steps: discrete Gaussian of 1/`shares` of the planned
 * variance. Any `shares` of them together are the noise that the plan promises (lemma above). The key is used
 * for this line alone. O(length).
 *
 * @param scale standard deviation over the planned one: at least 1
 */
export async function plannedNoise(
  plan: CalibratedPlan,
  shape: LineShape,
  shares: number,
  key: Uint8Array,
  scale = 1,
): Promise<Float64Array> {
  const line = lineOf(plan, shape);
  if (!(scale >= 1 && scale < Infinity)) throw new RangeError(`scale is ${scale}; expected at least 1.`);
  const effective = fineGrid(line, shape.gridStep).effective * scale;
  const values = new Float64Array(shape.length);
  if (effective === 0) return values;
  if (!(Number.isInteger(shares) && shares >= 1))
    throw new RangeError(`shares is ${shares}; expected a whole number ≥ 1.`);
  const part = (sigma: number) => (shares === 1 ? sigma : (sigma / Math.sqrt(shares)) * (1 + 2 ** -50));
  const sigma = part(gridSigmaFor(effective));
  const offSigma = shape.width === 1 ? sigma : part(gridSigmaFor(effective * Math.SQRT1_2));
  if (shares > 1 && offSigma < LEAST_SHARE_SIGMA)
    throw new SharingError(shape.name, `noise of ${offSigma} grid steps is too fine to be shared out.`);
  const stream = gaussianStream(key, sigma, shape.width, offSigma);
  await addGaussianNoise({ values, out: values, perStep: 1, step: 1, stream });
  return values;
}
