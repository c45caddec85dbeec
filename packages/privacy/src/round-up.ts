import { PrivacyParameterError } from './units.js';

/**
 * ε for people: the smallest number of six significant digits that is not below ε. Never rounds down, so the
 * printed guarantee is never stronger than the computed one.
 */
export function roundUpEpsilon(epsilon: number): number {
  if (!(epsilon >= 0))
    throw new PrivacyParameterError('epsilon', epsilon, 'a number ≥ 0', 'Usual values: 0.1 to 10.');
  if (epsilon === 0 || epsilon === Infinity) return epsilon;
  const nearest = Number(epsilon.toPrecision(6));
  if (nearest >= epsilon) return nearest;
  const unit = 10 ** (Math.floor(Math.log10(epsilon)) - 5);
  return Number((nearest + unit).toPrecision(6));
}
