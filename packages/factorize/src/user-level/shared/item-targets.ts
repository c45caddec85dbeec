import type { Csr } from '@hushrec/numerics';
import { type ClippedTargets, centredTargets, clipTargets } from '@hushrec/statistics';
import type { UserStep } from './user-step.js';

/**
 * y_ij of the item sums: ratings less offset and the person's own intercept, or 1 for a choice; clipped to ± bound. Written to
 * `buffer`, one number per entry of `byItem`. O(entries).
 */
export function itemTargets(
  byItem: Csr,
  { feedback, offset }: Pick<UserStep, 'feedback' | 'offset'>,
  bound: number,
  buffer: Float32Array,
  intercepts?: Float32Array,
): ClippedTargets {
  return clipTargets(
    feedback === 'implicit'
      ? buffer.fill(1)
      : centredTargets(byItem, 'items', { offset, ...(intercepts && { userOffsets: intercepts }) }, buffer),
    bound,
  );
}
