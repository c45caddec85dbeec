import { weakEpsilon } from '@hushrec/model';

/** A guarantee that would say next to nothing was asked for without saying that this is known. */
export class WeakGuaranteeError extends Error {
  override readonly name = 'WeakGuaranteeError';
  readonly kind = 'privacy';
}

/**
 * Refuses, before anything is charged, an ε above 20 and a δ above 1/(10 × declared people), unless it is said that they are
 * meant. Simulations protect nobody anyway and are exempt.
 *
 * @throws WeakGuaranteeError
 */
export function checkStrength(asked: {
  readonly epsilon: number;
  readonly delta: number;
  readonly declaredPeople?: number | undefined;
  readonly acceptWeak: boolean;
}): void {
  if (asked.acceptWeak) return;
  const { epsilon, delta, declaredPeople } = asked;
  if (Number.isFinite(epsilon) && epsilon > weakEpsilon)
    throw new WeakGuaranteeError(
      `ε = ${epsilon} promises next to nothing (usual values: 0.1 to 10). Choose a smaller one, or say --accept-weak if it is meant. Nothing was charged.`,
    );
  if (declaredPeople !== undefined && delta * 10 * declaredPeople > 1)
    throw new WeakGuaranteeError(
      `δ = ${delta} is above 1/(10 × ${declaredPeople} people): publishing one person whole would be within it. Choose δ ≤ ${Number((1 / (10 * declaredPeople)).toPrecision(2))}, or say --accept-weak if it is meant. Nothing was charged.`,
    );
}
