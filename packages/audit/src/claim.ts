import { type CalibratedPlan, gaussianEpsilon } from '@hushrec/privacy';

/** What a calibrated plan promises, in the forms an audit can test. */
export interface Claim {
  /** At the audit's δ; Infinity where nothing finite is promised. */
  readonly epsilon: number;
  /** For plans of Gaussian releases alone: the μ of Gaussian DP. */
  readonly mu?: number;
  /** Largest distance between neighbours in units of noise, for plans of one family. */
  readonly shift?: number;
}

export function claimOf(plan: CalibratedPlan, delta: number): Claim {
  const events = plan.releases.map(({ event, count }) => ({ event, count }));
  if (events.every(({ event }) => event.kind === 'gaussian')) {
    let square = 0;
    for (const { event, count } of events)
      if (event.kind === 'gaussian') square += count * (event.sensitivity / event.noise) ** 2;
    const mu = Math.sqrt(square);
    return { epsilon: gaussianEpsilon(mu, delta), mu, shift: mu };
  }
  return { epsilon: plan.epsilon };
}
