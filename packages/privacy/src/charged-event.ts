import type { PrivacyEvent } from './event.js';
import type { CalibratedPlan } from './plan/release-plan.js';

/** What a plan is charged for: every line as often as it is released, or the total of a plan in stages. */
export function chargedEvent(plan: Pick<CalibratedPlan, 'releases' | 'total'>): PrivacyEvent {
  if (plan.total !== undefined) return { kind: 'gaussian', sensitivity: plan.total.mu, noise: 1 };
  return {
    kind: 'composed',
    events: plan.releases.map(({ event, count }) => ({ kind: 'repeated', event, count })),
  };
}
