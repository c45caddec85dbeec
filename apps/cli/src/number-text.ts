import { roundUpEpsilon } from '@hushrec/privacy';

export { deltaWords as deltaText } from '@hushrec/model/words';

/** An ε that is promised: six digits, rounded up; ∞ where there is no bound. */
export function epsilonText(epsilon: number): string {
  return Number.isFinite(epsilon) ? String(roundUpEpsilon(epsilon)) : '∞';
}

/** An ε that was shown by an attack: four digits, rounded down. */
export function lowerBoundText(epsilon: number): string {
  if (!(epsilon > 0) || !Number.isFinite(epsilon)) return epsilon > 0 ? '∞' : '0';
  const nearest = Number(epsilon.toPrecision(4));
  if (nearest <= epsilon) return String(nearest);
  return String(Number((nearest - 10 ** (Math.floor(Math.log10(epsilon)) - 3)).toPrecision(4)));
}
