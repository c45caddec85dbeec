import { type FactorMatrix, type Side, sharedFloat32, zeroFactors } from '@hushrec/numerics';
import type { PeopleShare } from '@hushrec/statistics';
import type { OwnQuestion } from '../../shared/statistics/own-vectors.js';
import { solveOwn } from '../../shared/statistics/own-vectors.js';

/** Item vectors at one step, and their Gramian where unobserved pairs count. Released. */
export interface PathStep {
  readonly items: FactorMatrix;
  readonly gramian?: Float64Array;
}

/**
 * People's own vectors that move by one gradient step for every step of the items so far. Released or public.
 */
export interface MovedQuestion {
  readonly kind: 'moved';
  /** Every step so far, the first first; the array may grow between questions, never change. */
  readonly path: readonly PathStep[];
  /** How many of them are meant. */
  readonly steps: number;
  readonly feedback: 'explicit' | 'implicit';
  readonly offset: number;
  readonly rate: number;
  readonly ridge: number;
  readonly ridgeExponent: number;
  readonly interceptRidge?: number;
  readonly unobservedWeight: number;
}

/** People's own vectors, solved exactly for given items. */
export interface SolvedQuestion extends OwnQuestion {
  readonly kind: 'solved';
}

/**
 * Everyone's own vectors, unclipped; kept as long as the question stays. Local: they read released item
 * vectors and own rows.
 */
export function ownVectors(share: PeopleShare, question: SolvedQuestion | MovedQuestion): Promise<Side> {
  if (question.kind === 'solved')
    return share.keep('own vectors', question, async () => solveOwn(share, question));
  return share
    .keep<Promise<Moved>>('moved own vectors', question, async (previous) => {
      const before = await previous;
      // What was moved along the same path before is moved on; else everything is done again from the start.
      const moved =
        before?.path === question.path && before.steps <= question.steps ? before : startOf(share, question);
      for (let step = moved.steps; step < question.steps; step++)
        stepPeople(share.rows, question.path[step], moved.side, question);
      return { ...moved, steps: question.steps };
    })
    .then(({ side }) => side);
}

interface Moved {
  readonly path: readonly PathStep[];
  readonly steps: number;
  readonly side: Side;
}

function startOf({ rows }: PeopleShare, { path, interceptRidge }: MovedQuestion): Moved {
  const factors = zeroFactors(rows.rowCount, path[0].items.width);
  const intercept = interceptRidge === undefined ? undefined : sharedFloat32(rows.rowCount);
  return { path, steps: 0, side: { factors, ...(intercept && { intercept }) } };
}

/**
 * One gradient step of every person's vector and intercept on own ratings (and, with implicit feedback, on
 * all items through the item Gramian), divided by the trace of the curvature so that one rate serves all
 * scales of V. Reads item vectors (released) and the person's own row. O(ratings × d + people × d²).
 */
function stepPeople(
  byUser: PeopleShare['rows'],
  { items, gramian }: PathStep,
  people: Side,
  question: MovedQuestion,
): void {
  const { width } = items;
  const { rate, offset, unobservedWeight } = question;
  const interceptRidge = question.interceptRidge ?? 0;
  const implicit = question.feedback === 'implicit';
  const { data } = people.factors;
  const { offsets, indices, values } = byUser;
  const vectors = items.data;
  const gradient = new Float64Array(width);
  let unobserved = 0;
  if (gramian) for (let a = 0; a < width; a++) unobserved += unobservedWeight * gramian[a * width + a];
  for (let user = 0; user < byUser.rowCount; user++) {
    const begin = offsets[user];
    const end = offsets[user + 1];
    if (begin === end) continue;
    const shift = offset + (people.intercept?.[user] ?? 0);
    const own = user * width;
    const ridge = question.ridge * (end - begin) ** question.ridgeExponent;
    let curvature = ridge + unobserved;
    for (let a = 0; a < width; a++) {
      gradient[a] = ridge * data[own + a];
      if (gramian) {
        for (let b = 0; b < width; b++) {
          gradient[a] += unobservedWeight * gramian[a * width + b] * data[own + b];
        }
      }
    }
    let total = 0;
    for (let at = begin; at < end; at++) {
      const from = indices[at] * width;
      let error = shift - (implicit ? 1 : values[at]);
      for (let a = 0; a < width; a++) error += data[own + a] * vectors[from + a];
      total += error;
      for (let a = 0; a < width; a++) {
        const vector = vectors[from + a];
        gradient[a] += error * vector;
        curvature += vector * vector;
      }
    }
    for (let a = 0; a < width; a++) data[own + a] -= (rate * gradient[a]) / curvature;
    if (people.intercept) {
      const current = people.intercept[user];
      people.intercept[user] =
        current - (rate * (total + interceptRidge * current)) / (end - begin + interceptRidge);
    }
  }
}
