import type { Csr } from '@hushrec/numerics';
import { type LineCoins, type Sensitive, sensitive } from '@hushrec/privacy';
import { boundContributions } from './bound-contributions.js';
import { requireDistinctItems } from './contributions.js';
import type { GridSums } from './grid-sums.js';
import { weightedCountSensitivity } from './hush/population.js';
import { roundingMargin } from './rounding-margin.js';

const gridBits = 20;

/**
 * c_j = Σ_{i rated j} 1/√n_i, where n_i is how many items person i rated: popularity in which everyone has the same
 * say and nobody's ratings are dropped (a person with 100 ratings adds 0.1 to each of 100 items).
 *
 * Sensitivity 1 (add or remove a person): the change is n_i coordinates of t = ⌊2²⁰·(1 − 2⁻²⁰)/√n_i⌋ grid steps;
 * n_i·t² ≤ 2⁴⁰ because the margin exceeds the error of the division and the root. Replacing a person: √2, as both
 * contributions are non-negative. O(ratings).
 */
export function weightedItemCounts(byUser: Csr): GridSums {
  requireDistinctItems(byUser);
  const counts = new Float64Array(byUser.columnCount);
  for (let user = 0; user < byUser.rowCount; user++) {
    const begin = byUser.offsets[user]!;
    const end = byUser.offsets[user + 1]!;
    const share = Math.floor((2 ** gridBits * roundingMargin) / Math.sqrt(end - begin));
    for (let at = begin; at < end; at++) counts[byUser.indices[at]!]! += share;
  }
  return onGrid(counts, weightedCountSensitivity);
}

/**
 * c_j = number of people whose own uniform sample of at most k ratings contains j (Chien et al. 2021, §3.2).
 * Sensitivity √k: a person moves at most k coordinates by 1. The samples are drawn with people's own coins. O(ratings).
 */
export function sampledItemCounts(byUser: Csr, k: number, coins: LineCoins): GridSums {
  const sample = boundContributions(byUser, k, { kind: 'uniform', coins });
  const counts = new Float64Array(byUser.columnCount);
  for (const item of sample.byUser.indices) counts[item]! += 2 ** gridBits;
  return onGrid(counts, Math.sqrt(k));
}

/** How many people there are: sensitivity 1 (0 when a person is replaced). */
export function populationCount(byUser: Csr): GridSums {
  return onGrid(Float64Array.of(byUser.rowCount * 2 ** gridBits), 1);
}

function onGrid(sums: Float64Array, sensitivity: number): GridSums {
  const statistic: Sensitive<Float64Array> = sensitive(sums, 'l2', sensitivity);
  return { statistic, gridStep: 2 ** -gridBits };
}
