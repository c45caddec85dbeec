import type { PrivacyEvent } from '@hushrec/privacy';
import type { Charge } from './charge.js';
import type { Protection } from './entry.js';

/**
 * What a run that protects `from` costs against a budget stated for `to`; `undefined` where no finite cost
 * follows.
 *
 * Each protected change in `to` is covered by 1 or 2 changes in `from`:
 * - user replace → rating replace, rating presence: one. A person with one rating changed, moved, added or
 * removed is a person with another record.
 * - user add-remove → user replace, any rating unit: two. Remove the person, add the changed one.
 * - rating presence replace → rating value: one. A value change is a rating replaced.
 * - rating presence add-remove → rating presence replace, rating value: two.
 * A person may have any number of ratings, so a rating-level run has no finite cost per person.
 */
export function chargeAgainst(charge: Charge, from: Protection, to: Protection): Charge | undefined {
  const steps = stepsBetween(from, to);
  if (steps === undefined || steps === 1) return steps === undefined ? undefined : charge;
  if (charge.kind === 'event') {
    const event = doubled(charge.event);
    return event === undefined ? undefined : { kind: 'event', event };
  }
  // Group privacy for two steps: (2ε, (1 + e^ε)·δ), Dwork and Roth 2014, after Theorem 2.2.
  return {
    ...charge,
    epsilon: 2 * charge.epsilon,
    delta: Math.min(1, (1 + Math.exp(charge.epsilon)) * charge.delta),
  };
}

function stepsBetween(from: Protection, to: Protection): 1 | 2 | undefined {
  if (from.unit === to.unit && from.relation === to.relation) return 1;
  if (from.unit === 'user') {
    if (from.relation === 'add-remove') return to.unit === 'user' && to.relation === 'add-remove' ? 1 : 2;
    return to.unit === 'user' ? undefined : 1;
  }
  if (from.unit === 'rating-presence' && to.unit !== 'user') {
    if (from.relation === 'add-remove') return 2;
    return to.unit === 'rating-value' ? 1 : undefined;
  }
  // Only values differ under rating-value, in either relation.
  return from.unit === 'rating-value' && to.unit === 'rating-value' ? 1 : undefined;
}

/**
 * The event over two steps between neighbours: by the triangle inequality, given the earlier outputs, every
 * additive-noise release moves by at most twice its sensitivity, and a pure release costs twice its ε.
 * Poisson sampling has no such argument (the two steps share one sample), so it is refused.
 */
function doubled(event: PrivacyEvent): PrivacyEvent | undefined {
  switch (event.kind) {
    case 'gaussian':
    case 'laplace':
    case 'k-norm':
      return { ...event, sensitivity: 2 * event.sensitivity };
    case 'pure':
      return { ...event, epsilon: 2 * event.epsilon };
    case 'sampler-distance':
    case 'non-private':
      return event;
    case 'repeated': {
      const inner = doubled(event.event);
      return inner === undefined ? undefined : { ...event, event: inner };
    }
    case 'composed': {
      const events = event.events.map(doubled);
      return events.every((each) => each !== undefined) ? { kind: 'composed', events } : undefined;
    }
    default:
      return undefined;
  }
}
