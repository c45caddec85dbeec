import { requireBound, roundingMargin } from '@hushrec/statistics';

declare const clipped: unique symbol;

/** Numbers whose absolute value is proved to be at most `bound`. Only `clipTargets` makes them. */
export interface ClippedTargets {
  readonly values: Float32Array;
  readonly bound: number;
  readonly [clipped]: 'targets';
}

/**
 * y ← max(−Γ, min(Γ, y)), in place. Two-sided: Curmei et al. 2023 (step 6) clip from above only, and half of
 * all centred ratings are negative. NaN becomes 0; ±∞ become ±Γ. Clip after centring, never before.
 * O(values).
 */
export function clipTargets(values: Float32Array, bound: number): ClippedTargets {
  requireBound('target bound', bound);
  const limit = bound * roundingMargin;
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (value >= -limit && value <= limit) continue;
    values[at] = value > limit ? limit : value < -limit ? -limit : 0;
  }
  return { values, bound } as ClippedTargets;
}
