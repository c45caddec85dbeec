import type { ExactGramianJob, ItemStatisticsJob } from './engine.js';

/** A sum that would not be exact, or a contribution outside the bound that was promised for it. */
export class ExactnessError extends RangeError {
  override readonly name = 'ExactnessError';
  readonly kind = 'data';
  /** Which input is at fault. */
  readonly input: 'vectors' | 'targets' | 'weights' | 'sums' | 'settings';
  constructor(input: ExactnessError['input'], message: string) {
    super(message);
    this.input = input;
  }
}

/** Integers below 2^53 are exact in float64, whatever the order of addition. */
const EXACT_LIMIT = 2 ** 53;
/** Rounded vectors must fit the 16-bit lanes of the kernels; rounded targets two of them. */
export const MAX_VECTOR_BITS = 15;
/** The same for targets. */
export const MAX_TARGET_BITS = 22;

/**
 * Factor that takes a number bounded by `bound` to the integer grid of `bits` bits: float32 of
 * (1 − 2⁻²⁰)·2^bits/bound.
 *
 * Both kernels compute trunc(fl(√w · fl(v · gridScale))) with float32 products. The scale and the two
 * products each err by at most a factor 1 + 2⁻²⁴, and (1 + 2⁻²⁴)³ (1 − 2⁻²⁰) < 1, so the result is never
 * larger in absolute value than √w·v·2^bits/bound in real arithmetic, coordinate by coordinate: norms and
 * sensitivities hold exactly. (Underflow only rounds to 0.)
 */
export function gridScale(bits: number, bound: number): number {
  return Math.fround((2 ** bits / bound) * (1 - 2 ** -20));
}

/** The number on the grid, before the weight; `trunc(fround(rootWeight * onGrid))` is the integer. */
export function onGrid(value: number, scale: number): number {
  return Math.fround(Math.fround(value) * scale);
}

function checkBits(name: string, bits: number, most: number): void {
  if (!(Number.isInteger(bits) && bits >= 1 && bits <= most)) {
    throw new ExactnessError('settings', `${name} is ${bits}; expected a whole number from 1 to ${most}.`);
  }
}

function checkBound(name: string, bound: number): void {
  if (!(bound > 0 && bound < Infinity)) {
    throw new ExactnessError('settings', `${name} is ${bound}; expected a finite number above 0.`);
  }
}

/**
 * Largest float32 coordinate that a vector within `bound` may have; a millionth is allowed for the caller's
 * rounding.
 */
export function vectorLimit(bound: number): number {
  return Math.fround(bound * (1 + 2 ** -20));
}

/** What every kernel throws for such vectors. */
export function vectorsBeyondBound(): ExactnessError {
  return new ExactnessError(
    'vectors',
    'A user vector has a coordinate that is NaN or beyond vectorBound. Clip vectors before summing them.',
  );
}

/**
 * Refuses vectors with a coordinate that is NaN or beyond the bound (necessary for ‖u‖ ≤ bound; the norm
 * itself is the caller's duty). Kernels do this while they take the vectors in. O(rows · d).
 */
export function checkVectors(data: Float32Array, bound: number): void {
  const limit = vectorLimit(bound);
  for (let k = 0; k < data.length; k++) {
    const value = data[k];
    if (!(value <= limit && value >= -limit)) throw vectorsBeyondBound();
  }
}

/** Settings of a job, before anything is read. */
export function checkItemStatistics({
  vectorBits,
  targetBits,
  vectorBound,
  targetBound,
}: ItemStatisticsJob): void {
  checkBits('vectorBits', vectorBits, MAX_VECTOR_BITS);
  checkBits('targetBits', targetBits, MAX_TARGET_BITS);
  checkBound('vectorBound', vectorBound);
  checkBound('targetBound', targetBound);
}

/**
 * Weights and targets of items [begin, end) of a job, by the thread that is about to sum them. An item's sums
 * are below 2^53 because
 * |A_ac| ≤ Σ_i ‖x_ij‖² ≤ 4^vectorBits Σ_i w_ij and |b_a| ≤ Σ_i |t_ij| ‖x_ij‖ ≤ 2^(vectorBits + targetBits) Σ_i w_ij. O(entries).
 */
export function checkContributions(job: ItemStatisticsJob, begin: number, end: number): void {
  const { byItem, rootWeights, vectorBits, targetBits, targetBound } = job;
  const { offsets } = byItem;
  const targets = job.targets ?? byItem.values;
  const targetLimit = targetBound * (1 + 2 ** -20);
  // Rounded targets stay below 2^26 and rounded vectors below 2^31, in every kernel.
  const rootLimit = 2 ** Math.min(26 - targetBits, 31 - vectorBits);
  const largest = 2 ** (vectorBits + Math.max(vectorBits, targetBits));
  for (let item = job.begin + begin; item < job.begin + end; item++) {
    let weight = 0;
    for (let k = offsets[item]; k < offsets[item + 1]; k++) {
      const target = targets[k];
      if (!(target <= targetLimit && target >= -targetLimit)) {
        throw new ExactnessError(
          'targets',
          'A target is NaN or beyond targetBound. Clip targets before summing them.',
        );
      }
      if (rootWeights === undefined) {
        weight++;
      } else {
        const root = rootWeights[k];
        if (!(root >= 0 && root < rootLimit)) {
          throw new ExactnessError('weights', `A root weight is NaN, negative, or ${rootLimit} or more.`);
        }
        weight += root * root;
      }
    }
    if (weight * largest >= EXACT_LIMIT) {
      throw new ExactnessError(
        'sums',
        `An item's sum could reach 2^53 and would not be exact. Use fewer than ${vectorBits} vectorBits or ${targetBits} targetBits.`,
      );
    }
  }
}

/** The same for the sum over all users: |Σ| ≤ users · 4^vectorBits. */
export function checkExactGramian(job: ExactGramianJob): void {
  checkBits('vectorBits', job.vectorBits, MAX_VECTOR_BITS);
  checkBound('vectorBound', job.vectorBound);
  if (job.users.rowCount * 4 ** job.vectorBits >= EXACT_LIMIT) {
    throw new ExactnessError('sums', `A sum could reach 2^53. Use fewer than ${job.vectorBits} vectorBits.`);
  }
}
