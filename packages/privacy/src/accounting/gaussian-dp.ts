import type { PrivacyEvent } from '../event.js';
import { type Accountant, flatten, UnknownEventError, withSamplerDistance } from './accountant.js';
import { gaussianEpsilon } from './gaussian-curve.js';
import { gaussianMu } from './gaussian-mu.js';

/** √Σμ² of a composition of Gaussian releases (L1: Dong, Roth & Su 2019, Corollary 3.3). */
export function composedMu(event: PrivacyEvent): number {
  let squares = 0;
  for (const { event: each, count } of flatten(event).releases) {
    if (each.kind !== 'gaussian') throw new UnknownEventError('gaussian-dp', each.kind);
    squares += count * gaussianMu(each) ** 2;
  }
  return Math.sqrt(squares);
}

/** Exact composition of Gaussian releases: nothing is lost. */
export const gaussianDpAccountant: Accountant = {
  id: 'gaussian-dp',
  knows: (event) => flatten(event).releases.every(({ event: each }) => each.kind === 'gaussian'),
  epsilon(event: PrivacyEvent, delta: number): number {
    const mu = composedMu(event);
    return withSamplerDistance(flatten(event).samplerDistance, delta, (left) => gaussianEpsilon(mu, left));
  },
};
