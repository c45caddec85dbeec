import { cholesky32, choleskySolve32, wellConditioned32 } from './cholesky-f32';
import { unfoldDiagonal } from './diagonal-f32';
import { rootsOf, timesTargets } from './gather-panel';
import { multiplyAdd } from './lanes';
import { rankUpdate32 } from './rank-update-f32';
import { SET } from './tile-f32';

/**
 * One row with fewer ratings than dimensions through its n × n system: with X the rows √w_k x_k and y the
 * √w_k y_k,
 *   (XᵀX + ρI)⁻¹Xᵀy = Xᵀ(XXᵀ + ρI)⁻¹y.
 * The panel is X transposed (dimension by rating), so that the same tile forms XXᵀ. `ofOnes` is the place of
 * the solution for targets that are all 1, 0 for none.
 */
export function solveDual(
  fixed: usize, width: i32, count: i32, indices: usize, targets: usize, weights: usize, ridge: f32, out: usize, ofOnes: usize, scratch: usize,
): bool {
  const size = (count + 3) & ~3;
  const line = <usize>size << 2;
  const matrix = scratch;
  const inverse = matrix + line * <usize>size;
  const alpha = inverse + line;
  const roots = alpha + line;
  const panel = roots + line;
  rootsOf(weights, count, roots);
  timesTargets(roots, targets, count, alpha);
  // Ratings that are there to fill a vector up have no weight.
  for (let k = <usize>count << 2; k < line; k += 4) {
    store<f32>(roots + k, 0);
    store<f32>(alpha + k, 0);
  }
  gatherTransposed(fixed, width, count, indices, roots, panel);
  rankUpdate32(panel, width, size, matrix, SET);
  unfoldDiagonal(matrix, size);
  for (let a = 0; a < size; a++) {
    const at = matrix + (<usize>a * <usize>(size + 1) << 2);
    store<f32>(at, load<f32>(at) + ridge);
  }
  const norm = cholesky32(matrix, size, inverse);
  if (norm < 0 || !wellConditioned32(norm, ridge, matrix, size, inverse, count, panel)) return false;
  choleskySolve32(matrix, size, inverse, alpha);
  combine(fixed, width, count, indices, roots, alpha, out);
  if (ofOnes != 0) {
    memory.copy(alpha, roots, line);
    choleskySolve32(matrix, size, inverse, alpha);
    combine(fixed, width, count, indices, roots, alpha, ofOnes);
  }
  return true;
}

/**
 * Column k of the panel is roots_k x_k; four at a time, those beyond the last taken from the first of the
 * four.
 */
function gatherTransposed(fixed: usize, width: i32, count: i32, indices: usize, roots: usize, panel: usize): void {
  const bytes = <usize>width << 2, line = <usize>((count + 3) & ~3) << 2;
  for (let k = 0; k < count; k += 4) {
    const f0 = rowAt(fixed, bytes, indices, k), f1 = rowAt(fixed, bytes, indices, k + 1 < count ? k + 1 : k);
    const f2 = rowAt(fixed, bytes, indices, k + 2 < count ? k + 2 : k), f3 = rowAt(fixed, bytes, indices, k + 3 < count ? k + 3 : k);
    const at = <usize>k << 2;
    const s0 = v128.load_splat<f32>(roots + at), s1 = v128.load_splat<f32>(roots + at, 4);
    const s2 = v128.load_splat<f32>(roots + at, 8), s3 = v128.load_splat<f32>(roots + at, 12);
    let to = panel + at;
    let c: usize = 0;
    do {
      const x0 = f32x4.mul(v128.load(f0 + c), s0), x1 = f32x4.mul(v128.load(f1 + c), s1);
      const x2 = f32x4.mul(v128.load(f2 + c), s2), x3 = f32x4.mul(v128.load(f3 + c), s3);
      const low01 = v128.shuffle<f32>(x0, x1, 0, 4, 1, 5), high01 = v128.shuffle<f32>(x0, x1, 2, 6, 3, 7);
      const low23 = v128.shuffle<f32>(x2, x3, 0, 4, 1, 5), high23 = v128.shuffle<f32>(x2, x3, 2, 6, 3, 7);
      v128.store(to, v128.shuffle<f64>(low01, low23, 0, 2));
      to += line;
      v128.store(to, v128.shuffle<f64>(low01, low23, 1, 3));
      to += line;
      v128.store(to, v128.shuffle<f64>(high01, high23, 0, 2));
      to += line;
      v128.store(to, v128.shuffle<f64>(high01, high23, 1, 3));
      to += line;
      c += 16;
    } while (c < bytes);
  }
}

@inline
function rowAt(fixed: usize, bytes: usize, indices: usize, k: i32): usize {
  return fixed + <usize>load<u32>(indices + (<usize>k << 2)) * bytes;
}

/** out = Σ_k α_k roots_k x_k. */
function combine(fixed: usize, width: i32, count: i32, indices: usize, roots: usize, alpha: usize, out: usize): void {
  const bytes = <usize>width << 2;
  memory.fill(out, 0, bytes);
  for (let k = 0; k < count; k++) {
    const at = <usize>k << 2;
    const from = fixed + <usize>load<u32>(indices + at) * bytes;
    const scale = f32x4.splat(load<f32>(roots + at) * load<f32>(alpha + at));
    for (let c: usize = 0; c < bytes; c += 16) v128.store(out + c, multiplyAdd<f32>(v128.load(out + c), v128.load(from + c), scale));
  }
}
