import { defineMethod, idleBy } from '@hushrec/factorize';
import { reorder, transposeWithOrder } from '@hushrec/numerics';
import type { OpenRelease, PlannedRelease } from '@hushrec/privacy';
import { letInterruptionsIn } from '../../shared/let-interruptions-in.js';
import { type HalfRound, type PrivateAlsSettings, privateAlsSchema, solveHalf } from './als-half-round.js';
import { clampedResiduals, releaseAverages } from './averages.js';
import { planAverages } from './averages-budget.js';
import { claim, printedAverages } from './claims.js';
import { cutTargets } from './exact-products.js';
import { gaussianRows, projectRows } from './factor-rows.js';
import { factorShare } from './factor-settings.js';
import { gridStep, presenceOrValue, protectionOf } from './protected-rating.js';
import { factorModelOf } from './published-averages.js';
import { releaseRows } from './vector-release.js';

/**
 * Alternating least squares with output perturbation: Friedman, Berkovsky, Kaafar 2016, Algorithm 6 ("PALS").
 *
 * k rounds of u_i ← Π_{p_max}(argmin_u Σ(e − u·v)² + n_i λ‖u‖² + K-norm noise), then items likewise with
 * q_max. Given the released other side, one rating moves one user vector and one item vector: ε/2k each, pure
 * ε in total.
 *
 * Value: who rated what is public, so n_i and Σvvᵀ are, and the noise may be exact for the instance:
 * Δ_i = 2B·max_j ‖M_i⁻¹v_j‖ with M_i = Σvvᵀ + n_iλI, or the worst case 2B·h(q_max, n_iλ) of
 * `ridgeResponseBound`. As printed, p_max and q_max are exchanged in the noise, so the loss is
 * (ε/2)(q/p + p/q) of the factor share.
 *
 * Presence, repaired: the ridge is λ·max(n̂_i, n₀) with the released count n̂_i and the minimum is taken on
 * the ball ‖u‖ ≤ p_max, so that `ballRidgeMoveBound` holds. As printed, the noise scale contains the private
 * n_i, the bound assumes ‖u‖ ≤ p_max for a minimiser that is unconstrained, and at n_i = 0 nothing is
 * strongly convex: no guarantee.
 */
export const privateAls = defineMethod({
  id: 'private-als',
  title: 'Alternating least squares with noisy vectors',
  paper: 'Friedman, Berkovsky, Kaafar 2016, Algorithm 6',
  ...presenceOrValue,
  settings: privateAlsSchema,
  idle: ({ unit, repaired }) =>
    idleBy(
      [unit !== 'rating-value', 'unit=rating-value', 'sensitivity'],
      [unit === 'rating-value' || !repaired, 'unit=rating-presence and repaired=true', 'fewestRatings'],
    ),
  plan(settings, shape) {
    const { repaired, unit, userNorm, itemNorm } = settings;
    const printed = unit === 'rating-value' ? swappedBounds : privateCounts;
    return {
      ...protectionOf(unit),
      released: 'item and user averages, item and user vectors of every round',
      releases: [
        ...planAverages(settings, shape.scale),
        vectorLine('user-vectors', settings, unit === 'rating-value' ? itemNorm / userNorm : null),
        vectorLine('item-vectors', settings, unit === 'rating-value' ? userNorm / itemNorm : null),
      ],
      ...(repaired
        ? {}
        : claim(shape, printed, ...(unit === 'rating-value' ? [] : [printedAverages(shape)]))),
    };
  },
  async train({ ratings, settings, recorder, random, progress, signal }) {
    const { rank: width, rounds, userNorm, itemNorm, residualBound } = settings;
    const averages = await releaseAverages(settings, ratings, recorder);
    const byUser = ratings.byUser;
    const residuals = clampedResiduals(ratings, averages, residualBound).map((units) => units * gridStep);
    const userTargets = cutTargets(residuals, residualBound);
    const { csr: byItem, order } = transposeWithOrder(byUser);
    const itemTargets = reorder(userTargets, order);

    const users = new Float64Array(ratings.userCount * width);
    const items = gaussianRows(ratings.itemCount, width, settings.initialStdDev, random);
    projectRows(items, width, itemNorm);
    for (let round = 0; round < rounds; round++) {
      await letInterruptionsIn(signal);
      await halfRound(recorder.begin('user-vectors'), {
        rows: byUser,
        targets: userTargets,
        counts: averages.userCounts,
        fixed: items,
        fixedNorm: itemNorm,
        out: users,
        outNorm: userNorm,
        settings,
      });
      await halfRound(recorder.begin('item-vectors'), {
        rows: byItem,
        targets: itemTargets,
        counts: averages.itemCounts,
        fixed: users,
        fixedNorm: userNorm,
        out: items,
        outNorm: itemNorm,
        settings,
      });
      progress?.({ stage: 'rounds', done: round + 1, total: rounds });
    }
    return {
      model: factorModelOf(averages, users, items, settings),
    };
  },
});

async function halfRound(release: OpenRelease, half: HalfRound): Promise<void> {
  const sensitivities = solveHalf(half);
  await releaseRows(release, half.out, half.settings.rank, sensitivities);
  release.close();
  projectRows(half.out, half.settings.rank, half.outNorm);
}

const swappedBounds =
  'the printed noise uses p_max for user vectors and q_max for item vectors; one rating moves them by the other bound';
const privateCounts =
  'the printed noise scale reveals how many ratings a row has, and its bound holds only inside a ball that is not enforced';

/**
 * K-norm noise in units of each row's own sensitivity. `ratio` is true over printed sensitivity when that is
 * known.
 */
function vectorLine(name: string, settings: PrivateAlsSettings, ratio: number | null): PlannedRelease {
  return {
    name,
    mechanism: { kind: 'k-norm', dimension: settings.rank },
    sensitivity: 1,
    perPart: true,
    count: settings.rounds,
    share: factorShare(settings) / 2,
    ...(settings.repaired
      ? {}
      : { proved: ratio === null ? { nothingBecause: privateCounts } : { sensitivity: ratio } }),
  };
}
