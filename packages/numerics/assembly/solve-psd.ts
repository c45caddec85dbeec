import { cholesky64, choleskySolve64 } from './cholesky-f64';
import { loadLane, runQl } from './implicit-ql';
import { plainlyIndefinite, reverse, scaleOf, unpackReversed, unpackUpper } from './packed-triangle';
import { clearQl, LANES, laneEigenvalue, laneEntry, laneFailed, laneOf, qlGroupBytes } from './ql-group';
import { replayLane, replayRotations } from './replay-rotations';
import { SET } from './tile-f32';
import { rankUpdate64 } from './tile-f64';
import { applyReflectors, applyTransposedReflectors, reflectorBytes, tridiagonalize } from './tridiagonal';

/** A system that waits for, or went through, the eigenvalue iteration: its number, its scale, its reflectors. */
const SLOT_HEADER: usize = 64;

@inline
function slotBytes(width: i32): usize {
  return SLOT_HEADER + ((reflectorBytes(width) + 63) & ~63);
}

/** Scratch vectors: inverse, vector, own, diagonal, off, and four to work in. */
const VECTORS: usize = 9;

/** Scratch memory of `solvePsd`. */
export function solvePsdScratchBytes(width: i32): usize {
  const line = <usize>width << 3;
  return line * <usize>width * 2 + line * VECTORS + <usize>LANES * slotBytes(width) + qlGroupBytes(width);
}

/** A ← A + ridge I + common + added, on the upper triangle. */
function addTerms(matrix: usize, dimensions: i32, width: i32, ridge: f64, common: usize, added: usize): void {
  for (let a = 0; a < dimensions; a++) {
    const row = matrix + (<usize>(a * width) << 3);
    const own = row + (<usize>a << 3);
    store<f64>(own, load<f64>(own) + ridge);
    for (let c = a; c < dimensions; c++) {
      const at = row + (<usize>c << 3);
      let value = load<f64>(at);
      if (common != 0) value += load<f64>(common + (<usize>(a * dimensions + c) << 3));
      if (added != 0) {
        value += load<f64>(added);
        added += 8;
      }
      store<f64>(at, value);
    }
  }
}

/** The first positive eigenvalue of a lane from k on, `dimensions` if there is none. */
function nextPositive(own: usize, k: i32, dimensions: i32): i32 {
  while (k < dimensions && !(laneEigenvalue(own, k) > 0)) k++;
  return k;
}

/**
 * The system that needs the projection as a matrix, because something is added to it: eigenvectors of positive eigenvalues by replaying
 * the rotations on unit vectors, two at a time, then Σ λ z zᵀ by the tile. `slot` holds the reflectors, `pair` has room for two
 * vectors side by side.
 */
function projectedMatrix(
  group: usize, lane: i32, slot: usize, dimensions: i32, width: i32, work: usize, pair: usize, panel: usize, matrix: usize,
): void {
  const stride = <usize>width << 3, own = laneOf(group, lane);
  const scale = load<f64>(slot, 8);
  let z = panel;
  memory.fill(panel, 0, stride * <usize>width);
  for (let first = nextPositive(own, 0, dimensions); first < dimensions; ) {
    const second = nextPositive(own, first + 1, dimensions);
    memory.fill(pair, 0, stride << 1);
    store<f64>(pair + (<usize>first << 4), 1);
    if (second < dimensions) store<f64>(pair + (<usize>second << 4), 1, 8);
    replayLane(group, width, lane, pair);
    for (let k = first, at = pair; k < dimensions && at < pair + 16; k = second, at += 8) {
      for (let c = 0; c < dimensions; c++) store<f64>(work + (<usize>c << 3), load<f64>(at + (<usize>c << 4)));
      applyReflectors(slot + SLOT_HEADER, dimensions, work);
      reverse(work, dimensions, z);
      const root = f64x2.splat(sqrt<f64>(laneEigenvalue(own, k) / scale));
      for (let c: usize = 0; c < stride; c += 16) v128.store(z + c, f64x2.mul(v128.load(z + c), root));
      z += stride;
    }
    first = nextPositive(own, second + 1, dimensions);
  }
  rankUpdate64(panel, <i32>((z - panel) / stride), width, matrix, SET);
  for (let a = dimensions; a < width; a++) store<f64>(matrix + (<usize>(a * width + a) << 3), 1);
}

/**
 * Solves (Π₊(A_k) + ridge_k I + common + added_k) x = b_k for `count` packed systems. A that Cholesky factorises is its own projection.
 * Otherwise, with A = Q T Qᵀ and T = Z Λ Zᵀ, x = Q Z (max(Λ, 0) + ridge)⁻¹ Zᵀ Qᵀ b, Z never being formed: several systems go through
 * the eigenvalue iteration together. `status[k]` is 1 where no solution was found.
 */
