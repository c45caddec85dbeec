import {
  type FactorMatrix,
  NotPositiveDefiniteError,
  rowRidges,
  type Side,
  sharedFloat32,
  solveSide,
  zeroFactors,
} from '@hushrec/numerics';
import type { CoinKeys } from '@hushrec/privacy';
import type { PeopleShare } from '@hushrec/statistics';
import { sampleOfEach } from './bound-contributions.js';
import { type ClippedRows, clipRows } from './clip-rows.js';
import { type Expectation, solveAround } from './expected-vectors.js';

/** How each person's own vector follows from released item vectors and own ratings. */
export interface OwnStep {
  readonly feedback: 'explicit' | 'implicit';
  readonly offset: number;
  readonly ridge: number;
  /** The ridge is multiplied by (own number of ratings)^exponent; nobody else's number enters. */
  readonly ridgeExponent: number;
  /** Absent: no personal intercept. */
  readonly interceptRidge?: number;
  /** 0 with ratings, whose published step has no such term. */
  readonly unobservedWeight: number;
  /**
   * Given: each person takes this share of own ratings, drawn with own coins (A_user of Chien et al. 2021,
   * line 14).
   */
  readonly sample?: { readonly share: number; readonly coins: CoinKeys };
}

/** A step with the item vectors of one moment. Released numbers only. */
export interface OwnQuestion extends OwnStep {
  readonly items: FactorMatrix;
  /** VᵀV, where unobserved pairs count. */
  readonly gramian?: Float64Array;
  /** What is expected of people by their own features; 0 when absent. */
  readonly expected?: Expectation;
}

/**
 * u_i = argmin Σ_{j ∈ Ω_i} (y_ij − u·v_j)² + unobservedWeight·‖V u‖² + ridge·n_i^exponent·‖u‖²: A_user of
 * Chien et al. 2021, on all own ratings, or a sample of them, unweighted and unclipped; unobservedWeight is
 * for choices, whose y_ij are 1.
 *
 * It runs on the person's side: it reads released item vectors and the person's own ratings, nothing else
 * (L1), so it costs nothing. Whoever sums user vectors clips them first. Where her own system has no solution
 * in floating point (vectors beyond 10³, a tiny ridge), her vector is not a number and counts as 0, as if she
 * had said nothing: her part is still a function of herself alone, within its bound, and whether the run ends
 * does not depend on her. VᵀV is released, and throws where it is not finite.
 * O(ratings × d² + people × d³).
 *
 * @param out overwritten and returned
 */
export async function solveOwn(
  share: Pick<PeopleShare, 'about' | 'rows' | 'coins' | 'engine' | 'keep'>,
  question: OwnQuestion,
  out?: Side,
): Promise<Side> {
  const { engine, keep } = share;
  const { sample } = question;
  const rows = sample ? sampleOfEach(share.rows, sample.share, share.coins(sample.coins)) : share.rows;
  const { items, offset, ridge, ridgeExponent, interceptRidge, unobservedWeight, expected } = question;
  if (expected !== undefined)
    return solveAround({ rows, ...(share.about && { about: share.about }) }, { ...question, expected }, out);
  const make = () => sharedFloat32(rows.values.length);
  const entryBuffer = sample ? make() : keep('entry buffer', entryBufferKey, make);
  if (question.feedback === 'explicit') {
    return solveSide(engine, {
      rows,
      fixed: { factors: items },
      offset,
      ridge,
      ridgeExponent,
      ...(interceptRidge !== undefined && { interceptRidge }),
      ...(out && { out }),
      entryBuffer,
      unsolvable: 'nan',
    });
  }
  const { gramian } = question;
  if (gramian?.every(Number.isFinite) === false) throw new NotPositiveDefiniteError(-1);
  const factors = out?.factors ?? zeroFactors(rows.rowCount, items.width);
  await engine.solveRows({
    rows,
    fixed: items,
    out: factors,
    ridge: rowRidges(rows, ridge, ridgeExponent),
    targets: entryBuffer.fill(1),
    ...(gramian && { unobservedWeight, gramian }),
    unsolvable: 'nan',
  });
  return { factors };
}

/** What is in the buffer does not matter: it is there to be written to. */
const entryBufferKey = {};

/** People's own vectors, clipped for sums over people, and their intercepts. */
export interface ClippedOwn {
  readonly users: ClippedRows;
  readonly intercept?: Float32Array;
}

/** ‖u_i‖ ≤ Γ_u; kept as long as the question stays. */
export function clippedOwn(share: PeopleShare, question: OwnQuestion, clipNorm: number): Promise<ClippedOwn> {
  return share.keep<Promise<ClippedOwn>>('clipped own vectors', question, async (previous) => {
    const before = await previous;
    const fits = before?.users.rows.width === question.items.width;
    const out = fits && {
      factors: before.users.rows,
      ...(before.intercept && { intercept: before.intercept }),
    };
    const { factors, intercept } = await solveOwn(share, question, out || undefined);
    return { users: clipRows(factors, clipNorm), ...(intercept && { intercept }) };
  });
}
