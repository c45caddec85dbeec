import type { PrivacyEvent } from '../event.js';
import { type DeltaInput, PrivacyParameterError } from '../units.js';
import { checkDelta } from './gaussian-curve.js';

/**
 * Turns events into guarantees. Every accountant's answer is an upper bound on the true cost; they differ in
 * which events they know and how tight they are. An accountant refuses an event it does not know.
 */
export interface Accountant {
  readonly id: AccountantId;
  /** Whether every event in here is one this accountant knows. */
  knows(event: PrivacyEvent): boolean;
  /** An ε with which the event is (ε, δ)-DP; Infinity where there is none. Throws `UnknownEventError`. */
  epsilon(event: PrivacyEvent, delta: DeltaInput): number;
}

export type AccountantId = 'pure' | 'zcdp' | 'rdp' | 'gaussian-dp' | 'pld';

/** An event that the accountant has no theorem for. */
export class UnknownEventError extends Error {
  override readonly name = 'UnknownEventError';
  readonly kind = 'privacy';
  readonly accountant: AccountantId;
  readonly event: string;
  constructor(accountant: AccountantId, event: string) {
    super(
      `The accountant "${accountant}" does not know events of kind "${event}". Use "pld", or the tightest one.`,
    );
    this.accountant = accountant;
    this.event = event;
  }
}

/** An event that stands for one release. */
export type SingleEvent = Exclude<
  PrivacyEvent,
  { readonly kind: 'repeated' | 'composed' | 'sampler-distance' }
>;

/** A composition, flat: which releases how often, and the distance of all samplers from their laws. */
export interface FlatEvents {
  readonly releases: readonly { readonly event: SingleEvent; readonly count: number }[];
  readonly samplerDistance: number;
}

/** Flattens repetition and composition. Equal events are counted together. O(size of the event). */
export function flatten(event: PrivacyEvent): FlatEvents {
  const counts = new Map<string, { event: SingleEvent; count: number }>();
  let samplerDistance = 0;
  const visit = (each: PrivacyEvent, times: number): void => {
    switch (each.kind) {
      case 'repeated':
        if (!(Number.isInteger(each.count) && each.count >= 0))
          throw new PrivacyParameterError('count', each.count, 'a whole number ≥ 0', 'It says how often.');
        if (each.count > 0) visit(each.event, times * each.count);
        return;
      case 'composed':
        for (const part of each.events) visit(part, times);
        return;
      case 'sampler-distance':
        if (!(each.totalVariation >= 0))
          throw new PrivacyParameterError(
            'total variation',
            each.totalVariation,
            'a number ≥ 0',
            'It is a distance.',
          );
        samplerDistance += times * each.totalVariation;
        return;
      default: {
        const key = JSON.stringify(each);
        const known = counts.get(key);
        if (known) known.count += times;
        else counts.set(key, { event: each, count: times });
      }
    }
  };
  visit(event, 1);
  return { releases: [...counts.values()], samplerDistance };
}

/**
 * ε of a composition whose exact version has the curve `exact`, when the samplers are at total-variation
 * distance η from their laws: (ε, δ) becomes (ε, δ + (1 + e^ε)·η). So δ − r is left for the exact version,
 * where the reserve r must pay (1 + e^ε)·η at the ε that comes out.
 */
export function withSamplerDistance(
  distance: number,
  delta: number,
  exact: (delta: number) => number,
): number {
  checkDelta(delta);
  if (distance === 0) return exact(delta);
  let reserve = 2 * distance;
  while (reserve <= delta) {
    const epsilon = exact(delta - reserve);
    const needed = (1 + Math.exp(epsilon)) * distance;
    if (needed <= reserve) return epsilon;
    reserve = Math.max(2 * reserve, needed * (1 + 1e-9));
  }
  return Infinity;
}

/** ε of a release that is pure on its own; undefined for others. */
export function pureEpsilon(event: SingleEvent): number | undefined {
  switch (event.kind) {
    case 'pure':
      return checked(event.epsilon);
    case 'laplace':
    case 'k-norm':
      return checked(event.sensitivity / event.noise);
    default:
      return undefined;
  }
}

function checked(epsilon: number): number {
  if (!(epsilon >= 0))
    throw new PrivacyParameterError('epsilon of a release', epsilon, 'a number ≥ 0', 'Check the event.');
  return epsilon;
}