export function solvePsd(
  count: i32, dimensions: i32, width: i32, matrices: usize, vectors: usize, ridges: usize, common: usize, added: usize,
  project: bool, out: usize, status: usize, scratch: usize,
): void {
  const entries = dimensions * (dimensions + 1) / 2;
  const packed = <usize>entries << 3;
  const stride = <usize>width << 3, square = stride * <usize>width, line = <usize>dimensions << 3;
  const matrix = scratch, inverse = matrix + 2 * square, vector = inverse + stride, own = vector + stride;
  const diagonal = own + stride, off = diagonal + stride, work = off + stride;
  const slots = inverse + VECTORS * stride, group = slots + <usize>LANES * slotBytes(width);
  let waiting = 0;
  for (let k = 0; k < count; k++) {
    const a = matrices + <usize>k * packed;
    let definite = true;
    if (project) {
      definite = !plainlyIndefinite(a, dimensions);
      if (definite) {
        unpackUpper(a, dimensions, width, matrix);
        definite = cholesky64(matrix, width, inverse, 0);
      }
    }
    if (definite) {
      unpackUpper(a, dimensions, width, matrix);
      const solved = solveSum(matrix, k, dimensions, width, vectors, ridges, common, added, out, inverse, vector);
      store<u8>(status + <usize>k, solved ? 0 : 1);
      continue;
    }
    const scale = scaleOf(a, entries);
    if (scale == 0) {
      store<u8>(status + <usize>k, 1);
      continue;
    }
    const slot = slots + <usize>waiting * slotBytes(width), reflectors = slot + SLOT_HEADER;
    store<i32>(slot, k);
    store<f64>(slot, scale, 8);
    unpackReversed(a, dimensions, scale, matrix);
    tridiagonalize(matrix, dimensions, diagonal, off, reflectors, work);
    reverse(vectors + <usize>k * line, dimensions, own);
    applyTransposedReflectors(reflectors, dimensions, own);
    if (waiting == 0) clearQl(group, width);
    loadLane(laneOf(group, waiting), dimensions, diagonal, off, own);
    if (++waiting == LANES) {
      finish(waiting, dimensions, width, vectors, ridges, common, added, out, status, scratch);
      waiting = 0;
    }
  }
  if (waiting > 0) finish(waiting, dimensions, width, vectors, ridges, common, added, out, status, scratch);
}

/** x = (matrix + ridge_k I + common + added_k)⁻¹ b_k by Cholesky; whether there is one. */
function solveSum(
  matrix: usize, k: i32, dimensions: i32, width: i32, vectors: usize, ridges: usize, common: usize, added: usize, out: usize,
  inverse: usize, vector: usize,
): bool {
  const packed = <usize>(dimensions * (dimensions + 1) / 2) << 3;
  const line = <usize>dimensions << 3;
  addTerms(matrix, dimensions, width, load<f64>(ridges + (<usize>k << 3)), common, added == 0 ? 0 : added + <usize>k * packed);
  memory.fill(vector, 0, <usize>width << 3);
  memory.copy(vector, vectors + <usize>k * line, line);
  if (!cholesky64(matrix, width, inverse, 0)) return false;
  choleskySolve64(matrix, width, inverse, vector);
  memory.copy(out + <usize>k * line, vector, line);
  return true;
}

/** Eigenvalues, and with them the solutions, of the systems that wait. */
function finish(
  waiting: i32, dimensions: i32, width: i32, vectors: usize, ridges: usize, common: usize, added: usize, out: usize, status: usize,
  scratch: usize,
): void {
  const stride = <usize>width << 3, square = stride * <usize>width;
  const matrix = scratch, panel = matrix + square, inverse = panel + square, vector = inverse + stride, own = vector + stride;
  const pair = own + 5 * stride, slots = inverse + VECTORS * stride, group = slots + <usize>LANES * slotBytes(width);
  const asMatrix = common != 0 || added != 0;
  runQl(group, dimensions, width);
  for (let lane = 0; lane < waiting; lane++) {
    const slot = slots + <usize>lane * slotBytes(width), mine = laneOf(group, lane);
    const k = load<i32>(slot);
    let solved = !laneFailed(mine);
    if (solved && asMatrix) {
      projectedMatrix(group, lane, slot, dimensions, width, own, pair, panel, matrix);
      solved = solveSum(matrix, k, dimensions, width, vectors, ridges, common, added, out, inverse, vector);
    } else if (solved) {
      const ridge = load<f64>(ridges + (<usize>k << 3)), scale = load<f64>(slot, 8);
      for (let a = 0; a < dimensions; a++) {
        const value = max<f64>(laneEigenvalue(mine, a), 0) / scale + ridge;
        if (!(value > 0)) solved = false;
        const at = laneEntry(mine, a);
        store<f64>(at, load<f64>(at) / value);
      }
    }
    store<u8>(status + <usize>k, solved ? 0 : 1);
  }
  if (asMatrix) return;
  replayRotations(group, width);
  for (let lane = 0; lane < waiting; lane++) {
    const slot = slots + <usize>lane * slotBytes(width), mine = laneOf(group, lane);
    const k = load<i32>(slot);
    // Adding 0 makes one zero of two, whose sign depends on which systems went together.
    for (let a = 0; a < dimensions; a++) store<f64>(own + (<usize>a << 3), load<f64>(laneEntry(mine, a)) + 0);
    applyReflectors(slot + SLOT_HEADER, dimensions, own);
    reverse(own, dimensions, out + (<usize>k * <usize>dimensions << 3));
  }
}
