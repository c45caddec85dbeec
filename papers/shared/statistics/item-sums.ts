import {
  type FactorMatrix,
  type ItemStatistics,
  packedLength,
  sharedFloat32,
  zeroFactors,
} from '@hushrec/numerics';
import type { CoinKeys, LineCoins } from '@hushrec/privacy';
import type { ContributionsByItem, PeopleShare, PersonStatistic, SumShape } from '@hushrec/statistics';
import { centredTargets } from './centring.js';
import { clipRows } from './clip-rows.js';
import { type ClippedTargets, clipTargets } from './clip-targets.js';
import { exactGramian, exactItemSums } from './exact-item-sums.js';
import { jointSensitivity, matrixSensitivity, vectorSensitivity } from './item-sum-bounds.js';
import { clippedOwn, type OwnQuestion } from './own-vectors.js';
import { type Weighting, weighedByItem } from './weighting.js';

/** What people are asked for the Gramian of their vectors. */
export interface GramianQuestion {
  readonly own: OwnQuestion;
  /** Γ_u. */
  readonly clipNorm: number;
  readonly gridBits: number;
}

/**
 * K = Σ_i u_i u_iᵀ over all people, as a packed upper triangle on a grid: the term for unrated items.
 *
 * Frobenius sensitivity Γ_u²: one person adds x xᵀ with x = trunc(u 2^bits/Γ_u), ‖x‖ ≤ 2^bits. Replacing:
 * √2·Γ_u². Chien et al. 2021 release it every round and state neither its scale nor its cost. O(people × d²).
 */
export const userGramian: PersonStatistic<GramianQuestion, 'gramian'> = {
  id: 'user-gramian',
  parallel: 'engine',
  shapes: ({ own, clipNorm, gridBits }) => ({
    gramian: {
      length: packedLength(own.items.width),
      sensitivity: clipNorm ** 2,
      gridStep: (clipNorm * 2 ** -gridBits) ** 2,
    },
  }),
  async add(share, { own, clipNorm, gridBits }, into) {
    const { users } = await clippedOwn(share, own, clipNorm);
    into.gramian.set(await exactGramian(share.engine, users, gridBits));
  },
};

/** What people are asked for item sums. */
export interface ItemSumsQuestion {
  readonly weighting: Weighting;
  readonly own: OwnQuestion;
  /** Γ_u. */
  readonly clipNorm: number;
  /** Γ_y. */
  readonly targetBound: number;
  readonly gridBits: number;
  /** Items [begin, end) of this sum: all blocks of one release share its sensitivity. */
  readonly begin: number;
  readonly end: number;
}

/**
 * A_j = Σ_i w_ij u_i u_iᵀ and b_j = Σ_i w_ij y_ij u_i for items [begin, end), on a grid; y_ij is the rating
 * less offset and the person's own intercept, or 1 for a choice, clipped to ± Γ_y.
 *
 * Lemma (Chien et al. 2021, corrected; here L4). Adding or removing person i changes all A_j together by
 * Frobenius norm ≤ √β·Γ_u² and all b_j together by L2 norm ≤ √β·Γ_u·Γ_y.
 * Proof. Items are disjoint coordinates and a pair occurs once, so the squared changes are Σ_j ‖x_ij‖⁴ and
 * Σ_j t_ij²‖x_ij‖² with the integers x_ij = trunc(√w_ij u_i 2^v/Γ_u), t_ij = trunc(√w_ij y_ij 2^t/Γ_y).
 * Truncation goes towards zero, and √w, u, y leave room for floating-point error (`roundingMargin`), hence
 * ‖x_ij‖² ≤ w_ij 2^(2v), t_ij² ≤ w_ij 2^(2t), and Σ_j w_ij² ≤ β. Sums of integers below 2⁵³ are exact in any
 * order. Other people's u_i do not change, because they are functions of released item vectors and their own
 * ratings (L1). ∎ The bound is on the whole catalogue: all blocks of one release share it. Replacing a
 * person: √2 times for A, 2 times for b (y may change sign).
 *
 * O(ratings of the block × d²); memory O(items of the block × d²).
 */
export const itemSums: PersonStatistic<ItemSumsQuestion, 'matrices' | 'vectors'> = {
  id: 'item-sums',
  parallel: 'engine',
  shapes: (question) => ({
    matrices: matrixShape(question, matrixSensitivity(question.weighting.budget, question.clipNorm), 1),
    vectors: vectorShape(
      question,
      vectorSensitivity(question.weighting.budget, question.clipNorm, question.targetBound),
      1,
    ),
  }),
  add: (share, question, into) =>
    addItemSums(share, question, weighedByItem(share, question.weighting), into),
};

