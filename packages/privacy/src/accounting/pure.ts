import type { PrivacyEvent } from '../event.js';
import {
  type Accountant,
  flatten,
  pureEpsilon,
  UnknownEventError,
  withSamplerDistance,
} from './accountant.js';

/** Pure DP: ε of adaptive releases add up (Dwork et al. 2006). δ pays for the samplers alone. */
export const pureAccountant: Accountant = {
  id: 'pure',
  knows: (event) => flatten(event).releases.every(({ event: each }) => pureEpsilon(each) !== undefined),
  epsilon(event: PrivacyEvent, delta: number): number {
    const { releases, samplerDistance } = flatten(event);
    let total = 0;
    for (const { event: each, count } of releases) {
      const epsilon = pureEpsilon(each);
      if (epsilon === undefined) throw new UnknownEventError('pure', each.kind);
      total += count * epsilon;
    }
    return withSamplerDistance(samplerDistance, delta, () => total);
  },
};
