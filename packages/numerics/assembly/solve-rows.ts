import { cholesky32, choleskySolve32, frobenius32, wellConditioned32 } from './cholesky-f32';
import { solveByCg } from './conjugate-gradients';
import { multiplyAdd } from './lanes';
import { ADD, rankUpdate32, SET } from './tile-f32';

/**
 * Ratings gathered before the tile runs; a panel then stays in the first-level cache together with the tile's
 * rows.
 */
@inline
function panelRows(width: i32): i32 {
  return max(32, min(128, 6144 / width));
}

/**
 * Row k of the panel is √w_k x_k; b += w_k y_k x_k. Four rows at a time, so that b is read and written once
 * for them. Loops test last: see tile-f32.ts.
 */
function gather(
  fixed: usize, width: i32, count: i32, indices: usize, targets: usize, weights: usize, panel: usize, vector: usize,
): void {
  const bytes = <usize>width << 2;
  let k = 0;
  for (; k + 3 < count; k += 4) {
    const r0 = fixed + <usize>load<u32>(indices) * bytes, r1 = fixed + <usize>load<u32>(indices, 4) * bytes;
    const r2 = fixed + <usize>load<u32>(indices, 8) * bytes, r3 = fixed + <usize>load<u32>(indices, 12) * bytes;
    const p1 = panel + bytes, p2 = p1 + bytes, p3 = p2 + bytes;
    if (weights == 0) {
      const y0 = v128.load_splat<f32>(targets), y1 = v128.load_splat<f32>(targets, 4);
      const y2 = v128.load_splat<f32>(targets, 8), y3 = v128.load_splat<f32>(targets, 12);
      let c: usize = 0;
      do {
        const x0 = v128.load(r0 + c), x1 = v128.load(r1 + c), x2 = v128.load(r2 + c), x3 = v128.load(r3 + c);
        v128.store(panel + c, x0); v128.store(p1 + c, x1); v128.store(p2 + c, x2); v128.store(p3 + c, x3);
        const low = multiplyAdd<f32>(multiplyAdd<f32>(v128.load(vector + c), x0, y0), x1, y1);
        v128.store(vector + c, multiplyAdd<f32>(multiplyAdd<f32>(low, x2, y2), x3, y3));
        c += 16;
      } while (c < bytes);
    } else {
      const roots = f32x4.sqrt(v128.load(weights)), ys = f32x4.mul(roots, v128.load(targets));
      const w0 = v128.shuffle<f32>(roots, roots, 0, 0, 0, 0), w1 = v128.shuffle<f32>(roots, roots, 1, 1, 1, 1);
      const w2 = v128.shuffle<f32>(roots, roots, 2, 2, 2, 2), w3 = v128.shuffle<f32>(roots, roots, 3, 3, 3, 3);
      const y0 = v128.shuffle<f32>(ys, ys, 0, 0, 0, 0), y1 = v128.shuffle<f32>(ys, ys, 1, 1, 1, 1);
      const y2 = v128.shuffle<f32>(ys, ys, 2, 2, 2, 2), y3 = v128.shuffle<f32>(ys, ys, 3, 3, 3, 3);
      let c: usize = 0;
      do {
        const x0 = f32x4.mul(v128.load(r0 + c), w0), x1 = f32x4.mul(v128.load(r1 + c), w1);
        const x2 = f32x4.mul(v128.load(r2 + c), w2), x3 = f32x4.mul(v128.load(r3 + c), w3);
        v128.store(panel + c, x0); v128.store(p1 + c, x1); v128.store(p2 + c, x2); v128.store(p3 + c, x3);
        const low = multiplyAdd<f32>(multiplyAdd<f32>(v128.load(vector + c), x0, y0), x1, y1);
        v128.store(vector + c, multiplyAdd<f32>(multiplyAdd<f32>(low, x2, y2), x3, y3));
        c += 16;
      } while (c < bytes);
      weights += 16;
    }
    indices += 16;
    targets += 16;
    panel = p3 + bytes;
  }
  for (; k < count; k++) {
    const from = fixed + <usize>load<u32>(indices) * bytes;
    const root: f32 = weights == 0 ? 1 : sqrt<f32>(load<f32>(weights));
    const scale = f32x4.splat(root), y = f32x4.splat(root * load<f32>(targets));
    for (let c: usize = 0; c < bytes; c += 16) {
      const x = f32x4.mul(v128.load(from + c), scale);
      v128.store(panel + c, x);
      v128.store(vector + c, multiplyAdd<f32>(v128.load(vector + c), x, y));
    }
    indices += 4;
    targets += 4;
    if (weights != 0) weights += 4;
    panel += bytes;
  }
}

/** b += w_k x_k, from the rows √w_k x_k of a panel: the right-hand side of targets that are all 1. */
function gatherOnes(panel: usize, width: i32, count: i32, weights: usize, vector: usize): void {
  const bytes = <usize>width << 2;
  for (let k = 0; k < count; k++) {
    const root = f32x4.splat(weights == 0 ? 1 : sqrt<f32>(load<f32>(weights + (<usize>k << 2))));
    for (let c: usize = 0; c < bytes; c += 16) v128.store(vector + c, multiplyAdd<f32>(v128.load(vector + c), v128.load(panel + c), root));
    panel += bytes;
  }
}

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
  const panel = inverse + bytes;
  memory.fill(out, 0, bytes);
  if (ofOnes != 0) memory.fill(ofOnes, 0, bytes);
  let mode = SET;
  if (base != 0) {
    memory.copy(matrix, base, bytes * <usize>width);
    mode = ADD;
  }
  const most = panelRows(width);
  for (let begin = 0; begin < count; begin += most) {
    const rows = min(most, count - begin);
    const at = <usize>begin << 2;
    gather(fixed, width, rows, indices + at, targets + at, weights == 0 ? 0 : weights + at, panel, out);
    if (ofOnes != 0) gatherOnes(panel, width, rows, weights == 0 ? 0 : weights + at, ofOnes);
    rankUpdate32(panel, rows, width, matrix, mode);
    mode = ADD;
  }
  for (let a = 0; a < width; a++) {
    const at = matrix + (<usize>a * <usize>(width + 1) << 2);
    const own: f32 = a >= padFrom ? 1 : ridge * (diagonal == 0 ? <f32>1 : load<f32>(diagonal + (<usize>a << 2)));
    store<f32>(at, load<f32>(at) + own);
  }
  const norm = frobenius32(matrix, width);
  if (!cholesky32(matrix, width, inverse) || !wellConditioned32(norm, diagonal == 0 ? ridge : 0, matrix, width, inverse, padFrom, panel)) return false;
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
  for (let a = 0; a < size; a++) {
    const at = matrix + (<usize>a * <usize>(size + 1) << 2);
    store<f32>(at, load<f32>(at) + ridge);
  }
  const norm = frobenius32(matrix, size);
  if (!cholesky32(matrix, size, inverse) || !wellConditioned32(norm, ridge, matrix, size, inverse, count, panel)) return false;
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
