import type { PrivacyEvent } from '@hushrec/privacy';

/**
 * What a run costs. Most runs are events that accountants compose exactly; some guarantees (tuning with a random
 * number of trials) exist only as a pair (ε, δ), which adds up by basic composition.
 */
export type Charge =
  | { readonly kind: 'event'; readonly event: PrivacyEvent }
  | {
      readonly kind: 'guarantee';
      readonly epsilon: number;
      readonly delta: number;
      readonly because: string;
    };

/** Gives the smallest ε it can prove for an event at δ. */
export type Accountant = (
  event: PrivacyEvent,
  delta: number,
) => { readonly epsilon: number; readonly accountant: string };

export interface TotalCost {
  readonly epsilon: number;
  readonly delta: number;
  readonly accountant: string;
}

/**
 * ε of all charges together at δ: events compose tightly at what remains of δ after the plain guarantees took
 * theirs, and ε's of plain guarantees add (basic composition: (ε₁+ε₂, δ₁+δ₂), Dwork et al. 2006). `Infinity` where
 * no finite ε is provable. Order does not matter: composition is adaptive.
 */
export function totalCost(charges: readonly Charge[], delta: number, accountant: Accountant): TotalCost {
  const events: PrivacyEvent[] = [];
  let epsilon = 0;
  let remaining = delta;
  for (const charge of charges) {
    if (charge.kind === 'event') events.push(charge.event);
    else {
      epsilon += charge.epsilon;
      remaining -= charge.delta;
    }
  }
  if (charges.length === 0) return { epsilon: 0, delta, accountant: 'nothing spent' };
  if (remaining < 0) return { epsilon: Infinity, delta, accountant: 'δ is used up' };
  if (events.length === 0) return { epsilon, delta, accountant: 'basic composition' };
  const composed = accountant({ kind: 'composed', events }, remaining);
  return {
    epsilon: epsilon + composed.epsilon,
    delta,
    accountant: epsilon > 0 ? `${composed.accountant} + basic composition` : composed.accountant,
  };
}

/** The same run made `count` times, as in tuning by repeated runs. */
export function repeatedCharge(charge: Charge, count: number): Charge {
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError(`count is ${count}; expected a whole number ≥ 1.`);
  return charge.kind === 'event'
    ? { kind: 'event', event: { kind: 'repeated', event: charge.event, count } }
    : {
        kind: 'guarantee',
        epsilon: count * charge.epsilon,
        delta: count * charge.delta,
        because: `${count} × ${charge.because}`,
      };
}
