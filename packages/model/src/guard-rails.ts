import type { CalibratedPlan, DeltaInput, EpsilonInput } from '@hushrec/privacy';
import { isWeakDelta, weakEpsilon } from './certificate-text.js';

/** A guarantee that would say next to nothing was asked for without saying that this is known. */
export class WeakGuaranteeError extends Error {
  override readonly name = 'WeakGuaranteeError';
  readonly kind = 'privacy';
}

/** What somebody asks for. */
interface AskedStrength {
  readonly epsilon: EpsilonInput;
  readonly delta: DeltaInput;
  readonly declaredPeople?: number | undefined;
  readonly acceptWeak: boolean;
  /** What was not done, for the message. */
  readonly nothing?: 'charged' | 'written';
}

/** Largest δ of two digits that is not weak among so many people: at most one in ten times them. */
export function largestDelta(people: number): number {
  const nearest = Number((1 / (10 * people)).toPrecision(2));
  if (!isWeakDelta(nearest, people)) return nearest;
  const lastDigit = 10 ** (Math.floor(Math.log10(nearest)) - 1);
  return Number((nearest - lastDigit).toPrecision(2));
}

/**
 * Refuses, before anything is charged, an ε above 20 and a δ above 1/(10 × declared people), unless it is
 * said that they are meant. Simulations protect nobody anyway and are exempt.
 *
 * @throws WeakGuaranteeError
 */
export function checkStrength({
  epsilon,
  delta,
  declaredPeople,
  acceptWeak,
  nothing = 'charged',
}: AskedStrength): void {
  if (acceptWeak) return;
  const or = `or say --accept-weak if it is meant. Nothing was ${nothing}.`;
  if (Number.isFinite(epsilon) && epsilon > weakEpsilon)
    throw new WeakGuaranteeError(
      `ε = ${epsilon} promises next to nothing (usual values: 0.1 to 10). Choose a smaller one, ${or}`,
    );
  if (declaredPeople !== undefined && isWeakDelta(delta, declaredPeople))
    throw new WeakGuaranteeError(
      `δ = ${delta} is above 1/(10 × ${declaredPeople} people): publishing one person whole would be within it. Choose δ ≤ ${largestDelta(declaredPeople)}, ${or}`,
    );
}

/**
 * Refuses, before anything is charged, an ε so large that no δ is left for the samplers. They are within
 * η ≤ 2⁻¹⁷⁹ of their laws a number, a run draws fewer than 2⁴⁰, and that costs (1 + e^ε)·η of δ for each:
 * more than a quarter of δ = 10⁻⁶ from ε = 81 on, and of the 2⁻¹⁰⁰ of pure guarantees from ε = 25 on. Such a
 * run would be paid for and then have no finite ε.
 *
 * @throws WeakGuaranteeError
 */
export function checkCertifiable(
  { epsilon, delta }: Pick<CalibratedPlan, 'epsilon' | 'delta'>,
  nothing: AskedStrength['nothing'] = 'charged',
): void {
  const most = Math.LN2 * (179 - 40 - 2 + Math.log2(delta));
  if (!Number.isFinite(epsilon) || epsilon <= most) return;
  throw new WeakGuaranteeError(
    `ε = ${epsilon} cannot be certified at δ = ${Number(delta.toPrecision(3))}: at most ε = ${Math.floor(most)} leaves room for the precision of noise. Choose a smaller ε, or --epsilon inf for a model without a guarantee. Nothing was ${nothing}.`,
  );
}
