import type { Csr } from '@hushrec/numerics';
import type { SettingsOf, SettingsSchema } from '../settings.js';
import { minimizeOnBall } from './ball-constrained-quadratic.js';
import { boundedVectorSchema, factorSchema } from './factor-settings.js';
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
  readonly targets: Float32Array;
  /** What the unit allows to know of the number of entries per row. */
  readonly counts: Float64Array;
  readonly fixed: Float64Array;
  readonly fixedNorm: number;
  readonly out: Float64Array;
  readonly outNorm: number;
  readonly settings: PrivateAlsSettings;
}

/** Exact minimisers into `half.out`, and how far one protected change may move each. O(ratings · d²). */
export function solveHalf(half: HalfRound): Float64Array {
  const { unit, repaired } = half.settings;
  if (unit === 'rating-value') return solveWithPublicCounts(half);
  return repaired ? solveOnBall(half) : solveWithPrivateCounts(half);
}

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
    equations.accumulate(rows, row, targets, fixed, count * ridge);
    equations.solve(out, row * width);
    if (!repaired) sensitivities[row] = (outNorm * 2 * residualBound) / (count * ridge);
    else if (sensitivity === 'instance')
      sensitivities[row] = 2 * residualBound * equations.largestResponse(rows, row, fixed);
    else sensitivities[row] = 2 * residualBound * ridgeResponseBound(fixedNorm, count * ridge);
  }
  return sensitivities;
}

function solveOnBall({ rows, targets, counts, fixed, fixedNorm, out, outNorm, settings }: HalfRound) {
  const { rank: width, ridge, residualBound, fewestRatings } = settings;
  const equations = new RowEquations(width);
  const sensitivities = new Float64Array(rows.rowCount);
  for (let row = 0; row < rows.rowCount; row++) {
    const rowRidge = ridge * Math.max(counts[row], fewestRatings);
    equations.accumulate(rows, row, targets, fixed, rowRidge);
    out.set(minimizeOnBall(equations.matrix, equations.vector, width, outNorm), row * width);
    sensitivities[row] = ballRidgeMoveBound(fixedNorm, residualBound, outNorm, rowRidge);
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
    const gradient = fixedNorm * (residualBound + fixedNorm * outNorm) + rowRidge * outNorm;
    sensitivities[row] = gradient / rowRidge;
  }
  return sensitivities;
}
