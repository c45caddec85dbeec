import { choleskyInPlace, choleskySolve } from '@hushrec/numerics';
import type { FeatureSource } from '@hushrec/ratings';
import { type NoisyCoordinate, posteriorMeans, priorVarianceOf, type Shrinkage } from './shrinkage.js';

/** Shares of the prior variance that are tried for an item's own part and for one token. */
const ownShares = [0.35, 0.8];
const tokenShares = [0.1, 0.4, 1.2];

/**
 * Public features by item: x_j has `scales[j]` at tokens[offsets[j] … offsets[j + 1]] and 0 elsewhere, so
 * that ‖x_j‖ = 1.
 */
export interface ItemFeatures {
  readonly itemCount: number;
  readonly width: number;
  readonly offsets: Uint32Array;
  readonly tokens: Uint32Array;
  readonly scales: Float64Array;
}

/**
 * Tokens of all categorical sources that at least `leastItems` have, the most frequent first and no more than
 * `most`; an item's row is scaled to length 1, so that items with many tokens are not believed more.
 * Undefined where there are none. O(entries).
 */
export function itemFeatures(
  sources: readonly FeatureSource[],
  itemCount: number,
  leastItems: number,
  most: number,
): ItemFeatures | undefined {
  const found: number[][] = [];
  for (const source of sources) {
    if (source.kind !== 'categorical') continue;
    for (const { byItem } of source.fields) {
      const itemsOf = Array.from({ length: byItem.columnCount }, () => [] as number[]);
      for (let item = 0; item < byItem.rowCount; item++) {
        for (let at = byItem.offsets[item]; at < byItem.offsets[item + 1]; at++)
          itemsOf[byItem.indices[at]].push(item);
      }
      found.push(...itemsOf.filter((items) => items.length >= leastItems));
    }
  }
  const used = found.sort((a, b) => b.length - a.length).slice(0, most);
  if (used.length === 0) return undefined;
  const tokensOf = Array.from({ length: itemCount }, () => [] as number[]);
  used.forEach((items, token) => {
    for (const item of items) tokensOf[item].push(token);
  });
  const offsets = new Uint32Array(itemCount + 1);
  tokensOf.forEach((tokens, item) => {
    offsets[item + 1] = offsets[item] + tokens.length;
  });
  return {
    itemCount,
    width: used.length,
    offsets,
    tokens: Uint32Array.from(tokensOf.flat()),
    scales: Float64Array.from(tokensOf, (tokens) => (tokens.length > 0 ? 1 / Math.sqrt(tokens.length) : 0)),
  };
}

/**
 * Empirical Bayes towards what an item's public features say: θ_j = x_j · w + own_j, w ~ N(0, ω² I), own_j ~
 * N(0, τ²). Both variances are chosen, per coordinate, by the marginal likelihood of the released numbers
 * over a small grid around the total prior variance (ω = 0 among it, so features that say nothing are not
 * used); then
 *
 *   ŵ = (Xᵀ D⁻¹ X + I/ω²)⁻¹ Xᵀ D⁻¹ y,  y = z/a,  D = n/a² + τ²,      θ̂ = posterior mean around x_j · ŵ
 *
 * Rare and new items follow their features, popular ones their data. Features are public and the rest is
 * released: post-processing, no privacy cost. O(Σ_j (tokens of j)² + tokens³) per coordinate and grid point.
 */
export function shrinkToFeatures(features: ItemFeatures, leastErrors = 0): Shrinkage {
  const { itemCount } = features;
  return async (coordinate) => {
    const total = priorVarianceOf(coordinate, leastErrors);
    if (total === 0) return new Float64Array(itemCount);
    let best = {
      likelihood: plainLikelihood(coordinate, total),
      own: total,
      weights: undefined as Float64Array | undefined,
    };
    for (const ownShare of ownShares) {
      const own = ownShare * total;
      const { gramian, right } = normalEquations(features, coordinate, own);
      const base = plainLikelihood(coordinate, own);
      for (const tokenShare of tokenShares) {
        const solved = solveWeights(gramian, right, tokenShare * total);
        if (solved !== undefined && base + solved.gain > best.likelihood)
          best = { likelihood: base + solved.gain, own, weights: solved.weights };
      }
    }
    const { weights, own } = best;
    if (weights === undefined) return posteriorMeans(coordinate, own);
    return posteriorMeans(coordinate, own, featureMeans(features, weights));
  };
}

/** x_j · w for every item. */
function featureMeans(
  { itemCount, offsets, tokens, scales }: ItemFeatures,
  weights: Float64Array,
): Float64Array {
  const means = new Float64Array(itemCount);
  for (let item = 0; item < itemCount; item++) {
    let mean = 0;
    for (let at = offsets[item]; at < offsets[item + 1]; at++) mean += weights[tokens[at]];
    means[item] = mean * scales[item];
  }
  return means;
}

/** Xᵀ D⁻¹ X (full) and Xᵀ D⁻¹ y. */
function normalEquations(
  { itemCount, width, offsets, tokens, scales }: ItemFeatures,
  { values, strengths, variances }: NoisyCoordinate,
  own: number,
): { readonly gramian: Float64Array; readonly right: Float64Array } {
  const gramian = new Float64Array(width * width);
  const right = new Float64Array(width);
  for (let item = 0; item < itemCount; item++) {
    const strength = strengths[item];
    const precision = 1 / (variances[item] / strength ** 2 + own);
    const y = (values[item] / strength) * precision * scales[item];
    const weight = precision * scales[item] ** 2;
    for (let at = offsets[item]; at < offsets[item + 1]; at++) {
      const row = tokens[at] * width;
      right[tokens[at]] += y;
      for (let other = offsets[item]; other < offsets[item + 1]; other++)
        gramian[row + tokens[other]] += weight;
    }
  }
  return { gramian, right };
}

/** ln p(y) up to a constant when θ_j ~ N(0, variance): −½ Σ (ln D + y²/D). */
function plainLikelihood({ values, strengths, variances }: NoisyCoordinate, variance: number): number {
  let sum = 0;
  for (let item = 0; item < values.length; item++) {
    const spread = variances[item] / strengths[item] ** 2 + variance;
    sum += Math.log(spread) + (values[item] / strengths[item]) ** 2 / spread;
  }
  return -sum / 2;
}

/**
 * ŵ for token variance ω², and what tokens add to ln p(y): ½ rᵀŵ − ½ ln det(I + ω²G), by the matrix
 * determinant and Woodbury identities. Undefined where rounding spoilt the system.
 */
function solveWeights(
  gramian: Float64Array,
  right: Float64Array,
  variance: number,
): { readonly weights: Float64Array; readonly gain: number } | undefined {
  const width = right.length;
  const system = Float64Array.from(gramian, (value) => value * variance);
  for (let token = 0; token < width; token++) system[token * width + token] += 1;
  if (choleskyInPlace(system, width) >= 0) return undefined;
  const weights = Float64Array.from(right);
  choleskySolve(system, width, weights);
  let halfLogDeterminant = 0;
  let fit = 0;
  for (let token = 0; token < width; token++) {
    halfLogDeterminant += Math.log(system[token * width + token]);
    weights[token] *= variance;
    fit += right[token] * weights[token];
  }
  return { weights, gain: fit / 2 - halfLogDeterminant };
}
