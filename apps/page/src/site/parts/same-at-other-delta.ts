import { formatNumber } from '@hushrec/report';

interface Guarantee {
  readonly epsilon: number;
  readonly delta: number;
}

/** One run has one guarantee, which is another ε at another δ: that of the account. */
export function sameAtOtherDelta(own: Guarantee, ofAccount: Guarantee): string {
  return `The account counts at δ = ${formatNumber(ofAccount.delta)}: ε = ${formatNumber(own.epsilon)} at δ = ${formatNumber(own.delta)} is ${formatNumber(Number(ofAccount.epsilon.toPrecision(3)))} there.`;
}
