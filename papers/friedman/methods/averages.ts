import { type ReleaseRecorder, sensitive } from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';
import { type AveragesSettings, planAverages } from './averages-budget.js';
import { formOf } from './averages-form.js';
import { boundedRating, clip, gridBound, gridStep, toGrid } from './protected-rating.js';

/** Released averages, on the grid, with the counts that the unit allows to be known. */
export interface Averages {
  readonly global: number;
  /** Per item, within the rating scale. */
  readonly item: Float64Array;
  /** Per user, of what the item average leaves, within ± userBound. */
  readonly user: Float64Array;
  /** Ratings per item and user: exact where who rated what is public, released with noise where it is not. */
  readonly itemCounts: Float64Array;
  readonly userCounts: Float64Array;
}

/**
 * Private global, item and user averages: Friedman, Berkovsky, Kaafar 2016, Algorithms 1 and 2.
 *
 *   I_j = clamp((Σ_{R_j} r + β_m G + noise) / (n_j + β_m)),   U_i = clamp((Σ_{R_i}(r − I_j) + β_u G′ + noise) / (n_i + β_u))
 *
 * What each sum may move by, and why, stands with the plan (`planAverages`). The steps are sequential: the
 * residuals of the second step are taken from averages already released, so one rating still touches one user
 * sum. O(ratings + users + items).
 */
export async function releaseAverages(
  settings: AveragesSettings,
  ratings: RatingMatrix,
  recorder: ReleaseRecorder,
): Promise<Averages> {
  const { scale } = ratings;
  const sensitivities = new Map(planAverages(settings, scale).map((line) => [line.name, line.sensitivity]));
  const form = formOf(settings, scale, async (name, gridUnits, step = gridStep) => {
    const open = recorder.begin(name);
    const noisy = await open.add(0, sensitive(gridUnits, 'l1', sensitivities.get(name) ?? 0), step);
    open.close();
    return noisy;
  });
  const { centre, release } = form;
  const counts = exactCounts(ratings);

  const itemSums = sumByItem(ratings, centre);
  const itemCounts = await form.counts('item-counts', counts.item);
  const noisyItemSums = await release('item-sums', itemSums);
  const global = await form.meanRating({ exact: itemSums, noisy: noisyItemSums, counts: itemCounts }, counts);
  const item = new Float64Array(ratings.itemCount);
  for (let j = 0; j < item.length; j++) {
    const mean = shrunkMean(noisyItemSums[j], itemCounts[j], global, settings.itemShrinkage);
    item[j] = toGrid(Math.min(scale.max, Math.max(scale.min, centre + mean)));
  }

  const userSums = sumResidualsByUser(ratings, item, form.residualBound);
  const userCounts = await form.counts('user-counts', counts.user);
  const noisyUserSums = await release('user-sums', userSums);
  const residual = clip(
    await form.meanResidual({ exact: userSums, noisy: noisyUserSums, counts: userCounts }),
    settings.userBound,
  );
  const user = new Float64Array(ratings.userCount);
  for (let i = 0; i < user.length; i++) {
    const mean = shrunkMean(noisyUserSums[i], userCounts[i], residual, settings.userShrinkage);
    user[i] = toGrid(clip(mean, settings.userBound));
  }
  return { global: toGrid(centre + global), item, user, itemCounts, userCounts };
}

/** Averages that say nothing: the middle of the declared scale for every item, 0 for every user. */
export function middleOfScale({ scale, itemCount, userCount }: RatingMatrix): Averages {
  const middle = toGrid((scale.min + scale.max) / 2);
  return {
    global: middle,
    item: new Float64Array(itemCount).fill(middle),
    user: new Float64Array(userCount),
    itemCounts: new Float64Array(itemCount),
    userCounts: new Float64Array(userCount),
  };
}

/**
 * Residuals e = clip(r − I_j − U_i, ±bound) in grid units, in the order of byUser (Friedman et al. 2016, eq.
 * 7). Given the averages, one rating determines its own residual and no other.
 */
export function clampedResiduals(ratings: RatingMatrix, averages: Averages, bound: number): Float64Array {
  const { byUser, scale } = ratings;
  const residuals = new Float64Array(byUser.values.length);
  const limit = gridBound(bound);
  for (let i = 0; i < byUser.rowCount; i++) {
    const user = averages.user[i];
    const end = byUser.offsets[i + 1];
    for (let at = byUser.offsets[i]; at < end; at++) {
      const item = averages.item[byUser.indices[at]];
      residuals[at] = clip(boundedRating(byUser.values[at], scale) - item - user, limit) / gridStep;
    }
  }
  return residuals;
}

/** Negative noisy counts count as none; with nothing to divide by, the prior mean stands. */
function shrunkMean(sum: number, count: number, prior: number, shrinkage: number): number {
  const weight = Math.max(count, 0) + shrinkage;
  return weight > 0 ? (sum + shrinkage * prior) / weight : prior;
}

function exactCounts({ byUser, userCount, itemCount }: RatingMatrix) {
  const item = new Float64Array(itemCount);
  const user = new Float64Array(userCount);
  for (let at = 0; at < byUser.indices.length; at++) item[byUser.indices[at]]++;
  for (let i = 0; i < userCount; i++) user[i] = byUser.offsets[i + 1] - byUser.offsets[i];
  return { item, user };
}

function sumByItem({ byUser, scale, itemCount }: RatingMatrix, centre: number): Float64Array {
  const sums = new Float64Array(itemCount);
  // A centre rounded to the grid may be half a step off the middle; the half range is what the noise covers.
  const limit = centre === 0 ? Number.POSITIVE_INFINITY : gridBound((scale.max - scale.min) / 2);
  for (let at = 0; at < byUser.values.length; at++) {
    sums[byUser.indices[at]] += clip(boundedRating(byUser.values[at], scale) - centre, limit) / gridStep;
  }
  return sums;
}

function sumResidualsByUser(ratings: RatingMatrix, item: Float64Array, bound: number): Float64Array {
  const { byUser, scale } = ratings;
  const sums = new Float64Array(ratings.userCount);
  const limit = gridBound(bound);
  for (let i = 0; i < byUser.rowCount; i++) {
    let sum = 0;
    const end = byUser.offsets[i + 1];
    for (let at = byUser.offsets[i]; at < end; at++) {
      const rating = boundedRating(byUser.values[at], scale);
      sum += clip(rating - item[byUser.indices[at]], limit) / gridStep;
    }
    sums[i] = sum;
  }
  return sums;
}
