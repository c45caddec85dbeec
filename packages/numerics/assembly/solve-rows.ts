import { cholesky32, choleskySolve32, wellConditioned32 } from './cholesky-f32';
import { solveByCg } from './conjugate-gradients';
import { foldDiagonal, unfoldDiagonal } from './diagonal-f32';
import { addRows, FACTOR_BYTES, gatherPanel, panelRows, rootsOf, timesTargets } from './gather-panel';
import { multiplyAdd } from './lanes';
import { rankUpdate32 } from './rank-update-f32';
import { ADD, SET } from './tile-f32';

/**
 * One row through its d × d normal equations. `base` is the common part of A (0 for none), `ridge` the
 * diagonal to add, `ofOnes` the place of the solution for targets that are all 1 (0 for none).
 */
function solvePrimal(
  fixed: usize, width: i32, count: i32, indices: usize, targets: usize, weights: usize,
  base: usize, diagonal: usize, ridge: f32, padFrom: i32, out: usize, ofOnes: usize, scratch: usize,
): bool {
  const bytes = <usize>width << 2;
  const matrix = scratch;
  const inverse = matrix + bytes * <usize>width;
  const roots = inverse + bytes;
  const products = roots + FACTOR_BYTES;
  const panel = products + FACTOR_BYTES;
  memory.fill(out, 0, bytes);
  if (ofOnes != 0) memory.fill(ofOnes, 0, bytes);
  let mode = SET;
  if (base != 0) {
    memory.copy(matrix, base, bytes * <usize>width);
    foldDiagonal(matrix, width);
    mode = ADD;
  }
  const most = panelRows(width);
  for (let begin = 0; begin < count; begin += most) {
    const rows = min(most, count - begin);
    const at = <usize>begin << 2;
    rootsOf(weights == 0 ? 0 : weights + at, rows, roots);
    timesTargets(roots, targets + at, rows, products);
    gatherPanel(fixed, width, rows, indices + at, roots, panel);
    addRows(panel, width, rows, products, out);
    if (ofOnes != 0) addRows(panel, width, rows, roots, ofOnes);
    rankUpdate32(panel, rows, width, matrix, mode);
    mode = ADD;
  }
  unfoldDiagonal(matrix, width);
  for (let a = 0; a < width; a++) {
    const at = matrix + (<usize>a * <usize>(width + 1) << 2);
    const own: f32 = a >= padFrom ? 1 : ridge * (diagonal == 0 ? <f32>1 : load<f32>(diagonal + (<usize>a << 2)));
    store<f32>(at, load<f32>(at) + own);
  }
  const norm = cholesky32(matrix, width, inverse);
  if (norm < 0 || !wellConditioned32(norm, diagonal == 0 ? ridge : 0, matrix, width, inverse, padFrom, panel)) return false;
  choleskySolve32(matrix, width, inverse, out);
  if (ofOnes != 0) choleskySolve32(matrix, width, inverse, ofOnes);
  return true;
}

/**
 * One row with fewer ratings than dimensions through its n × n system: with X the rows √w_k x_k and y the
 * √w_k y_k,
 *   (XᵀX + ρI)⁻¹Xᵀy = Xᵀ(XXᵀ + ρI)⁻¹y.
 * The panel is X transposed (dimension by rating), so that the same tile forms XXᵀ.
 */