/** What people are asked for the sums of a sample. */
export interface SampledSumsQuestion extends ItemSumsQuestion {
  /** Chance that a person, or an example, is in. */
  readonly rate: number;
  readonly sampled: 'people' | 'examples';
  /** Everyone's coins of this sample. */
  readonly coins: CoinKeys;
  /** φ: share of the matrices in the joint statistic. */
  readonly matrixShare: number;
}

/** What released numbers of `sampledItemSums` are multiplied with to get A_j and b_j back. */
export function sampledUnits(question: SampledSumsQuestion): {
  readonly matrix: number;
  readonly vector: number;
} {
  const { weighting, clipNorm, targetBound, matrixShare } = question;
  return {
    matrix: matrixSensitivity(weighting.budget, clipNorm) / Math.sqrt(matrixShare),
    vector: vectorSensitivity(weighting.budget, clipNorm, targetBound) / Math.sqrt(1 - matrixShare),
  };
}

/**
 * The sums of `itemSums` over a Poisson sample, as one statistic: A_j·√φ/(√β·Γ_u²) and
 * b_j·√(1−φ)/(√β·Γ_u·Γ_y), φ = `matrixShare`. By the lemma there the squared change is at most
 * φ + (1 − φ) = 1. Every person (or example) is in with probability `rate`, independently, by the person's
 * own coins; the others get weight 0. A batch of fixed size would not have the accounted guarantee.
 *
 * Sums over a random sample must be released this way: A and b share the coin that decides whether a person
 * is in, and the cost of sampled noise is super-additive in the squared shift, so charging A and b as two
 * sampled releases would be too little.
 */
export const sampledItemSums: PersonStatistic<SampledSumsQuestion, 'matrices' | 'vectors'> = {
  id: 'sampled-item-sums',
  parallel: 'engine',
  shapes: (question) => {
    const units = sampledUnits(question);
    return {
      matrices: matrixShape(question, jointSensitivity, units.matrix),
      vectors: vectorShape(question, jointSensitivity, units.vector),
    };
  },
  add(share, question, into) {
    const sample = share.keep('sample', question.coins, () =>
      drawSample(weighedByItem(share, question.weighting), share.coins(question.coins), question),
    );
    return addItemSums(share, question, sample, into);
  },
};

function drawSample(
  { byItem, rootWeights, budget }: ContributionsByItem,
  coins: LineCoins,
  { rate, sampled }: SampledSumsQuestion,
): ContributionsByItem {
  const { offsets, indices } = byItem;
  const kept = sharedFloat32(indices.length);
  if (sampled === 'people') {
    const stays = Uint8Array.from({ length: byItem.columnCount }, (_, person) =>
      coins.uniform(person) < rate ? 1 : 0,
    );
    for (let at = 0; at < kept.length; at++) kept[at] = stays[indices[at]] * (rootWeights?.[at] ?? 1);
  } else {
    for (let item = 0; item < byItem.rowCount; item++)
      for (let at = offsets[item]; at < offsets[item + 1]; at++)
        kept[at] = coins.uniformFor(indices[at], item) < rate ? (rootWeights?.[at] ?? 1) : 0;
  }
  return { byItem, rootWeights: kept, budget };
}

function matrixShape(question: ItemSumsQuestion, sensitivity: number, unit: number): SumShape {
  const { own, begin, end, clipNorm, gridBits } = question;
  const length = (end - begin) * packedLength(own.items.width);
  return { length, sensitivity, gridStep: (clipNorm * 2 ** -gridBits) ** 2 / unit };
}

function vectorShape(question: ItemSumsQuestion, sensitivity: number, unit: number): SumShape {
  const { own, begin, end, clipNorm, targetBound, gridBits } = question;
  const gridStep = (clipNorm * 2 ** -gridBits * targetBound * 2 ** -gridBits) / unit;
  return { length: (end - begin) * own.items.width, sensitivity, gridStep };
}

async function addItemSums(
  share: PeopleShare,
  question: ItemSumsQuestion,
  contributions: ContributionsByItem,
  into: ItemStatistics,
): Promise<void> {
  const { own, clipNorm, targetBound, gridBits, begin, end } = question;
  const { users, intercept } = await clippedOwn(share, own, clipNorm);
  const targets = itemTargets(share, contributions.byItem, question, targetBound, intercept);
  const grid = { vectorBits: gridBits, targetBits: gridBits };
  const input = { engine: share.engine, contributions, users, targets, grid };
  writeSums(await exactItemSums(input, begin, end, true, into), into);
}

