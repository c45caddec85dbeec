import type { PublicShape } from '@hushrec/factorize';
import type { ReleasePlan } from '@hushrec/privacy';
import { paperClaim } from '../../shared/paper-claim.js';
import type { AveragesSettings } from './averages-budget.js';

type Claim = Pick<ReleasePlan, 'claimedByPaper'>;

/**
 * What Friedman et al. 2016 claim for the averages of the presence variant as printed, and what is wrong with
 * it.
 */
export function printedAveragesClaim(settings: AveragesSettings, shape: PublicShape): Claim {
  if (settings.repaired || settings.unit === 'rating-value') return {};
  return claim(shape, printedAverages(shape));
}

export function printedAverages({ scale }: PublicShape): string {
  return (
    `one added rating moves a sum of uncentred ratings by up to ${Math.max(Math.abs(scale.min), Math.abs(scale.max))}, ` +
    `while the printed noise covers the range ${scale.max - scale.min}`
  );
}

/** The paper's ε-DP claim with the reasons why it is not what the certificate states. */
export function claim({ epsilon }: PublicShape, ...reasons: readonly string[]): Claim {
  return paperClaim(`${epsilonText(epsilon)}-differential privacy for single ratings`, ...reasons);
}

/** ε as asked for; the letter where no noise was asked for. */
export function epsilonText(epsilon: number): string {
  return Number.isFinite(epsilon) ? `${epsilon}` : 'ε';
}
