import { smallProduct, symmetricEigen } from '@hushrec/numerics';
import type { RoundRules } from './hush-rules.js';
import type { ReleasedSums } from './release-sums.js';

/** Sums of every item, items by rows, and the variance of the noise that is left on each number. */
export interface MeasuredSums {
  readonly width: number;
  readonly values: Float64Array;
  readonly variances: Float64Array;
}

/** Estimates of q below: each uses the weights of the one before. */
const spreadPasses = 3;

/**
 * A round's noisy sums, put together with those of the rounds before by inverse variance. Tastes change from
 * round to round, so the exact sums s_j do: they are modelled as s_j = W s_j′ + δ_j, s′ those of the round
 * before, with Var δ_jk = q_k · size_j. W is a regression over items with the known noise taken out of the
 * past, W = (Σ_j y x′ᵀ)(Σ_j x′x′ᵀ − noise)⁻¹ on the directions in which the past stands out from its noise. A
 * prediction is not yet a measurement: where W explains the part R of the variance of s, W x′ is on average
 * R·s, so the past says W x′/R, with the variance q·size/R + (noise of W x′)/R²; where it explains nothing it
 * says nothing. Only noise that was added on purpose averages out: the same people are in all rounds, so
 * sampling error stays as it is, which is why sums are combined and not the estimates made of them.
 *
 * Reads released numbers only: post-processing. Works in the arrays it is given, so that rounds need no more
 * memory than one: the result has the values of `current` and the variances of `earlier`. O(items · d² + d³).
 */
export function withEarlierRounds(
  current: ReleasedSums,
  earlier: MeasuredSums | undefined,
  sizes: Float64Array,
  { distrust }: Pick<RoundRules, 'distrust'>,
): MeasuredSums {
  const { value: values, noise } = current;
  const width = values.length / sizes.length;
  const variance = noise ** 2;
  const variances = earlier?.variances ?? new Float64Array(values.length);
  const slopes = earlier === undefined || noise === 0 ? undefined : slopesOf(values, earlier);
  if (earlier === undefined || slopes === undefined)
    return { width, values, variances: variances.fill(variance) };
  carryOver(earlier, slopes);
  for (let k = 0; k < width; k++) {
    const { left, explained } = varianceOf(current, earlier, k, sizes);
    const part = explained / (explained + left);
    if (!(part > 0)) {
      for (let at = k; at < values.length; at += width) variances[at] = variance;
      continue;
    }
    const [spread, square] = [left / part, part ** 2];
    for (let item = 0, at = k; item < sizes.length; item++, at += width) {
      const past = distrust * (spread * sizes[item] + variances[at] / square);
      const share = variance / (variance + past);
      if (share > 0) values[at] += share * (earlier.values[at] / part - values[at]);
      variances[at] = variance * (1 - share);
    }
  }
  return { width, values, variances };
}

/** Items that are multiplied at once. */
const BLOCK = 128;

/** x′ ← W x′ and the variance of its noise, item by item, in place. */
export function carryOver({ width, values, variances }: MeasuredSums, slopes: Float64Array): void {
  const turned = slopes.map((_, at) => slopes[(at % width) * width + Math.floor(at / width)]);
  const squares = turned.map((slope) => slope ** 2);
  const product = new Float64Array(BLOCK * width);
  for (let begin = 0; begin < values.length; begin += product.length) {
    const end = Math.min(values.length, begin + product.length);
    const rows = (end - begin) / width;
    for (const [numbers, matrix] of [[values, turned] as const, [variances, squares] as const]) {
      smallProduct(product, numbers.subarray(begin, end), matrix, rows, width, width);
      numbers.set(product.subarray(0, end - begin), begin);
    }
  }
}

/** W, by rows; undefined where the past does not stand out from its noise in any direction. */
function slopesOf(values: Float64Array, earlier: MeasuredSums): Float64Array | undefined {
  const { width, values: before, variances } = earlier;
  const square = new Float64Array(width * width);
  const cross = new Float64Array(width * width); // by rows of y, Σ_j y x′ᵀ
  const diagonal = new Float64Array(width);
  const fourths = new Float64Array(width);
  for (let begin = 0; begin < values.length; begin += BLOCK * width) {
    const end = Math.min(values.length, begin + BLOCK * width);
    const past = before.subarray(begin, end);
    const present = values.subarray(begin, end);
    const count = past.length / width;
    smallProduct(square, past, past, width, count, width, {
      left: 'transposed',
      symmetric: true,
      onto: true,
    });
    smallProduct(cross, present, past, width, count, width, { left: 'transposed', onto: true });
    for (let at = begin; at < end; at += width)
      for (let a = 0; a < width; a++) {
        const noise = variances[at + a];
        fourths[a] += noise ** 2;
        diagonal[a] -= noise;
        diagonal[a] += before[at + a] ** 2;
      }
  }
  for (let a = 0; a < width; a++) {
    square[a * width + a] = diagonal[a];
    for (let b = 0; b < a; b++) square[a * width + b] = square[b * width + a];
  }
  const floor = Math.sqrt(2 * width * Math.max(...fourths));
  const { values: eigenvalues, vectors: basis } = symmetricEigen(square, width);
  const slopes = new Float64Array(width * width);
  let directions = 0;
  for (let e = 0; e < width; e++) {
    if (!(eigenvalues[e] > floor)) continue;
    directions++;
    for (let k = 0; k < width; k++) {
      let along = 0;
      for (let a = 0; a < width; a++) along += cross[k * width + a] * basis[e * width + a];
      for (let a = 0; a < width; a++)
        slopes[k * width + a] += (along / eigenvalues[e]) * basis[e * width + a];
    }
  }
  return directions > 0 ? slopes : undefined;
}

/**
 * By weighted moments of coordinate k, per unit of size: the variance of W s_j′, and q ≥ 0, what is left of
 * (y − W x′)² beyond both noises.
 */
function varianceOf(
  { value, noise }: ReleasedSums,
  carried: MeasuredSums,
  k: number,
  sizes: Float64Array,
): { readonly explained: number; readonly left: number } {
  let [explained, left] = [0, 0];
  for (let pass = 0; pass < spreadPasses; pass++) {
    let [known, unknown, scale] = [0, 0, 0];
    for (let item = 0; item < sizes.length; item++) {
      const at = item * carried.width + k;
      const mean = carried.values[at];
      const both = noise ** 2 + carried.variances[at];
      const weight = sizes[item] / (both + left * sizes[item]) ** 2;
      known += weight * (mean ** 2 - carried.variances[at]);
      unknown += weight * ((value[at] - mean) ** 2 - both);
      scale += weight * sizes[item];
    }
    explained = scale > 0 ? Math.max(0, known / scale) : 0;
    left = scale > 0 ? Math.max(0, unknown / scale) : 0;
  }
  return { explained, left };
}
