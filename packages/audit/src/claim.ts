import {
  type CalibratedPlan,
  composedMu,
  type DeltaInput,
  type EpsilonInput,
  gaussianDpAccountant,
  gaussianEpsilon,
  type PrivacyEvent,
  pureAccountant,
  tightestEpsilon,
} from '@hushrec/privacy';

/** What a calibrated plan promises, in the forms an audit can test. */
export interface Claim {
  /** At the audit's δ; Infinity where nothing finite is promised. */
  readonly epsilon: EpsilonInput;
  /** For plans of Gaussian releases alone: the μ of Gaussian DP. */
  readonly mu?: number;
  /** Largest distance between neighbours in units of noise, for plans of one family. */
  readonly shift?: number;
}

/**
 * Recomputed from the events of the plan, not read from it: where a paper's bound fails, the claim is what is
 * proved.
 */
export function claimOf(plan: CalibratedPlan, delta: DeltaInput): Claim {
  // A plan in stages promises its total, whatever its later lines are.
  if (plan.total !== undefined && plan.total.mu < Infinity) {
    const { mu } = plan.total;
    return { epsilon: gaussianEpsilon(mu, delta), mu, shift: mu };
  }
  const event: PrivacyEvent = {
    kind: 'composed',
    events: plan.releases.map(({ event: each, count }) => ({ kind: 'repeated', event: each, count })),
  };
  const { epsilon } = tightestEpsilon(event, delta);
  if (pureAccountant.knows(event)) return { epsilon, shift: pureAccountant.epsilon(event, 0) };
  if (!gaussianDpAccountant.knows(event)) return { epsilon };
  const mu = composedMu(event);
  return { epsilon, mu, shift: mu };
}
