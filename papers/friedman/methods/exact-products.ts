/**
 * Sums of products y·x and x·xᵀ that are exact in float64: both factors are cut to powers of two of few
 * enough bits that every product and every partial sum is a whole number of one step below 2⁵². A sum then
 * does not depend on its order, and a rating that comes, goes or changes moves it by its own product and by
 * nothing else, as the proofs of sensitivities assume.
 *
 * Cutting is towards zero, so no bound on a target or on the norm of a vector is enlarged. It is work on
 * public or released vectors, and on each rating by itself.
 */

/** Bits of a cut target. 2⁻¹⁵ of its bound is far below any noise, and a float32 holds it exactly. */
const targetBits = 15;

/** Most bits of a cut coordinate: 2⁻²⁰ of the bound on its row's norm. */
const coordinateBits = 20;

/** Targets of absolute value at most `bound`, cut; two of them differ by at most 2·bound. NaN becomes 0. */
export function cutTargets(targets: ArrayLike<number>, bound: number): Float32Array {
  const step = powerOfTwoAbove(bound) * 2 ** -targetBits;
  const limit = Math.floor(bound / step);
  return Float32Array.from(
    targets,
    (target) => Math.max(-limit, Math.min(limit, Math.trunc(target / step) || 0)) * step,
  );
}

/**
 * Rows of norm at most `norm`, cut so that `terms` products of two coordinates, or of a coordinate and a cut
 * target, add up exactly: 2·bits + log₂ terms ≤ 52 and 15 + bits + log₂ terms ≤ 52.
 */
export function cutRows(rows: Float64Array, norm: number, terms: number): Float64Array {
  const size = bitsOf(terms);
  const bits = Math.min(coordinateBits, Math.floor((52 - size) / 2), 52 - targetBits - size);
  if (bits < 4)
    throw new RangeError(`${terms} ratings in a row are too many: their products do not add up exactly`);
  const step = powerOfTwoAbove(norm) * 2 ** -bits;
  return rows.map((value) => Math.trunc(value / step) * step);
}

/**
 * The step on which `terms` numbers of absolute value at most `bound`, each once multiplied by a cut target,
 * add up exactly.
 */
export function responseStep(bound: number, terms: number): number {
  return powerOfTwoAbove(bound) * 2 ** -Math.max(4, 52 - targetBits - bitsOf(terms));
}

/**
 * The step on which `terms` numbers of absolute value at most `bound` add up exactly, at most 30 bits below
 * the bound.
 */
export function termStep(bound: number, terms: number): number {
  return powerOfTwoAbove(bound) * 2 ** -Math.min(30, 52 - bitsOf(terms));
}

function bitsOf(terms: number): number {
  return Math.ceil(Math.log2(Math.max(2, terms)));
}

/**
 * The smallest power of two that is at least `bound`, up to the last bit of log₂, for which one of the 53
 * bits is left free.
 */
function powerOfTwoAbove(bound: number): number {
  return 2 ** Math.ceil(Math.log2(bound));
}
