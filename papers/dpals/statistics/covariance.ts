import type { Csr } from '@hushrec/numerics';
import { clipFactor, type PeopleShare, type PersonStatistic } from '@hushrec/statistics';
import { centredTargets, ownMeans } from '../../shared/statistics/centring.js';
import { addItemCovariance, covarianceShape } from './item-covariance.js';

/** What people take off their ratings before their rows are summed. Public. */
export interface RowQuestion {
  readonly offset: number;
  /** Given: each person's own mean, shrunk by this many ratings of 0, is taken off, too. */
  readonly interceptRidge?: number;
  /** L. */
  readonly rowBound: number;
}

/**
 * C = Σ_i x_i x_iᵀ over people's centred rows, ‖x_i‖ ≤ L. Frobenius sensitivity L² (see `addItemCovariance`).
 */
export const rowCovariance: PersonStatistic<RowQuestion, 'covariance'> = {
  id: 'item-covariance',
  parallel: 'engine',
  shapes: ({ rowBound }, itemCount) => ({ covariance: covarianceShape(itemCount, rowBound) }),
  add({ rows }, { offset, interceptRidge, rowBound }, into) {
    const own = interceptRidge === undefined ? undefined : ownMeans(rows, { offset }, interceptRidge);
    const values = centredTargets(rows, 'users', { offset, ...(own && { userOffsets: own }) });
    addItemCovariance(rows, values, rowBound, into.covariance);
  },
};

/** One released direction v̂ (unit length) and strength λ̂. */
export interface FrankWolfeStep {
  readonly direction: Float64Array;
  readonly strength: number;
}

/** Everything that people's own rows of Y follow from: public or released. */
export interface FrankWolfeQuestion {
  readonly offset: number;
  /** L. */
  readonly rowBound: number;
  /** κ. */
  readonly nuclearNorm: number;
  /** T: rounds in all, which the step size follows from. */
  readonly rounds: number;
  /** Every step so far, the first first; the array may grow between questions, never change. */
  readonly path: readonly FrankWolfeStep[];
  /** How many of them are meant. */
  readonly steps: number;
}

/**
 * W = Σ_i a_i a_iᵀ over people's residual rows a_i = Y_i − own ratings, after the steps so far (Jain et al.
 * 2018). Both are kept in the ball of radius L, so ‖a_i‖ ≤ 2L: Frobenius sensitivity 4L² (see
 * `addItemCovariance`, which scales to it whatever a row is).
 */
export const residualCovariance: PersonStatistic<FrankWolfeQuestion, 'covariance'> = {
  id: 'residual-covariance',
  parallel: 'engine',
  shapes: ({ rowBound }, itemCount) => ({ covariance: covarianceShape(itemCount, 2 * rowBound) }),
  add(share, question, into) {
    const { state } = moved(share, question);
    addItemCovariance(share.rows, state.residuals, 2 * question.rowBound, into.covariance);
  },
};

interface Moved {
  readonly path: readonly FrankWolfeStep[];
  readonly steps: number;
  readonly own: Float32Array;
  readonly state: FrankWolfeState;
}

/** People's state along the path; moved on where it was kept, else from the start. */
function moved({ rows, keep }: PeopleShare, question: FrankWolfeQuestion): Moved {
  return keep<Moved>('frank-wolfe', question, (previous) => {
    const { path, steps } = question;
    const before =
      previous?.path === path && previous.steps <= steps ? previous : startFrankWolfe(rows, question);
    for (let step = before.steps; step < steps; step++)
      moveFrankWolfe(rows, before.own, before.state, path[step], question);
    return { ...before, steps };
  });
}

/**
 * People's own state: predictions on their own items, and residuals (prediction − rating). Stays with them.
 */
interface FrankWolfeState {
  readonly predictions: Float32Array;
  readonly residuals: Float32Array;
  /**
   * Factor that keeps a person's row in the ball, and the weight of each step so far: enough to predict other
   * items.
   */
  readonly coefficients: number[][];
}

function startFrankWolfe(rows: Csr, { offset, rowBound, path }: FrankWolfeQuestion): Moved {
  const own = scaledRows(rows, centredTargets(rows, 'users', { offset }), rowBound);
  const state = {
    predictions: new Float32Array(own.length),
    residuals: own.map((value) => -value),
    coefficients: Array.from({ length: rows.rowCount }, () => []),
  };
  return { path, steps: 0, own, state };
}

/** Y_i ← (1 − η)Y_i − ηκ û_i v̂ᵀ, scaled into the ball. */
function moveFrankWolfe(
  byUser: Csr,
  own: Float32Array,
  state: FrankWolfeState,
  { direction, strength }: FrankWolfeStep,
  { rounds, rowBound, nuclearNorm }: Pick<FrankWolfeQuestion, 'rounds' | 'rowBound' | 'nuclearNorm'>,
): void {
  const rate = 1 / rounds;
  const { predictions, residuals, coefficients } = state;
  for (let user = 0; user < byUser.rowCount; user++) {
    const begin = byUser.offsets[user];
    const end = byUser.offsets[user + 1];
    let along = 0;
    for (let at = begin; at < end; at++) along += residuals[at] * direction[byUser.indices[at]];
    const move = (-rate * nuclearNorm * along) / strength;
    let square = 0;
    for (let at = begin; at < end; at++) {
      predictions[at] = (1 - rate) * predictions[at] + move * direction[byUser.indices[at]];
      square += predictions[at] ** 2;
    }
    const shrink = clipFactor(Math.sqrt(square || 1), rowBound);
    for (let at = begin; at < end; at++) {
      predictions[at] *= shrink;
      residuals[at] = predictions[at] - own[at];
    }
    const mine = coefficients[user];
    for (let k = 0; k < mine.length; k++) mine[k] *= (1 - rate) * shrink;
    mine.push(move * shrink);
  }
}

/**
 * People's rows of Y as the paper has them: coefficients over the released directions, from own ratings and
 * the released path alone. Row i predicts item j as offset + Σ_t c_it v̂_tj.
 */
export function replayFrankWolfe(
  byUser: Csr,
  path: readonly FrankWolfeStep[],
  settings: Pick<FrankWolfeQuestion, 'offset' | 'rowBound' | 'nuclearNorm' | 'rounds'>,
): readonly (readonly number[])[] {
  const { own, state } = startFrankWolfe(byUser, { ...settings, path, steps: 0 });
  for (const step of path) moveFrankWolfe(byUser, own, state, step, settings);
  return state.coefficients;
}

/** Rows scaled down to norm ≤ bound; rows with a value that is not finite become 0. */
function scaledRows(rows: Csr, values: Float32Array, bound: number): Float32Array {
  for (let row = 0; row < rows.rowCount; row++) {
    const own = values.subarray(rows.offsets[row], rows.offsets[row + 1]);
    const norm = Math.sqrt(own.reduce((sum, value) => sum + value * value, 0));
    if (norm <= bound) continue;
    const factor = Number.isFinite(norm) ? clipFactor(norm, bound) : 0;
    for (let k = 0; k < own.length; k++) own[k] = factor === 0 ? 0 : own[k] * factor;
  }
  return values;
}
