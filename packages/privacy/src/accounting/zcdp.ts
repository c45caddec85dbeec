import type { PrivacyEvent } from '../event.js';
import type { DeltaInput } from '../units.js';
import {
  type Accountant,
  flatten,
  pureEpsilon,
  type SingleEvent,
  UnknownEventError,
  withSamplerDistance,
} from './accountant.js';
import { gaussianMu } from './gaussian-mu.js';

/**
 * ρ of one release: μ²/2 for Gaussian noise, ε²/2 for anything pure (Bun & Steinke 2016, Propositions 1.6 and
 * 1.4).
 */
function rhoOf(event: SingleEvent): number | undefined {
  if (event.kind === 'gaussian') return gaussianMu(event) ** 2 / 2;
  const epsilon = pureEpsilon(event);
  return epsilon === undefined ? undefined : epsilon ** 2 / 2;
}

/** ε of ρ-zero-concentrated DP: ρ + 2√(ρ ln 1/δ) (Bun & Steinke 2016, Proposition 1.3). */
export function zcdpEpsilon(rho: number, delta: DeltaInput): number {
  if (rho === 0) return 0;
  return delta === 0 ? Infinity : rho + 2 * Math.sqrt(rho * Math.log(1 / delta));
}

/** Zero-concentrated DP: ρ adds up. Simple and loose; the accounting of the DPALS and DP-CMF papers. */
export const zcdpAccountant: Accountant = {
  id: 'zcdp',
  knows: (event) => flatten(event).releases.every(({ event: each }) => rhoOf(each) !== undefined),
  epsilon(event: PrivacyEvent, delta: number): number {
    const { releases, samplerDistance } = flatten(event);
    let total = 0;
    for (const { event: each, count } of releases) {
      const rho = rhoOf(each);
      if (rho === undefined) throw new UnknownEventError('zcdp', each.kind);
      total += count * rho;
    }
    return withSamplerDistance(samplerDistance, delta, (left) => zcdpEpsilon(total, left));
  },
};
