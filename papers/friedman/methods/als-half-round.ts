import type { SettingsOf, SettingsSchema } from '@hushrec/factorize';
import type { Csr } from '@hushrec/numerics';
import { cutRows } from './exact-products.js';
import { boundedVectorSchema, factorSchema } from './factor-settings.js';
import { minimizeWithin, reachableDistance } from './minimize-within.js';
import { RowEquations } from './ridge-rows.js';
import { ballRidgeMoveBound, ridgeResponseBound } from './ridge-sensitivity.js';

export const privateAlsSchema = {
  ...factorSchema,
  ...boundedVectorSchema,
  sensitivity: {
    type: 'choice',
    default: 'instance',
    choices: ['instance', 'worst-case'],
    description: 'Value only: noise for the public rated set at hand, or for the worst set of that size.',
  },
  fewestRatings: {
    type: 'number',
    default: 10,
    min: 1,
    max: 1e6,
    description: 'n₀ (presence, repaired): the ridge is λ·max(released count, n₀).',
  },
} as const satisfies SettingsSchema;

export type PrivateAlsSettings = SettingsOf<typeof privateAlsSchema>;

/** One side of one round. */
export interface HalfRound {
  readonly rows: Csr;
  /** Cut (`exact-products.ts`). */
  readonly targets: Float32Array;
  /** What the unit allows to know of the number of entries per row. */
  readonly counts: Float64Array;
  readonly fixed: Float64Array;
  readonly fixedNorm: number;
  readonly out: Float64Array;
  readonly outNorm: number;
  readonly settings: PrivateAlsSettings;
}

/**
 * Minimisers into `half.out`, and how far one protected change may move each, as computed, roundings
 * included. O(ratings · d²). Only the presence variant as printed, which guarantees nothing, leaves rounding
 * out.
 */
export function solveHalf(half: HalfRound): Float64Array {
  const { unit, repaired } = half.settings;
  if (unit === 'rating-value') return solveWithPublicCounts(half);
  return repaired ? solveOnBall(half) : solveWithPrivateCounts(half);
}

/**
 * Who rated what is public, and with it M and the responses w_j = M⁻¹v_j, however they are rounded. The
 * solution is the sum of y_j·w_j, which is exact for cut y and w: one changed y moves it by at most
 * 2B·max‖w_j‖.
 */
function solveWithPublicCounts({ rows, targets, fixed, fixedNorm, out, outNorm, settings }: HalfRound) {
  const { rank: width, ridge, residualBound, repaired, sensitivity } = settings;
  const equations = new RowEquations(width);
  const sensitivities = new Float64Array(rows.rowCount);
  for (let row = 0; row < rows.rowCount; row++) {
    const count = rows.offsets[row + 1] - rows.offsets[row];
    if (count === 0) {
      // No rating: the vector is 0 whatever the ratings are, and needs no noise.
      out.fill(0, row * width, (row + 1) * width);
      continue;
    }
    const rowRidge = count * ridge;
    const bound = repaired ? ridgeResponseBound(fixedNorm, rowRidge) : fixedNorm / rowRidge;
    equations.accumulate(rows, row, targets, fixed, rowRidge);
    const largest = equations.sumResponses(rows, row, targets, fixed, bound, out);
    if (!repaired) sensitivities[row] = (outNorm * 2 * residualBound) / rowRidge;
    else sensitivities[row] = 2 * residualBound * (sensitivity === 'instance' ? largest : bound);
  }
  return sensitivities;
}

/**
 * Σvvᵀ and Σyv are exact for cut v and y, and the computed minimiser is within a proved distance of the exact
 * one. Of two neighbours each may be off by that, so it is added to the bound on the exact minimisers' move
 * twice.
 */
function solveOnBall({ rows, targets, counts, fixed, fixedNorm, out, outNorm, settings }: HalfRound) {
  const { rank: width, ridge, residualBound, fewestRatings } = settings;
  const equations = new RowEquations(width);
  const cut = cutRows(fixed, fixedNorm, rows.columnCount);
  const sensitivities = new Float64Array(rows.rowCount);
  for (let row = 0; row < rows.rowCount; row++) {
    const rowRidge = ridge * Math.max(counts[row], fewestRatings);
    equations.accumulate(rows, row, targets, cut, rowRidge);
    const move = ballRidgeMoveBound(fixedNorm, residualBound, outNorm, rowRidge);
    const distance = reachableDistance(move, rows.columnCount, width, outNorm);
    const { matrix, vector: linear } = equations;
    const problem = { matrix, linear, width, radius: outNorm, ridge: rowRidge };
    out.set(minimizeWithin(problem, distance), row * width);
    sensitivities[row] = move + 2 * distance;
  }
  return sensitivities;
}

function solveWithPrivateCounts({ rows, targets, fixed, fixedNorm, out, outNorm, settings }: HalfRound) {
  const { rank: width, ridge, residualBound } = settings;
  const equations = new RowEquations(width);
  const sensitivities = new Float64Array(rows.rowCount);
  for (let row = 0; row < rows.rowCount; row++) {
    const rowRidge = (rows.offsets[row + 1] - rows.offsets[row]) * ridge;
    if (rowRidge === 0) {
      out.fill(0, row * width, (row + 1) * width);
      continue;
    }
    equations.accumulate(rows, row, targets, fixed, rowRidge);
    equations.solve(out, row * width);
    // Half of 2q_max(B + q_max·p_max) + 2λp_max, Table 1 of the paper: a rating more, and λ more of ridge.
    const gradient = fixedNorm * (residualBound + fixedNorm * outNorm) + ridge * outNorm;
    sensitivities[row] = gradient / rowRidge;
  }
  return sensitivities;
}
