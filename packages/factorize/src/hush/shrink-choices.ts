import { eigenCoordinates, type NoisySums } from './eigen-coordinates.js';
import { type NoisyCoordinate, priorVarianceOf, type Shrinkage } from './shrinkage.js';

/** Released sums of a round of implicit feedback and what is known about their error. */
export interface NoisyChoiceSums extends NoisySums {
  /** K̂, full symmetric. */
  readonly moment: Float64Array;
  /** ρ_j > 0: released share of people (by weight) who chose item j. */
  readonly shares: Float64Array;
  /** α₀: weight of what was not chosen. */
  readonly unobservedWeight: number;
  /** Σ_i κ_i, about: K̂ over this is the second moment of one person's taste. */
  readonly peopleWeight: number;
}

/**
 * Item vectors by empirical Bayes. The exact solution is v_j = (α₀K + K_j)⁻¹ Σ_{i chose j} κ_i u_i. In the
 * eigenbasis of K̂ = Q diag(e) Qᵀ the mean taste of those who chose j is μ_j = Kφ_j (K per person),
 *
 *   z_jk = (Qᵀ b̂_j)_k = ρ_j e_k φ_jk + error of variance σ_jk² + s·ρ_j e_k
 *
 * and φ_jk is shrunk towards what all items have in common, m_k (and features, see `Shrinkage`), so an item
 * about which nothing but its popularity is known is recommended by popularity. What fewer people choose is
 * more particular: the prior is φ_jk ~ N(m_k, τ_k²/ρ_j). `solveForChosen` then gives v_j, in units in which
 * tastes have variance 1 in every direction, so that one ridge doubts all of them alike: alternating least
 * squares leaves those units open, and a direction in which people hardly differ would have long item vectors
 * and next to no ridge. Post-processing. O(items · d² + d³).
 */
export async function shrinkChoices(sums: NoisyChoiceSums, shrink: Shrinkage): Promise<Float64Array> {
  const { width } = sums.vectors;
  const { eigenvalues, coordinate } = eigenCoordinates(sums, sums.shares);
  const byCoordinate: Float64Array[] = []; // φ
  const commons = new Float64Array(width);
  const deviations = sums.shares.map((share) => 1 / Math.sqrt(share));
  for (let k = 0; k < width; k++) {
    const along = coordinate(k);
    commons[k] = commonValue(along);
    aroundCommon(along, commons[k], deviations);
    const estimates = await shrink(along);
    byCoordinate.push(withCommon(estimates, commons[k], deviations, along.values));
  }
  const perPerson = eigenvalues.map((value) => value / sums.peopleWeight);
  return itemVectors(byCoordinate, commons, perPerson, sums);
}

/** z_j − m a_j, and strengths of what is left in units of its prior deviation; in place. */
function aroundCommon(
  { values, strengths }: NoisyCoordinate,
  common: number,
  deviations: Float64Array,
): void {
  for (let item = 0; item < values.length; item++) values[item] -= common * strengths[item];
  for (let item = 0; item < values.length; item++) strengths[item] *= deviations[item];
}

/** φ_j of one coordinate, into `values`. */
function withCommon(
  estimates: Float64Array,
  common: number,
  deviations: Float64Array,
  values: Float64Array,
): Float64Array {
  for (let item = 0; item < values.length; item++) values[item] = common + deviations[item] * estimates[item];
  return values;
}

/** v_j in units in which tastes have variance 1, by rows. */
function itemVectors(
  byCoordinate: readonly Float64Array[],
  commons: Float64Array,
  perPerson: Float64Array,
  { shares, unobservedWeight }: NoisyChoiceSums,
): Float64Array {
  const deviationsOfTastes = perPerson.map(Math.sqrt);
  const vectors = itemsByRows(byCoordinate);
  for (let item = 0, at = 0; item < shares.length; item++) {
    solveForChosen(vectors, at, commons, perPerson, shares[item], unobservedWeight);
    for (let k = 0; k < commons.length; k++, at++) vectors[at] *= deviationsOfTastes[k];
  }
  return vectors;
}

/**
 * Items whose coordinates are put beside each other at once: by coordinates every row would be fetched anew.
 */
const BLOCK = 128;

function itemsByRows(byCoordinate: readonly Float64Array[]): Float64Array {
  const width = byCoordinate.length;
  const itemCount = byCoordinate[0].length;
  const rows = new Float64Array(itemCount * width);
  for (let begin = 0; begin < itemCount; begin += BLOCK) {
    const end = Math.min(itemCount, begin + BLOCK);
    byCoordinate.forEach((values, k) => {
      for (let item = begin, at = begin * width + k; item < end; item++, at += width) rows[at] = values[item];
    });
  }
  return rows;
}

/**
 * φ_j, from `at` on, becomes v_j = (α₀K + K_j)⁻¹ ρ_j μ_j, in place, with K = diag(e). Those who chose j
 * differ from each other as everybody does, around a mean of their own: K_j = ρ_j (K − m mᵀ + μ_j μ_jᵀ),
 * μ_j = Kφ_j, m = Kφ₀ the mean of all. By Sherman & Morrison, twice,
 *
 *   h = ρ/(α₀ + ρ) · (φ_j + ρ φ₀ (φ₀ᵀKφ_j)/(α₀ + ρ − ρ φ₀ᵀKφ₀)),      v_j = h/(1 + φ_jᵀKh)
 *
 * so what many choose is not overrated because many choose it. φ₀ᵀKφ₀ = mᵀK⁻¹m ≤ 1 in truth, and noise may
 * not put it above. O(d).
 */
export function solveForChosen(
  vectors: Float64Array,
  at: number,
  commons: Float64Array,
  eigenvalues: Float64Array,
  share: number,
  unobservedWeight: number,
): void {
  let ofCommon = 0;
  let ofBoth = 0;
  let ofOwn = 0;
  for (let k = 0; k < commons.length; k++) {
    const own = vectors[at + k];
    ofCommon += eigenvalues[k] * commons[k] ** 2;
    ofBoth += eigenvalues[k] * commons[k] * own;
    ofOwn += eigenvalues[k] * own ** 2;
  }
  const popularity = share / (unobservedWeight + share);
  const pull = (share * ofBoth) / (unobservedWeight + share - share * Math.min(1, ofCommon));
  const prediction = popularity * (ofOwn + pull * ofBoth);
  const scale = popularity / (1 + prediction);
  for (let k = 0; k < commons.length; k++) vectors[at + k] = scale * (vectors[at + k] + pull * commons[k]);
}

/**
 * m of θ_j ~ N(m, τ²) by generalized least squares, Σ a z/(n + τ²a²) / Σ a²/(n + τ²a²), with τ² by moments
 * around the estimate that takes it for 0. O(items).
 */
export function commonValue(coordinate: NoisyCoordinate): number {
  const { values, strengths, variances } = coordinate;
  const estimate = (spread: number) => {
    let sum = 0;
    let scale = 0;
    for (let item = 0; item < values.length; item++) {
      const strength = strengths[item];
      const weight = strength / (variances[item] + spread * strength * strength);
      sum += weight * values[item];
      scale += weight * strength;
    }
    return scale > 0 ? sum / scale : 0;
  };
  const first = estimate(0);
  const around = values.map((value, item) => value - first * strengths[item]);
  return estimate(priorVarianceOf({ ...coordinate, values: around }));
}
