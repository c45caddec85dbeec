import { symmetricEigen } from '@hushrec/numerics';

/** Sums of every item, items by rows, that were released with noise, and the variance of the noise on each number. */
export interface MeasuredSums {
  readonly width: number;
  readonly values: Float64Array;
  readonly variances: Float64Array;
}

/** How many times the largest eigenvalue of mere noise, about, a direction of the past must have to be used. */
const clearlySignal = 2;
/** The noise of earlier rounds went into the tastes of this one too, so the past knows less than its variance says. */
const distrust = 3;
/** Estimates of q below: each uses the weights of the one before. */
const spreadPasses = 3;

/**
 * A round's noisy sums, put together with those of the rounds before by inverse variance. Tastes change from round to round, so the exact sums s_j do: they are
 * modelled as s_j = W s_j′ + δ_j, s′ those of the round before, with Var δ_jk = q_k · size_j. W is a regression over items with the known noise taken
 * out of the past, W = (Σ_j y x′ᵀ)(Σ_j x′x′ᵀ − noise)⁻¹ on the directions in which the past stands out of its noise. A prediction is not yet a measurement: where W
 * explains the part R of the variance of s, W x′ is on average R·s, so the past says W x′/R, with the variance q·size/R + (noise of W x′)/R²; where it
 * explains nothing it says nothing. Only noise that was added on purpose averages out: the same people are in all rounds, so sampling error stays as it
 * is, which is why sums are combined and not the estimates made of them.
 *
 * Reads released numbers only: post-processing. O(items · d² + d³).
 */
export function withEarlierRounds(
  current: MeasuredSums,
  earlier: MeasuredSums | undefined,
  sizes: Float64Array,
): MeasuredSums {
  if (earlier === undefined) return current;
  const { width, values, variances } = current;
  const slopes = slopesOf(current, earlier);
  if (slopes === undefined) return current;
  const combined = {
    width,
    values: new Float64Array(values.length),
    variances: new Float64Array(values.length),
  };
  const means = new Float64Array(sizes.length);
  const inherited = new Float64Array(sizes.length);
  for (let k = 0; k < width; k++) {
    const slope = slopes.subarray(k * width, (k + 1) * width);
    for (let item = 0; item < sizes.length; item++) {
      let [mean, variance] = [0, 0];
      for (let a = 0; a < width; a++) {
        mean += slope[a]! * earlier.values[item * width + a]!;
        variance += slope[a]! ** 2 * earlier.variances[item * width + a]!;
      }
      means[item] = mean;
      inherited[item] = variance;
    }
    const { left, explained } = varianceOf(current, k, means, inherited, sizes);
    const part = explained / (explained + left);
    for (let item = 0; item < sizes.length; item++) {
      const at = item * width + k;
      const now = variances[at]!;
      const past = distrust * ((left / part) * sizes[item]! + inherited[item]! / part ** 2);
      const share = now > 0 && part > 0 ? now / (now + past) : 0;
      combined.values[at] = values[at]! + (share > 0 ? share * (means[item]! / part - values[at]!) : 0);
      combined.variances[at] = now * (1 - share);
    }
  }
  return combined;
}

/** W, by rows; undefined where the past does not stand out of its noise in any direction. */
function slopesOf(current: MeasuredSums, earlier: MeasuredSums): Float64Array | undefined {
  const { width, values } = current;
  const square = new Float64Array(width * width);
  const cross = new Float64Array(width * width);
  const fourths = new Float64Array(width);
  for (let row = 0; row < values.length; row += width) {
    for (let a = 0; a < width; a++) {
      const past = earlier.values[row + a]!;
      const noise = earlier.variances[row + a]!;
      fourths[a]! += noise ** 2;
      square[a * width + a]! -= noise;
      for (let b = 0; b < width; b++) {
        square[a * width + b]! += past * earlier.values[row + b]!;
        cross[b * width + a]! += past * values[row + b]!;
      }
    }
  }
  const floor = clearlySignal * Math.sqrt(2 * width * Math.max(...fourths));
  const { values: eigenvalues, vectors: basis } = symmetricEigen(square, width);
  const slopes = new Float64Array(width * width);
  let directions = 0;
  for (let e = 0; e < width; e++) {
    if (!(eigenvalues[e]! > floor)) continue;
    directions++;
    for (let k = 0; k < width; k++) {
      let along = 0;
      for (let a = 0; a < width; a++) along += cross[k * width + a]! * basis[e * width + a]!;
      for (let a = 0; a < width; a++)
        slopes[k * width + a]! += (along / eigenvalues[e]!) * basis[e * width + a]!;
    }
  }
  return directions > 0 ? slopes : undefined;
}

/** By weighted moments of coordinate k, per unit of size: the variance of W s_j′, and q ≥ 0, what is left of (y − W x′)² beyond both noises. */
function varianceOf(
  { width, values, variances }: MeasuredSums,
  k: number,
  means: Float64Array,
  inherited: Float64Array,
  sizes: Float64Array,
): { readonly explained: number; readonly left: number } {
  let [explained, left] = [0, 0];
  for (let pass = 0; pass < spreadPasses; pass++) {
    let [known, unknown, scale] = [0, 0, 0];
    for (let item = 0; item < sizes.length; item++) {
      const at = item * width + k;
      const noise = variances[at]! + inherited[item]!;
      const weight = sizes[item]! / (noise + left * sizes[item]!) ** 2;
      known += weight * (means[item]! ** 2 - inherited[item]!);
      unknown += weight * ((values[at]! - means[item]!) ** 2 - noise);
      scale += weight * sizes[item]!;
    }
    explained = scale > 0 ? Math.max(0, known / scale) : 0;
    left = scale > 0 ? Math.max(0, unknown / scale) : 0;
  }
  return { explained, left };
}
