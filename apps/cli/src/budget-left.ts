import type { Balance, Grant } from '@hushrec/ledger';
import { type DeltaInput, type EpsilonInput, gaussianEpsilon, muFor } from '@hushrec/privacy';

/**
 * The largest ε, at the granted δ, of one more run with Gaussian noise. Gaussian runs compose by
 * μ² = μ₁² + μ₂² (Dong, Roth and Su 2022), so what is left is μ = √(μ_granted² − μ_spent²), not the
 * difference of the ε. Undefined where no limit was set, where several limits hold, or where other noise was
 * spent, which has no such formula: the ledger then decides run by run.
 */
export function epsilonLeft({
  grant,
  spent,
  refused,
  alsoGranted = [],
}: Pick<Balance, 'spent' | 'refused'> & {
  readonly alsoGranted?: Balance['alsoGranted'];
  readonly grant: Pick<Grant, 'epsilon' | 'delta' | 'protection'> | null;
}): number | undefined {
  if (grant === null || refused || alsoGranted.length > 0) return undefined;
  const { epsilon, delta, protection } = grant;
  const total = muFor(epsilon, delta);
  const used = spent.find(
    (each) => each.protection.unit === protection.unit && each.protection.relation === protection.relation,
  );
  if (used === undefined || used.epsilon === 0) return epsilon;
  if (used.accountant !== 'gaussian-dp' || used.delta !== delta) return undefined;
  const left = total ** 2 - muFor(used.epsilon, delta) ** 2;
  return left > 0 ? gaussianEpsilon(Math.sqrt(left), delta) : 0;
}

/**
 * ε of `times` such budgets one after the other, for someone who is there in all of them, if all noise is
 * Gaussian.
 */
export function epsilonOverPeriods(epsilon: EpsilonInput, delta: DeltaInput, times: number): number {
  return gaussianEpsilon(muFor(epsilon, delta) * Math.sqrt(times), delta);
}
