import { type Engine, MAX_VECTOR_BITS } from '@hushrec/numerics';
import { sensitive } from '@hushrec/privacy';
import type { ClippedRows } from './clip-rows.js';
import { fineGramian } from './fine-grid-sums.js';
import type { GridSums } from './grid-sums.js';
import { defaultGrid } from './statistic-grid.js';

/**
 * K = Σ_i u_i u_iᵀ over all people, as a packed upper triangle on a grid: the term for unrated items, and the shared
 * second moment of people's tastes.
 *
 * Frobenius sensitivity Γ_u²: one person adds x xᵀ with x = trunc(u 2^bits/Γ_u), ‖x‖ ≤ 2^bits. Replacing: √2·Γ_u².
 * Chien et al. 2021 release it every round and state neither its scale nor its cost. O(people × d²).
 *
 */
export async function globalGramian(
  engine: Engine,
  users: ClippedRows,
  vectorBits: number = defaultGrid.vectorBits,
): Promise<GridSums> {
  const sums =
    vectorBits > MAX_VECTOR_BITS
      ? fineGramian(users.rows, users.bound, vectorBits)
      : await engine.exactGramian({ users: users.rows, vectorBound: users.bound, vectorBits });
  return {
    statistic: sensitive(sums, 'l2', users.bound ** 2),
    gridStep: (users.bound * 2 ** -vectorBits) ** 2,
  };
}
