import type { PrivacyEvent } from '../event.js';
import type { DeltaInput } from '../units.js';
import {
  type Accountant,
  type FlatEvents,
  flatten,
  UnknownEventError,
  withSamplerDistance,
} from './accountant.js';
import { composedEpsilon, GridTooFineError } from './compose-losses.js';
import { type Bound, putOnGrid, rangeOf } from './loss-grid.js';
import { type Direction, hasLossSource, type LossSource, lossSource } from './loss-source.js';

/**
 * ε by numerical composition of privacy-loss distributions (Koskela, Jälkö & Honkela 2020; Doroshenko et al.
 * 2022), for any mixture of Gaussian, Poisson-sampled Gaussian, Laplace and pure releases. Both directions of
 * add/remove are composed; the larger ε counts. `optimistic` gives a lower bound, so that the gap is known.
 */
export function pldEpsilon(event: PrivacyEvent, delta: DeltaInput, bound: Bound = 'pessimistic'): number {
  const flat = flatten(event);
  const directions: readonly Direction[] = flat.releases.some(
    ({ event: each }) => each.kind === 'poisson-sampled-gaussian' && each.rate < 1,
  )
    ? ['remove', 'add']
    : ['remove'];
  return Math.max(...directions.map((direction) => directedEpsilon(flat, delta, direction, bound)));
}

function directedEpsilon(
  { releases }: FlatEvents,
  delta: number,
  direction: Direction,
  bound: Bound,
): number {
  if (releases.some(({ event }) => event.kind === 'non-private')) return Infinity;
  const sources = releases.map(({ event, count }) => {
    const source = lossSource(event, direction);
    if (source === undefined) throw new UnknownEventError('pld', event.kind);
    return { source, count };
  });
  const moving = sources.filter(({ source }) => source.spread > 0);
  if (moving.length === 0) return 0;
  if (delta === 0) return Infinity;
  for (let step = gridStep(moving); ; step *= 2) {
    try {
      const losses = moving.map(({ source, count }) => ({ loss: putOnGrid(source, step, bound), count }));
      return composedEpsilon(losses, delta, bound);
    } catch (error) {
      if (!(error instanceof GridTooFineError)) throw error;
    }
  }
}

const MOST_CELLS = 2 ** 17;

/**
 * Connecting the dots adds a variance of about step²/6 to each loss; a fiftieth of the typical deviation
 * makes that less than 10⁻⁴ of the whole. The atom that adds most to the largest sum is put on the grid,
 * where it costs nothing. No loss gets more than 2^17 cells, which bounds the time and, at sampling rates
 * below 10⁻³, costs some tightness.
 */
function gridStep(sources: readonly { readonly source: LossSource; readonly count: number }[]): number {
  let variance = 0;
  let count = 0;
  let widest = 0;
  for (const each of sources) {
    variance += each.count * each.source.spread ** 2;
    count += each.count;
    const { low, high } = rangeOf(each.source);
    widest = Math.max(widest, high - low);
  }
  const wanted = Math.max(Math.sqrt(variance / count) / 50, widest / MOST_CELLS);
  let atom = 0;
  let contribution = 0;
  for (const { source, count: times } of sources) {
    for (const loss of source.atoms.losses) {
      if (times * loss > contribution) [atom, contribution] = [loss, times * loss];
    }
  }
  return atom === 0 ? wanted : atom / Math.ceil(atom / wanted);
}

/** Numerical composition; knows every kind of event but unprotected ones. */
export const pldAccountant: Accountant = {
  id: 'pld',
  knows: (event) =>
    flatten(event).releases.every(({ event: each }) => each.kind === 'non-private' || hasLossSource(each)),
  epsilon: (event, delta) =>
    withSamplerDistance(flatten(event).samplerDistance, delta, (left) => pldEpsilon(event, left)),
};
