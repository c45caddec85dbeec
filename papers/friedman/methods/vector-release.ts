import { type OpenRelease, sensitive } from '@hushrec/privacy';

/**
 * Releases the rows of a matrix by the K-norm mechanism, each with noise of its own, in place.
 *
 * `bounds` says how far a row moves, in Euclidean norm: one number for a plan line with that sensitivity, or
 * one per row, from released or public quantities only, for a `perPart` line (rows of bound 0 cannot move and
 * stay exact). A unit of privacy moves one row, so all rows together cost one release.
 *
 * `bounds` hold for rows as they were computed, roundings included: their sums are exact
 * (`exact-products.ts`), or their distance from the exact solution is part of the bound
 * (`minimize-within.ts`). Rounding to the grid moves the difference of two neighbours by at most √d steps,
 * which is added to the declared sensitivity. So is 2⁻³⁰ of it, for the few operations that remain: a bound,
 * a norm of d ≤ 256 coordinates and a product are off by less than (d + 16)·2⁻⁵³ < 2⁻⁴⁴ of themselves.
 */
export async function releaseRows(
  release: OpenRelease,
  rows: Float64Array,
  width: number,
  bounds: number | Float64Array,
): Promise<void> {
  const { step, declared } = gridFor(smallest(bounds), width);
  const gridUnits = rows.map((value) => Math.round(value / step));
  if (typeof bounds === 'number') {
    rows.set(await release.add(0, sensitive(gridUnits, 'l2', declared), step, { kind: 'vectors' }));
    return;
  }
  const sensitivities = bounds.map((bound) => (bound === 0 ? 0 : declaredFor(bound, step, width)));
  const largest = sensitivities.reduce((most, each) => Math.max(most, each), 0);
  const statistic = sensitive(gridUnits, 'l2', largest);
  rows.set(await release.add(0, statistic, step, { kind: 'vectors', sensitivities }));
}

/**
 * The power-of-two grid for rows whose smallest exact sensitivity is `bound`, and the sensitivity of such a
 * row on it.
 */
export function gridFor(bound: number, width: number): { readonly step: number; readonly declared: number } {
  const step = 2 ** (Math.floor(Math.log2(bound)) - 18);
  return { step, declared: declaredFor(bound, step, width) };
}

function declaredFor(bound: number, step: number, width: number): number {
  return bound * (1 + 2 ** -30) + step * Math.sqrt(width);
}

function smallest(bounds: number | Float64Array): number {
  if (typeof bounds === 'number') return bounds;
  const least = bounds.reduce(
    (low, bound) => (bound > 0 && bound < low ? bound : low),
    Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(least) ? least : 1;
}