function solveDual(
  fixed: usize, width: i32, count: i32, indices: usize, targets: usize, weights: usize, ridge: f32, out: usize, ofOnes: usize, scratch: usize,
): bool {
  const size = (count + 3) & ~3;
  const bytes = <usize>width << 2, line = <usize>size << 2;
  const matrix = scratch;
  const inverse = matrix + line * <usize>size;
  const alpha = inverse + line;
  const panel = alpha + line;
  for (let k = 0; k < size; k += 4) {
    let f0: usize = 0, f1: usize = 0, f2: usize = 0, f3: usize = 0;
    let w0: f32 = 0, w1: f32 = 0, w2: f32 = 0, w3: f32 = 0;
    const at = <usize>k << 2;
    f0 = fixed + <usize>load<u32>(indices + at) * bytes;
    w0 = weights == 0 ? 1 : sqrt<f32>(load<f32>(weights + at));
    store<f32>(alpha + at, w0 * load<f32>(targets + at));
    f1 = f2 = f3 = f0;
    store<f32>(alpha + at, 0, 4); store<f32>(alpha + at, 0, 8); store<f32>(alpha + at, 0, 12);
    if (k + 1 < count) {
      f1 = fixed + <usize>load<u32>(indices + at, 4) * bytes;
      w1 = weights == 0 ? 1 : sqrt<f32>(load<f32>(weights + at, 4));
      store<f32>(alpha + at, w1 * load<f32>(targets + at, 4), 4);
    }
    if (k + 2 < count) {
      f2 = fixed + <usize>load<u32>(indices + at, 8) * bytes;
      w2 = weights == 0 ? 1 : sqrt<f32>(load<f32>(weights + at, 8));
      store<f32>(alpha + at, w2 * load<f32>(targets + at, 8), 8);
    }
    if (k + 3 < count) {
      f3 = fixed + <usize>load<u32>(indices + at, 12) * bytes;
      w3 = weights == 0 ? 1 : sqrt<f32>(load<f32>(weights + at, 12));
      store<f32>(alpha + at, w3 * load<f32>(targets + at, 12), 12);
    }
    const s0 = f32x4.splat(w0), s1 = f32x4.splat(w1), s2 = f32x4.splat(w2), s3 = f32x4.splat(w3);
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
  rankUpdate32(panel, width, size, matrix, SET);
  unfoldDiagonal(matrix, size);
  for (let a = 0; a < size; a++) {
    const at = matrix + (<usize>a * <usize>(size + 1) << 2);
    store<f32>(at, load<f32>(at) + ridge);
  }
  const norm = cholesky32(matrix, size, inverse);
  if (norm < 0 || !wellConditioned32(norm, ridge, matrix, size, inverse, count, panel)) return false;
  choleskySolve32(matrix, size, inverse, alpha);
  combine(fixed, width, count, indices, weights, alpha, out);
  if (ofOnes != 0) {
    memory.fill(alpha, 0, line);
    for (let k = 0; k < count; k++) {
      const at = <usize>k << 2;
      store<f32>(alpha + at, weights == 0 ? 1 : sqrt<f32>(load<f32>(weights + at)));
    }
    choleskySolve32(matrix, size, inverse, alpha);
    combine(fixed, width, count, indices, weights, alpha, ofOnes);
  }
  return true;
}

/** out = Σ_k α_k √w_k x_k. */
function combine(fixed: usize, width: i32, count: i32, indices: usize, weights: usize, alpha: usize, out: usize): void {
  const bytes = <usize>width << 2;
  memory.fill(out, 0, bytes);
  for (let k = 0; k < count; k++) {
    const at = <usize>k << 2;
    const from = fixed + <usize>load<u32>(indices + at) * bytes;
    const root: f32 = weights == 0 ? 1 : sqrt<f32>(load<f32>(weights + at));
    const scale = f32x4.splat(root * load<f32>(alpha + at));
    for (let c: usize = 0; c < bytes; c += 16) v128.store(out + c, multiplyAdd<f32>(v128.load(out + c), v128.load(from + c), scale));
  }
}

/**
 * Solves `rowCount` rows. `offsets` (rowCount + 1 of them) count from the first staged entry; `ridges` has
 * one ridge a row; `base`, `diagonal`, `weights`, `ofOnes` (solutions for targets that are all 1) are 0 when
 * absent; `steps` > 0 asks for conjugate gradients. Vectors are padded to `width`, a multiple of 4, from
 * dimension `padFrom` on. `status[r]` is 1 where float32 is not good enough for row r.
 */
export function solveRows(
  fixed: usize, width: i32, padFrom: i32, rowCount: i32, offsets: usize, indices: usize, targets: usize, weights: usize,
  base: usize, diagonal: usize, ridges: usize, steps: i32, out: usize, ofOnes: usize, status: usize, scratch: usize,
): void {
  const bytes = <usize>width << 2;
  for (let r = 0; r < rowCount; r++) {
    const begin = load<u32>(offsets + (<usize>r << 2));
    const count = <i32>(load<u32>(offsets + (<usize>r << 2), 4) - begin);
    const at = <usize>begin << 2;
    const ridge = load<f32>(ridges + (<usize>r << 2));
    const own: usize = weights == 0 ? 0 : weights + at;
    let solved = true;
    if (count == 0) {
      memory.fill(out, 0, bytes);
      if (ofOnes != 0) memory.fill(ofOnes, 0, bytes);
    } else if (steps > 0)
      solveByCg(fixed, width, count, indices + at, targets + at, own, base, diagonal, ridge, steps, out, scratch);
    else if (base == 0 && diagonal == 0 && ridge > 0 && ((count + 3) & ~3) < width)
      solved = solveDual(fixed, width, count, indices + at, targets + at, own, ridge, out, ofOnes, scratch);
    else
      solved = solvePrimal(fixed, width, count, indices + at, targets + at, own, base, diagonal, ridge, padFrom, out, ofOnes, scratch);
    store<u8>(status + <usize>r, solved ? 0 : 1);
    out += bytes;
    if (ofOnes != 0) ofOnes += bytes;
  }
}