/** y_ij of the item sums, kept as long as the question about people's own vectors stays. O(entries). */
function itemTargets(
  share: PeopleShare,
  byItem: ContributionsByItem['byItem'],
  { own }: Pick<ItemSumsQuestion, 'own'>,
  bound: number,
  intercept?: Float32Array,
): ClippedTargets {
  return share.keep<ClippedTargets>('item targets', own, (previous) => {
    const { length } = byItem.values;
    const buffer = previous?.values.length === length ? previous.values : sharedFloat32(length);
    return clipTargets(
      own.feedback === 'implicit'
        ? buffer.fill(1)
        : centredTargets(
            byItem,
            'items',
            { offset: own.offset, ...(intercept && { userOffsets: intercept }) },
            buffer,
          ),
      bound,
    );
  });
}

/** Copies sums to where they belong, unless they were written there at once. */
function writeSums(sums: ItemStatistics, into: ItemStatistics): void {
  for (const name of ['matrices', 'vectors'] as const) {
    const [from, to] = [sums[name], into[name]];
    if (from.buffer !== to.buffer || from.byteOffset !== to.byteOffset) to.set(from);
  }
}

/** What people are asked for one step of the power iteration. */
export interface SubspaceQuestion {
  readonly weighting: Weighting;
  /** X with orthonormal columns: released. */
  readonly directions: FactorMatrix;
  readonly feedback: 'explicit' | 'implicit';
  readonly offset: number;
  /** Γ_y. */
  readonly targetBound: number;
  readonly gridBits: number;
  readonly begin: number;
  readonly end: number;
}

/**
 * Σ_i x_i (Xᵀx_i)ᵀ for items [begin, end), x_ij = w_ij y_ij: one step of a power iteration for the main
 * directions of Σ_i x_i x_iᵀ. It is an item statistic with "user vectors" z_i = Xᵀx_i, each computed from the
 * person's own row and the released X and clipped to √β·Γ_y, so that the sensitivity holds although X is
 * orthonormal only up to rounding.
 *
 * Sensitivity β·Γ_y²: ‖x_i‖ ≤ √β·Γ_y and ‖z_i‖ ≤ √β·Γ_y, and the change is x_i z_iᵀ, as in the lemma of
 * `itemSums`. (Chien et al. 2021, remark 2, scale the noise to Γ_y² and lose the factor β = k.)
 * O(ratings × d).
 */
export const subspaceStep: PersonStatistic<SubspaceQuestion, 'vectors'> = {
  id: 'subspace-step',
  parallel: 'engine',
  shapes: ({ weighting: { budget }, directions: { width }, targetBound, gridBits, begin, end }) => {
    const vectorBound = Math.sqrt(budget) * targetBound;
    return {
      vectors: {
        length: (end - begin) * width,
        sensitivity: vectorSensitivity(budget, vectorBound, targetBound),
        gridStep: vectorBound * 2 ** -gridBits * targetBound * 2 ** -gridBits,
      },
    };
  },
  async add(share, question, into) {
    const { weighting, directions, targetBound, gridBits, begin, end } = question;
    const contributions = weighedByItem(share, weighting);
    const { users, targets } = share.keep('subspace', directions, () => {
      const { byItem, budget } = contributions;
      const targets = clipTargets(
        question.feedback === 'implicit'
          ? sharedFloat32(byItem.values.length).fill(1)
          : centredTargets(byItem, 'items', { offset: question.offset }),
        targetBound,
      );
      const scores = weightedRows(contributions, targets.values, directions);
      return { targets, users: clipRows(scores, Math.sqrt(budget) * targetBound) };
    });
    const grid = { vectorBits: gridBits, targetBits: gridBits };
    const input = { engine: share.engine, contributions, users, targets, grid };
    const sums = await exactItemSums(input, begin, end, false);
    into.vectors.set(sums.vectors);
  },
};

/** z_i = Σ_j w_ij y_ij X_j for every person. */
function weightedRows(
  { byItem, rootWeights }: ContributionsByItem,
  targets: Float32Array,
  directions: FactorMatrix,
): FactorMatrix {
  const { width, data } = directions;
  const scores = zeroFactors(byItem.columnCount, width);
  for (let item = 0; item < byItem.rowCount; item++) {
    for (let at = byItem.offsets[item]; at < byItem.offsets[item + 1]; at++) {
      const value = targets[at] * (rootWeights === undefined ? 1 : rootWeights[at] ** 2);
      const to = byItem.indices[at] * width;
      for (let a = 0; a < width; a++) scores.data[to + a] += value * data[item * width + a];
    }
  }
  return scores;
}
