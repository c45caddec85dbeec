import { type DeltaInput, type EpsilonInput, type PrivacyEvent, PURE_DELTA } from '@hushrec/privacy';

/**
 * What a run costs. Most runs are events that accountants compose exactly; some guarantees (tuning with a
 * random number of trials) exist only as a pair (ε, δ), which adds up by basic composition.
 */
export type Charge =
  | { readonly kind: 'event'; readonly event: PrivacyEvent }
  | {
      readonly kind: 'guarantee';
      readonly epsilon: EpsilonInput;
      readonly delta: DeltaInput;
      readonly because: string;
    };

/** Gives the smallest ε it can prove for an event at δ. */
export type EpsilonOfEvent = (
  event: PrivacyEvent,
  delta: DeltaInput,
) => { readonly epsilon: EpsilonInput; readonly accountant: string };

export interface TotalCost {
  readonly epsilon: EpsilonInput;
  readonly delta: DeltaInput;
  readonly accountant: string;
}

/**
 * Distance of a run's samplers from their exact laws, set aside for every run because it is known only after
 * the run: at most 2^-179 a draw (Gaussian, Laplace; see `docs/privacy/noise.md`), so this is enough for 2^39
 * draws.
 */
const samplerReserve = 2 ** -140;

/** A charge that was made several times. */
export interface CountedCharge {
  readonly charge: Charge;
  readonly count: number;
}

/**
 * ε of all charges together at δ: events compose tightly at what remains of δ after the plain guarantees took
 * theirs, and ε's of plain guarantees add (basic composition: (ε₁+ε₂, δ₁+δ₂), Dwork et al. 2006). `Infinity`
 * where no finite ε is provable. Order does not matter: composition is adaptive.
 *
 * No sampler of finite precision keeps δ = 0. A δ below `PURE_DELTA` (2^-100) is therefore read as
 * `PURE_DELTA`, as it is for plans of pure mechanisms, and the answer says so.
 */
export function totalCost(
  charges: readonly (Charge | CountedCharge)[],
  target: number,
  accountant: EpsilonOfEvent,
): TotalCost {
  const delta = Math.max(target, PURE_DELTA);
  const events: PrivacyEvent[] = [];
  let runs = 0;
  let epsilon = 0;
  let remaining = delta;
  for (const each of charges) {
    const { charge, count } = 'charge' in each ? each : { charge: each, count: 1 };
    if (charge.kind === 'event') {
      runs += count;
      events.push(count === 1 ? charge.event : { kind: 'repeated', event: charge.event, count });
    } else {
      epsilon += count * charge.epsilon;
      remaining -= count * charge.delta;
    }
  }
  if (charges.length === 0) return { epsilon: 0, delta, accountant: 'nothing spent' };
  if (remaining < 0) return { epsilon: Infinity, delta, accountant: 'δ is used up' };
  if (events.length === 0) return { epsilon, delta, accountant: 'basic composition' };
  const reserve: PrivacyEvent = { kind: 'sampler-distance', totalVariation: runs * samplerReserve };
  const composed = accountant({ kind: 'composed', events: [...events, reserve] }, remaining);
  return {
    epsilon: epsilon + composed.epsilon,
    delta,
    accountant: epsilon > 0 ? `${composed.accountant} + basic composition` : composed.accountant,
  };
}
