import { shownEpsilon } from '@hushrec/model/words';
import { formatNumber } from '@hushrec/report';

interface Guarantee {
  readonly epsilon: number;
  readonly delta: number;
}

/** What an account has spent, rounded up, and at which δ. */
export function spentWords(epsilon: number, delta: number): string {
  return `ε = ${shownEpsilon(epsilon, 3)} at δ = ${formatNumber(delta)}`;
}

/** One run has one guarantee, which is another ε at another δ: that of the account. */
export function sameAtOtherDelta(own: Guarantee, ofAccount: Guarantee): string {
  return `The account counts at δ = ${formatNumber(ofAccount.delta)}: ε = ${shownEpsilon(own.epsilon)} at δ = ${formatNumber(own.delta)} is ${shownEpsilon(ofAccount.epsilon, 3)} there.`;
}
