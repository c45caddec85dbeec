import type { Csr } from '@hushrec/numerics';
import type { PersonStatistic } from '../people/people.js';
import { roundingMargin } from '../rounding-margin.js';
import { type GradeRange, gradesOf } from './grades.js';
import { clippedShape, signedSteps } from './jointly-clipped.js';

const gridBits = 20;
const gridStep = 2 ** -gridBits;

/** How many people there are: everyone adds 1. Sensitivity 1 (0 when a person is replaced). */
export const peopleCount: PersonStatistic<null, 'count'> = {
  id: 'people-count',
  parallel: 'engine',
  shapes: () => ({ count: { length: 1, sensitivity: 1, gridStep } }),
  add({ rows }, _, { count }) {
    count[0] += rows.rowCount * 2 ** gridBits;
  },
};

/** L2 sensitivity of `weightedCounts`. */
export const weightedCountSensitivity = 1;

/**
 * c_j = Σ_{i rated j} 1/√n_i, where n_i is how many items person i rated: popularity in which everyone has
 * the same say and nobody's ratings are dropped (a person with 100 ratings adds 0.1 to each of 100 items).
 *
 * Sensitivity 1 (add or remove a person): the change is n_i coordinates of t = ⌊2²⁰·(1 − 2⁻²⁰)/√n_i⌋ grid
 * steps; n_i·t² ≤ 2⁴⁰ because the margin exceeds the error of the division and the root. Replacing a person:
 * √2, as both contributions are non-negative. O(ratings).
 *
 * Where ratings are grades, c_j = Σ_i g_ij/√(Σ_l g_il²), and ⌊2²⁰·(1 − 2⁻²⁰) g_ij/√(Σ_l g_il²)⌋ grid steps:
 * the squares of these sum to at most 2⁴⁰ for the same reason (grades are float32, so their squares are exact
 * in float64, and their sum has an error of at most n·2⁻⁵³ of itself). Whose grades are all 0 adds nothing.
 */
export const weightedCounts: PersonStatistic<{ readonly grades: GradeRange } | null, 'counts'> = {
  id: 'item-counts',
  parallel: 'shares',
  shapes: (_, itemCount) => ({
    counts: { length: itemCount, sensitivity: weightedCountSensitivity, gridStep },
  }),
  add({ rows }, published, { counts }) {
    if (published !== null) return addGrades(rows, published.grades, counts);
    const { offsets, indices } = rows;
    for (let user = 0; user < rows.rowCount; user++) {
      const begin = offsets[user];
      const end = offsets[user + 1];
      const share = Math.floor((2 ** gridBits * roundingMargin) / Math.sqrt(end - begin));
      for (let at = begin; at < end; at++) counts[indices[at]] += share;
    }
  },
};

function addGrades(rows: Csr, range: GradeRange, counts: Float64Array): void {
  const { offsets, indices } = rows;
  const grades = gradesOf(rows, range);
  for (let user = 0; user < rows.rowCount; user++) {
    const end = offsets[user + 1];
    let squares = 0;
    for (let at = offsets[user]; at < end; at++) squares += grades[at] * grades[at];
    if (squares === 0) continue;
    const scale = (2 ** gridBits * roundingMargin) / Math.sqrt(squares);
    for (let at = offsets[user]; at < end; at++) counts[indices[at]] += Math.floor(scale * grades[at]);
  }
}

/**
 * Σ_i clip(r̄_i − middle, ±bound), r̄_i the mean of i's own ratings; nothing of people without ratings.
 * Sensitivity `bound`: everyone adds one number between −bound and bound, whatever she rated (replacing a
 * person: 2·bound). O(ratings).
 */
export const meanRating: PersonStatistic<{ readonly middle: number; readonly bound: number }, 'sum'> = {
  id: 'mean-rating',
  parallel: 'shares',
  shapes: ({ bound }) => ({ sum: clippedShape('bound on a mean rating', 1, bound) }),
  add({ rows }, { middle, bound }, { sum }) {
    const { offsets, values } = rows;
    for (let user = 0; user < rows.rowCount; user++) {
      const begin = offsets[user];
      const end = offsets[user + 1];
      let total = 0;
      for (let at = begin; at < end; at++) total += values[at] - middle;
      if (end > begin) sum[0] += signedSteps(total / (end - begin), bound);
    }
  },
};
