import type { FactorModel } from '@hushrec/model';
import { type Csr, type Engine, type FactorMatrix, sharedFloat32 } from '@hushrec/numerics';
import { rowRidges, type Side, solveSide } from '../../shared/solve-side.js';

/** How each person's own vector follows from released item vectors and own ratings. */
export interface UserStep {
  readonly engine: Engine;
  readonly byUser: Csr;
  readonly feedback: 'explicit' | 'implicit';
  readonly offset: number;
  readonly ridge: number;
  /** The ridge is multiplied by (own number of ratings)^exponent; nobody else's number enters. */
  readonly ridgeExponent: number;
  /** Absent: no personal intercept. */
  readonly interceptRidge?: number;
  readonly unobservedWeight: number;
  /** Four bytes per rating to work in, for callers that solve again and again. */
  readonly entryBuffer?: Float32Array;
}

/** The step that these settings describe. People whose feedback is implicit have no intercept: there is nothing to centre. */
export function makeUserStep(
  engine: Engine,
  byUser: Csr,
  settings: {
    readonly feedback: string;
    readonly userRidge: number;
    readonly userRidgeExponent: number;
    readonly intercept: boolean;
    readonly interceptRidge: number;
    readonly unobservedWeight: number;
  },
  offset: number,
): UserStep {
  const implicit = settings.feedback === 'implicit';
  return {
    engine,
    byUser,
    feedback: implicit ? 'implicit' : 'explicit',
    offset,
    ridge: settings.userRidge,
    ridgeExponent: settings.userRidgeExponent,
    ...(settings.intercept && !implicit && { interceptRidge: settings.interceptRidge }),
    unobservedWeight: settings.unobservedWeight,
    entryBuffer: sharedFloat32(byUser.values.length),
  };
}

/** Released item vectors as a model, whose fold-in is the same step on one person's device. */
export function foldInModel(step: UserStep, items: FactorMatrix, counts?: Float64Array): FactorModel {
  return {
    kind: 'factors',
    feedback: step.feedback,
    rank: items.width,
    itemFactors: items.data,
    offset: step.offset,
    foldIn: {
      ridge: step.ridge,
      ridgeExponent: step.ridgeExponent,
      ...(step.interceptRidge !== undefined && { interceptRidge: step.interceptRidge }),
      unobservedWeight: step.unobservedWeight,
    },
    ...(counts && { popularity: Float32Array.from(counts) }),
  };
}

/**
 * u_i = argmin Σ_{j ∈ Ω_i} (y_ij − u·v_j)² + unobservedWeight·‖V u‖² + ridge·n_i^exponent·‖u‖²: A_user of Chien et al. 2021,
 * on all own ratings, unweighted and unclipped.
 *
 * It runs on the person's side: it reads released item vectors and the person's own ratings, nothing else (L1), so it
 * costs nothing. Whoever sums user vectors clips them first. O(ratings × d² + people × d³).
 */
export async function solveUsers(step: UserStep, items: FactorMatrix, previous?: Side): Promise<Side> {
  const { engine, byUser, ridge, ridgeExponent, unobservedWeight } = step;
  if (step.feedback === 'explicit' && unobservedWeight === 0) {
    return solveSide(engine, {
      rows: byUser,
      fixed: { factors: items },
      offset: step.offset,
      ridge,
      ridgeExponent,
      ...(step.interceptRidge !== undefined && { interceptRidge: step.interceptRidge }),
      ...(previous && { out: previous }),
      ...(step.entryBuffer && { entryBuffer: step.entryBuffer }),
    });
  }
  const factors = previous?.factors ?? {
    rowCount: byUser.rowCount,
    width: items.width,
    data: sharedFloat32(byUser.rowCount * items.width),
  };
  const targets = step.entryBuffer ?? sharedFloat32(byUser.values.length);
  for (let at = 0; at < targets.length; at++) {
    targets[at] = step.feedback === 'implicit' ? 1 : byUser.values[at]! - step.offset;
  }
  await engine.solveRows({
    rows: byUser,
    fixed: items,
    out: factors,
    ridge: rowRidges(byUser, ridge, ridgeExponent),
    targets,
    ...(unobservedWeight > 0 && { unobservedWeight, gramian: await engine.gramian(items) }),
  });
  return { factors };
}
