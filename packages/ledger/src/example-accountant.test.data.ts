import { gaussianEpsilon, type PrivacyEvent } from '@hushrec/privacy';
import type { EpsilonOfEvent } from './charge.js';

/**
 * Exact Gaussian composition of plain Gaussian events: enough to test bookkeeping without the full
 * accountants.
 */
export const gaussianAccountant: EpsilonOfEvent = (event, delta) => ({
  epsilon: gaussianEpsilon(Math.sqrt(squaredMu(event)), delta),
  accountant: 'gaussian',
});

function squaredMu(event: PrivacyEvent): number {
  switch (event.kind) {
    case 'gaussian':
      return (event.sensitivity / event.noise) ** 2;
    case 'repeated':
      return event.count * squaredMu(event.event);
    case 'composed':
      return event.events.reduce((sum, each) => sum + squaredMu(each), 0);
    case 'sampler-distance':
      return 0;
    default:
      return Infinity;
  }
}
