import { type Csr, zeroFactors } from '@hushrec/numerics';
import { centredTargets, itemCovariance } from '@hushrec/statistics';
import { defineMethod } from '../../define-method.js';
import type { PublicShape } from '../../method.js';
import { within } from '../../search-space.js';
import type { SettingsOf, SettingsSchema } from '../../settings.js';
import { dpalsSettings, suggestDpals } from '../dpals/dpals-settings.js';
import { implicitSettings } from '../shared/gramian-step.js';
import { offsetSettings } from '../shared/rating-offset.js';
import { multiplyPacked, topEigenpairs } from './lanczos.js';

const { userRidge, userRidgeExponent } = dpalsSettings;

const schema = {
  rounds: { type: 'integer', default: 4, min: 1, max: 500, description: 'Frank–Wolfe steps (T).' },
  rowBound: {
    type: 'number',
    default: 5,
    min: 1e-6,
    max: 1e6,
    description: 'L: a person’s centred ratings, as one row, are scaled down to this norm.',
  },
  nuclearNorm: {
    type: 'number',
    default: 3000,
    min: 1e-6,
    max: 1e12,
    description: 'κ: bound on the nuclear norm of the completed matrix.',
  },
  offset: offsetSettings.offset,
  unobservedWeight: {
    ...implicitSettings.unobservedWeight,
    description: 'λ₀: weight of all items in people’s own solve (implicit feedback); costs nothing here.',
  },
  userRidge: { ...userRidge, default: 1 },
  userRidgeExponent,
} as const satisfies SettingsSchema;

export type DpFwSettings = SettingsOf<typeof schema>;

/**
 * Private Frank–Wolfe matrix completion, Jain et al. 2018, Algorithm 1 (reconstructed): every round releases one direction v̂ from the noised
 * covariance of residual rows, and people move their own row of Y towards −κ û_i v̂ᵀ.
 *
 * Residual rows are scaled to norm ≤ 2L, so a round has Frobenius sensitivity 4L². Released: v̂ and λ̂ of every round. On a device, a
 * person's vector over the released directions is fitted by ridge, which is at least as good as replaying the rounds
 * (`replayFrankWolfe` does that, for comparison with the paper).
 */
export const dpFw = defineMethod({
  id: 'dp-fw',
  title: 'Private Frank–Wolfe matrix completion',
  paper: 'Jain et al. 2018, Algorithm 1',
  feedback: ['explicit', 'implicit'],
  protects: [{ unit: 'user', relation: 'add-remove' }],
  settings: schema,
  needs: 'ratings',
  clips: ['rowBound'],
  search: {
    rounds: within(3),
    rowBound: within(3),
    nuclearNorm: within(6),
    userRidge: within(6),
  },
  suggest: (shape) => suggestDpFw(shape),
  plan: (settings) => {
    const { rowBound, rounds } = settings;
    return {
      unit: 'user',
      relation: 'add-remove',
      released: 'one item direction and its strength per round',
      releases: [
        {
          name: 'residual-covariance',
          mechanism: { kind: 'gaussian' },
          sensitivity: (2 * rowBound) ** 2,
          count: rounds,
          share: 1,
        },
      ],
    };
  },
  async train(input) {
    const { ratings, settings, recorder, random, progress, signal } = input;
    const { byUser, itemCount } = ratings;
    const { rounds, rowBound } = settings;
    const own = scaledRows(byUser, centredTargets(byUser, 'users', { offset: settings.offset }), rowBound);
    const path: FrankWolfeStep[] = [];
    const state = startFrankWolfe(byUser, own);
    for (let round = 0; round < rounds; round++) {
      signal?.throwIfAborted();
      progress?.({ stage: 'rounds', done: round, total: rounds });
      const { statistic, gridStep } = itemCovariance(byUser, state.residuals, 2 * rowBound); // W = Σ a_i a_iᵀ
      const release = recorder.begin('residual-covariance');
      const noisy = await release.add(0, statistic, gridStep, { kind: 'symmetric', width: itemCount });
      release.close();
      const { values, vectors } = topEigenpairs(multiplyPacked(noisy, itemCount), itemCount, 1, random);
      const step = { direction: vectors[0]!, strength: Math.sqrt(Math.max(values[0]!, 1e-12)) }; // v̂, λ̂
      path.push(step);
      moveFrankWolfe(byUser, own, state, step, settings); // Y_i ← (1 − η)Y_i − ηκ û_i v̂ᵀ, scaled into the ball
    }
    progress?.({ stage: 'rounds', done: rounds, total: rounds });
    const items = zeroFactors(itemCount, rounds);
    path.forEach(({ direction }, k) => {
      for (let item = 0; item < itemCount; item++)
        items.data[item * rounds + k] = direction[item]! * Math.sqrt(itemCount);
    });
    return {
      model: {
        kind: 'factors',
        feedback: ratings.scale.min === ratings.scale.max ? 'implicit' : 'explicit',
        rank: rounds,
        itemFactors: items.data,
        offset: settings.offset,
        foldIn: {
          ridge: settings.userRidge,
          ridgeExponent: settings.userRidgeExponent,
          unobservedWeight: settings.unobservedWeight,
        },
      },
      facts: { path },
    };
  },
});

