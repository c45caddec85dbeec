import type { PrivacyEvent } from '../event.js';
import { type Accountant, flatten, UnknownEventError, withSamplerDistance } from './accountant.js';
import { renyiDivergence } from './rdp-curve.js';

/**
 * ε of a bound r(α): r + ln((α−1)/α) − (ln δ + ln α)/(α−1) (Canonne, Kamath & Steinke 2020, Proposition 12),
 * at one order. Valid at every order, so a search over orders can only lose tightness.
 */
export function epsilonAtOrder(divergence: number, order: number, delta: number): number {
  if (divergence === Infinity) return Infinity;
  return Math.max(0, divergence + Math.log1p(-1 / order) - (Math.log(delta) + Math.log(order)) / (order - 1));
}

/** r(α) of a composition: divergences of adaptive releases add up. */
export function composedDivergence(event: PrivacyEvent): (order: number) => number {
  const { releases } = flatten(event);
  return (order) => {
    let total = 0;
    for (const { event: each, count } of releases) {
      const divergence = renyiDivergence(each, order);
      if (divergence === undefined) throw new UnknownEventError('rdp', each.kind);
      total += count * divergence;
    }
    return total;
  };
}

/** The orders of the DPALS reference accountant: 1.1 … 10.9 and 11 … 63. */
export const PUBLISHED_ORDERS: readonly number[] = [
  ...Array.from({ length: 99 }, (_, i) => 1 + (i + 1) / 10),
  ...Array.from({ length: 53 }, (_, i) => 11 + i),
];

/** Smallest ε over the given orders, or over all orders α = 1 + 10^-3 … 10^6 when none are given. */
export function renyiEpsilon(
  divergence: (order: number) => number,
  delta: number,
  orders?: readonly number[],
): number {
  if (delta === 0) return Infinity;
  const at = (order: number): number => epsilonAtOrder(divergence(order), order, delta);
  if (orders !== undefined) return Math.min(...orders.map(at));
  // Logarithmic scan of α − 1, then golden section around the best point.
  const exponentOf = (i: number): number => -3 + i / 4;
  const atExponent = (exponent: number): number => at(1 + 10 ** exponent);
  let best = 0;
  let bestEpsilon = Infinity;
  for (let i = 0; i <= 36; i++) {
    const epsilon = atExponent(exponentOf(i));
    if (epsilon >= bestEpsilon) {
      if (epsilon > 4 * bestEpsilon + 100) break;
      continue;
    }
    best = i;
    bestEpsilon = epsilon;
  }
  const golden = (Math.sqrt(5) - 1) / 2;
  let low = exponentOf(best - 1);
  let high = exponentOf(best + 1);
  for (let step = 0; step < 40; step++) {
    const left = high - golden * (high - low);
    const right = low + golden * (high - low);
    const atLeft = atExponent(left);
    const atRight = atExponent(right);
    bestEpsilon = Math.min(bestEpsilon, atLeft, atRight);
    if (atLeft <= atRight) high = right;
    else low = left;
  }
  return bestEpsilon;
}

/** Rényi DP with the improved conversion. */
export const rdpAccountant: Accountant = {
  id: 'rdp',
  knows: (event) =>
    flatten(event).releases.every(({ event: each }) => renyiDivergence(each, 2) !== undefined),
  epsilon(event: PrivacyEvent, delta: number): number {
    const { releases, samplerDistance } = flatten(event);
    if (releases.length === 0) return withSamplerDistance(samplerDistance, delta, () => 0);
    const divergence = composedDivergence(event);
    divergence(2);
    return withSamplerDistance(samplerDistance, delta, (left) => renyiEpsilon(divergence, left));
  },
};
