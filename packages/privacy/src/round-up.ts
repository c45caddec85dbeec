import { PrivacyParameterError } from './units.js';

/**
 * A cost for people to read: the smallest number of so many significant digits that is not below it. Never
 * rounds down, so that what is shown is never a stronger promise than what was computed.
 */
export function roundedUp(cost: number, digits = 5): number {
  if (!(cost > 0) || cost === Infinity) return cost;
  const nearest = Number(cost.toPrecision(digits));
  if (nearest >= cost) return nearest;
  const unit = 10 ** (Math.floor(Math.log10(cost)) - digits + 1);
  return Number((nearest + unit).toPrecision(digits));
}

/** ε as certificates state it: six digits, rounded up. */
export function roundUpEpsilon(epsilon: number): number {
  if (!(epsilon >= 0))
    throw new PrivacyParameterError('epsilon', epsilon, 'a number ≥ 0', 'Usual values: 0.1 to 10.');
  return roundedUp(epsilon, 6);
}
