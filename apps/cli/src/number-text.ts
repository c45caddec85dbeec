import { roundUpEpsilon } from '@hushrec/privacy';

/** δ as people write it: 1e-6 rather than 0.000001. Digits beyond four are rounded up, never down. */
export function deltaText(delta: number): string {
  if (delta === 0 || delta >= 0.001) return String(delta);
  const [digits, exponent] = delta.toExponential(12).split('e') as [string, string];
  const short = Math.ceil(Number((Number(digits) * 1000).toFixed(6))) / 1000;
  return short >= 10 ? `1e${Number(exponent) + 1}` : `${short}e${exponent}`;
}

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
