import type { Finding } from '../../harness/experiment.js';
import type { SessionSettings } from './printed-session.js';

/**
 * Profiles of a finished session: those that were held fixed in a pass (p) and those that it solved for (q).
 */
export interface SessionProfiles {
  readonly width: number;
  readonly fixed: Float64Array;
  readonly solved: Float64Array;
}

/** Largest ℓ₁ and ℓ₂ norm, and mean ℓ₂ norm, of the rows. */
export function norms(rows: Float64Array, width: number) {
  let [l1, l2, sum] = [0, 0, 0];
  for (let begin = 0; begin < rows.length; begin += width) {
    const row = rows.subarray(begin, begin + width);
    const euclidean = Math.sqrt(row.reduce((square, value) => square + value * value, 0));
    l1 = Math.max(
      l1,
      row.reduce((absolute, value) => absolute + Math.abs(value), 0),
    );
    l2 = Math.max(l2, euclidean);
    sum += euclidean;
  }
  return { l1, l2, mean: (sum * width) / rows.length };
}

/**
 * What the symmetric variant can gain on the complementary one, from the bounds. A row minimises
 * qᵀAq − qᵀ(2g + b), whose gradient carries the noise b of the linear coefficients, 2√2·C₁/(β₁ε) a
 * coordinate, and 2(1 − α₀)Bq of the quadratic ones. The entries of the full B have scale s = C₁²/(β₂ε), of
 * which the symmetric part acts: variance 2s² on the diagonal and s² off it. The upper triangle alone has
 * scale s(1 + (C₂/C₁)²)/2, and variance 2 of that squared everywhere. So the root mean square of Bq over all
 * directions of q is ‖q‖s√((d + 1)/d), and for the triangle ‖q‖s(1 + (C₂/C₁)²)/√2.
 */
export function noiseBalance(
  { width, fixed, solved }: SessionProfiles,
  { linearShare, countShare }: SessionSettings,
  unobservedWeight: number,
): Finding[] {
  const { l1, l2 } = norms(fixed, width);
  const { mean: length } = norms(solved, width);
  const quadraticShare = 1 - linearShare - countShare;
  const overLinear = (inUnitsOfS: number) =>
    (2 * (1 - unobservedWeight) * length * (l1 * l1) * inUnitsOfS * linearShare) /
    (quadraticShare * 2 * Math.SQRT2 * l1);
  const full = overLinear(Math.sqrt((width + 1) / width));
  const triangle = overLinear((1 + (Math.min(l1, l2) / l1) ** 2) / Math.SQRT2);
  const total = Math.sqrt((1 + triangle ** 2) / (1 + full ** 2));
  const bounds = `C₁ = ${l1.toPrecision(3)}, C₂ = ${l2.toPrecision(3)}, mean ‖q‖ = ${length.toPrecision(3)} in a run at ε = 5; ε itself cancels`;
  return [
    {
      what: 'noise of quadratic over linear coefficients by the bounds, complementary',
      measured: full,
      holds: null,
      note: bounds,
    },
    {
      what: 'noise of quadratic over linear coefficients by the bounds, symmetric',
      measured: triangle,
      holds: null,
      note: `so all noise of symmetric is ${(100 * (1 - total)).toFixed(1)} % below that of complementary`,
    },
  ];
}
