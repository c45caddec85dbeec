import { convexLosses, labelOf, type ModelLoss } from '@hushrec/model';
import { type FactorMatrix, packedLength, rowRidges, sharedFloat32, zeroFactors } from '@hushrec/numerics';
import type { ContributionsByItem, PeopleShare, PersonStatistic } from '@hushrec/statistics';
import { type ClippedRows, clipRows } from '../../shared/statistics/clip-rows.js';
import { clipTargets } from '../../shared/statistics/clip-targets.js';
import { exactItemSums } from '../../shared/statistics/exact-item-sums.js';
import { matrixSensitivity, vectorSensitivity } from '../../shared/statistics/item-sum-bounds.js';
import { type Weighting, weighedByItem } from '../../shared/statistics/weighting.js';

/** Bounds that a person's slope and curvature are shrunk to, from settings or from the loss itself. */
export interface LossBounds {
  readonly slope: number;
  readonly curvature: number;
}

/** Bounds that never clip the logistic loss. */
export const logisticBounds: LossBounds = { slope: 1, curvature: 0.25 };

/** L2 (Frobenius) sensitivity of the curvature sums: √β·a_max·Γ_u². */
export function curvatureSensitivity(budget: number, vectorBound: number, bounds: LossBounds): number {
  return matrixSensitivity(budget, vectorBound) * bounds.curvature;
}

/** L2 sensitivity of the slope sums: √β·g_max·Γ_u. */
export function slopeSensitivity(budget: number, vectorBound: number, bounds: LossBounds): number {
  return vectorSensitivity(budget, vectorBound, bounds.slope);
}

/** How people's own vectors follow from item vectors and labels, by Newton's method. Released or public. */
export interface ConvexOwn {
  readonly loss: ModelLoss;
  readonly items: FactorMatrix;
  readonly ridge: number;
  readonly ridgeExponent: number;
  /** Γ_u. */
  readonly clipNorm: number;
}

export interface CurvatureQuestion {
  readonly weighting: Weighting;
  readonly own: ConvexOwn;
  /** v⁰_j: where the loss is expanded. Released. */
  readonly around: FactorMatrix;
  readonly bounds: LossBounds;
  readonly gridBits: number;
  readonly begin: number;
  readonly end: number;
}

/**
 * Enough that people's vectors are those that their devices fit from the published model
 * (`recommend/src/convex-fold-in.ts`).
 */
const userNewtonSteps = 10;

/**
 * H_j = Σ_i w s a u uᵀ and g_j = Σ_i w s g u at the present item vectors, for items [begin, end): a and g are
 * curvature and slope of person i's loss on item j, and s = min(1, a_max/a, g_max/|g|) one common shrinkage,
 * so that a clipped example keeps its direction (Krichene et al. 2024, Algorithm 7).
 *
 * Sensitivity: s·a ≤ a_max and s·|g| ≤ g_max, so that per item the change is at most w·a_max·Γ_u² and
 * w·g_max·Γ_u; sum over items as for `itemSums`. Scores read released item vectors, the person's own clipped
 * vector and own label. O(ratings × d²).
 */
export const curvatureSums: PersonStatistic<CurvatureQuestion, 'curvatures' | 'slopes'> = {
  id: 'item-curvatures',
  parallel: 'engine',
  shapes({ weighting: { budget }, own: { clipNorm, items }, bounds, gridBits, begin, end }) {
    const step = clipNorm * 2 ** -gridBits;
    return {
      curvatures: {
        length: (end - begin) * packedLength(items.width),
        sensitivity: curvatureSensitivity(budget, clipNorm, bounds),
        // The engine sums a/a_max; the unit of the grid carries the factor a_max back.
        gridStep: step ** 2 * bounds.curvature,
      },
      slopes: {
        length: (end - begin) * items.width,
        sensitivity: slopeSensitivity(budget, clipNorm, bounds),
        gridStep: step * bounds.slope * 2 ** -gridBits,
      },
    };
  },
  async add(share, question, into) {
    const { engine } = share;
    const { gridBits, begin, end } = question;
    const contributions = weighedByItem(share, question.weighting);
    const users = await share.keep('convex own vectors', question.own, () =>
      solveConvex(share, question.own),
    );
    const { targets, curved } = share.keep('expansion', question.around, () =>
      expansion(contributions, users, question),
    );
    const grid = { vectorBits: gridBits, targetBits: gridBits };
    const { matrices } = await exactItemSums(
      { engine, contributions: curved, users, targets, grid },
      begin,
      end,
      true,
    );
    into.curvatures.set(matrices);
    const { vectors } = await exactItemSums(
      { engine, contributions, users, targets, grid },
      begin,
      end,
      false,
    );
    into.slopes.set(vectors);
  },
};

