import type { ReleasePlan } from '@hushrec/privacy';
import type { PublicShape } from '../method.js';
import type { AveragesSettings } from './averages-budget.js';

type Claim = Pick<ReleasePlan, 'claimedByPaper'>;

/** What Friedman et al. 2016 claim for the averages of the presence variant as printed, and what is wrong with it. */
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

/** The paper's ε-DP claim with the reason it is not what the certificate states. */
export function claim(shape: PublicShape, why: string): Claim {
  const epsilon = Number.isFinite(shape.epsilon) ? `${shape.epsilon}` : 'ε';
  return { claimedByPaper: { claim: `${epsilon}-differential privacy for single ratings`, why } };
}