function suggestDpFw(shape: PublicShape) {
  const { offset = 0 } = suggestDpals(shape);
  // κ of a matrix with entries of about half the scale's half range: √(n·m) times that, at a declared population.
  const spread = Math.max((shape.scale.max - shape.scale.min) / 4, 0.1);
  const implicit = shape.scale.min === shape.scale.max;
  return {
    offset,
    // Likes are all 1, which one direction explains; further ones made rankings worse on validation, with noise and without.
    ...(implicit && { unobservedWeight: 0.1, rounds: 1 }),
    nuclearNorm: spread * Math.sqrt((shape.declaredPeople ?? 10_000) * shape.itemCount),
  };
}

/** One released direction v̂ (unit length) and strength λ̂. */
export interface FrankWolfeStep {
  readonly direction: Float64Array;
  readonly strength: number;
}

/** People's own state: predictions on their own items, and residuals (prediction − rating). Stays with them. */
interface FrankWolfeState {
  readonly predictions: Float32Array;
  readonly residuals: Float32Array;
  /** Factor that keeps a person's row in the ball, and the weight of each step so far: enough to predict other items. */
  readonly coefficients: number[][];
}

function startFrankWolfe(byUser: Csr, own: Float32Array): FrankWolfeState {
  return {
    predictions: new Float32Array(own.length),
    residuals: own.map((value) => -value),
    coefficients: Array.from({ length: byUser.rowCount }, () => []),
  };
}

function moveFrankWolfe(
  byUser: Csr,
  own: Float32Array,
  state: FrankWolfeState,
  { direction, strength }: FrankWolfeStep,
  { rounds, rowBound, nuclearNorm }: DpFwSettings,
): void {
  const rate = 1 / rounds;
  const { predictions, residuals, coefficients } = state;
  for (let user = 0; user < byUser.rowCount; user++) {
    const begin = byUser.offsets[user]!;
    const end = byUser.offsets[user + 1]!;
    let along = 0;
    for (let at = begin; at < end; at++) along += residuals[at]! * direction[byUser.indices[at]!]!;
    const move = (-rate * nuclearNorm * along) / strength;
    let square = 0;
    for (let at = begin; at < end; at++) {
      predictions[at] = (1 - rate) * predictions[at]! + move * direction[byUser.indices[at]!]!;
      square += predictions[at]! ** 2;
    }
    const shrink = Math.min(1, rowBound / Math.sqrt(square || 1));
    for (let at = begin; at < end; at++) {
      predictions[at]! *= shrink;
      residuals[at] = predictions[at]! - own[at]!;
    }
    const mine = coefficients[user]!;
    for (let k = 0; k < mine.length; k++) mine[k]! *= (1 - rate) * shrink;
    mine.push(move * shrink);
  }
}

/**
 * People's rows of Y as the paper has them: coefficients over the released directions, from own ratings and the released path alone.
 * Row i predicts item j as offset + Σ_t c_it v̂_tj.
 */
export function replayFrankWolfe(
  byUser: Csr,
  path: readonly FrankWolfeStep[],
  settings: DpFwSettings,
): readonly (readonly number[])[] {
  const own = scaledRows(
    byUser,
    centredTargets(byUser, 'users', { offset: settings.offset }),
    settings.rowBound,
  );
  const state = startFrankWolfe(byUser, own);
  for (const step of path) moveFrankWolfe(byUser, own, state, step, settings);
  return state.coefficients;
}

/** Rows scaled down to norm ≤ bound; rows with a value that is not finite become 0. */
function scaledRows(rows: Csr, values: Float32Array, bound: number): Float32Array {
  for (let row = 0; row < rows.rowCount; row++) {
    const own = values.subarray(rows.offsets[row], rows.offsets[row + 1]);
    const norm = Math.sqrt(own.reduce((sum, value) => sum + value * value, 0));
    if (norm <= bound) continue;
    const factor = Number.isFinite(norm) ? bound / norm : 0;
    for (let k = 0; k < own.length; k++) own[k] = factor === 0 ? 0 : own[k]! * factor;
  }
  return values;
}