/** s·g of every example, and weights that hold s·a/a_max. */
function expansion(
  { byItem, rootWeights, budget }: ContributionsByItem,
  users: ClippedRows,
  { own, around, bounds }: CurvatureQuestion,
) {
  const loss = convexLosses[own.loss.kind];
  const labels = labelsOf(byItem.values, own);
  const { width, data } = users.rows;
  const slopes = sharedFloat32(labels.length);
  const roots = sharedFloat32(labels.length);
  for (let item = 0; item < byItem.rowCount; item++) {
    for (let at = byItem.offsets[item]; at < byItem.offsets[item + 1]; at++) {
      const from = byItem.indices[at] * width;
      let score = 0;
      for (let a = 0; a < width; a++) score += data[from + a] * around.data[item * width + a];
      const slope = loss.slope(score, labels[at]);
      const curvature = loss.curvature(score, labels[at]);
      const shrink = Math.min(1, bounds.curvature / curvature, bounds.slope / Math.abs(slope));
      const usable = shrink > 0 && curvature >= 0 && Number.isFinite(slope) && Number.isFinite(curvature);
      slopes[at] = usable ? shrink * slope : 0;
      const ratio = usable ? Math.min(1, (shrink * curvature) / bounds.curvature) : 0;
      roots[at] = (rootWeights?.[at] ?? 1) * Math.sqrt(ratio);
    }
  }
  return { targets: clipTargets(slopes, bounds.slope), curved: { byItem, rootWeights: roots, budget } };
}

function labelsOf(values: Float32Array, { loss }: ConvexOwn): Float32Array {
  const out = sharedFloat32(values.length);
  for (let at = 0; at < out.length; at++) out[at] = labelOf(loss, values[at]);
  return out;
}

/**
 * Where Newton's method begins: at 0, but counts at their own logarithm, as is usual, or the first step goes
 * much too far.
 */
function firstScores(loss: ModelLoss, labels: Float32Array): Float32Array {
  return labels.map((label) => (loss.kind === 'poisson' ? Math.log(Math.max(label, 0.5)) : 0));
}

/**
 * Everyone's own vector by Newton's method on own labels: u ← (Σ a v vᵀ + λI)⁻¹ Σ (a·z − g) v with z = u·v, a
 * few times, then clipped. Reads released item vectors and own data. Someone whose system has no solution in
 * floating point counts as 0, and ends nobody's run. O(steps × ratings × d²).
 */
async function solveConvex({ rows, engine }: PeopleShare, own: ConvexOwn): Promise<ClippedRows> {
  const loss = convexLosses[own.loss.kind];
  const { items } = own;
  const labels = labelsOf(rows.values, own);
  const weights = sharedFloat32(labels.length);
  const targets = sharedFloat32(labels.length);
  const people = zeroFactors(rows.rowCount, items.width);
  for (let step = 0; step < userNewtonSteps; step++) {
    const scores =
      step === 0 ? firstScores(own.loss, labels) : await engine.predictPairs(people, items, rows);
    for (let at = 0; at < labels.length; at++) {
      const score = Math.max(-8, Math.min(8, scores[at]));
      const curvature = Math.max(loss.curvature(score, labels[at]), 1e-3);
      weights[at] = curvature;
      targets[at] = score - loss.slope(score, labels[at]) / curvature;
    }
    const ridge = rowRidges(rows, own.ridge, own.ridgeExponent);
    await engine.solveRows({ rows, fixed: items, out: people, ridge, weights, targets, unsolvable: 'nan' });
  }
  return clipRows(people, own.clipNorm);
}
