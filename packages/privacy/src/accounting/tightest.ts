import type { PrivacyEvent } from '../event.js';
import type { DeltaInput, EpsilonInput } from '../units.js';
import { type Accountant, type AccountantId, flatten, UnknownEventError } from './accountant.js';
import { gaussianDpAccountant } from './gaussian-dp.js';
import { pldAccountant } from './pld.js';
import { pureAccountant } from './pure.js';
import { rdpAccountant } from './rdp.js';
import { zcdpAccountant } from './zcdp.js';

/** All accountants, the simplest first. */
export const accountants: readonly Accountant[] = [
  pureAccountant,
  gaussianDpAccountant,
  zcdpAccountant,
  rdpAccountant,
  pldAccountant,
];

/** A guarantee and who computed it; `none` when something was released without protection. */
export interface AccountedEpsilon {
  readonly epsilon: EpsilonInput;
  readonly accountant: AccountantId | 'none';
}

/**
 * A later accountant is preferred only for more than this, so that rounding errors do not decide who is
 * named.
 */
const NOTEWORTHY = 1e-6;

/**
 * The smallest ε that any valid accountant gives at this δ, and which one. Gaussian releases alone are
 * composed exactly and asked of nobody else. Every answer is a proven upper bound, so taking the smallest is
 * sound.
 */
export function tightestEpsilon(event: PrivacyEvent, delta: DeltaInput): AccountedEpsilon {
  const { releases } = flatten(event);
  if (releases.some(({ event: each }) => each.kind === 'non-private'))
    return { epsilon: Infinity, accountant: 'none' };
  if (gaussianDpAccountant.knows(event) && releases.length > 0)
    return { epsilon: gaussianDpAccountant.epsilon(event, delta), accountant: 'gaussian-dp' };
  let best: AccountedEpsilon | undefined;
  for (const accountant of accountants) {
    if (!accountant.knows(event)) continue;
    const epsilon = accountant.epsilon(event, delta);
    if (best === undefined || epsilon < best.epsilon * (1 - NOTEWORTHY))
      best = { epsilon, accountant: accountant.id };
  }
  if (best === undefined) throw new UnknownEventError('pld', releases[0]?.event.kind ?? 'unknown');
  return best;
}

/** Every accountant's answer, side by side; those that do not know the event are left out. */
export function everyEpsilon(event: PrivacyEvent, delta: DeltaInput): AccountedEpsilon[] {
  return accountants
    .filter((accountant) => accountant.knows(event))
    .map((accountant) => ({ epsilon: accountant.epsilon(event, delta), accountant: accountant.id }));
}
