import { cholesky32, choleskySolve32, wellConditioned32 } from './cholesky-f32';
import { solveByCg } from './conjugate-gradients';
import { foldDiagonal, unfoldDiagonal } from './diagonal-f32';
import { addRows, FACTOR_BYTES, gatherPanel, panelRows, rootsOf, timesTargets } from './gather-panel';
import { rankUpdate32 } from './rank-update-f32';
import { solveDual } from './solve-dual';
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
    gatherPanel(fixed, width, rows, indices + at, roots, products, panel, out);
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
