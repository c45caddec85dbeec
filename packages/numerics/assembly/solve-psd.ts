import { cholesky64, choleskySolve64 } from './cholesky-f64';
import { loadLane, runQl } from './implicit-ql';
import {
  plainlyIndefinite, reverseFrom, reverseTo, scaleOf, squaredNorm, unpackReversed, unpackUpper,
} from './packed-triangle';
import { clearQl, groupSize, laneEigenvalue, laneEntry, laneFailed, laneOf, qlGroupBytes } from './ql-group';
import { replayLane, replayRotations } from './replay-rotations';
import { SET } from './tile-f32';
import { rankUpdate64 } from './tile-f64';
import { applyReflectors, applyTransposedReflectors, reflectorBytes, tridiagonalize } from './tridiagonal';

/** `status` of a system: done, or which precision its eigenvalues are to be found in. */
const SOLVED: u8 = 0, FAILED: u8 = 1, IN_FLOAT32: u8 = 2, IN_FLOAT64: u8 = 3;

/**
 * ‖A‖_F / ridge up to which float32 does: it errs by some 2⁻²³ ‖A‖_F in A, hence by 2⁻²³ times this in the
 * solution, of which 10⁻⁴ relative is asked everywhere. Where noise makes A indefinite, suggested ridges are
 * of its size.
 */
const LARGEST_FLOAT32_CONDITION: f64 = 128;

/**
 * A system that waits for, or went through, the eigenvalue iteration: its number, its scale, that of its
 * vector, its reflectors.
 */
const SLOT_HEADER: usize = 64, SCALE: usize = 8, VECTOR_SCALE: usize = 16;

@inline
function slotBytes<T>(width: i32): usize {
  return SLOT_HEADER + ((reflectorBytes<T>(width) + 63) & ~63);
}

/** Bytes of the slots of a group. */
function allSlotBytes(width: i32): usize {
  return max(<usize>groupSize<f32>() * slotBytes<f32>(width), <usize>groupSize<f64>() * slotBytes<f64>(width));
}

/** Scratch vectors: inverse, vector, own, diagonal, off, and four to work in. */
const VECTORS: usize = 9;

/** Scratch memory of `solvePsd`. */
export function solvePsdScratchBytes(width: i32): usize {
  const line = <usize>width << 3;
  return line * <usize>width * 2 + line * VECTORS + allSlotBytes(width) + qlGroupBytes(width);
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
  while (k < dimensions && !(laneEigenvalue<f64>(own, k) > 0)) k++;
  return k;
}

/**
 * The system that needs the projection as a matrix, because something is added to it: eigenvectors of
 * positive eigenvalues by replaying the rotations on unit vectors, two at a time, then Σ λ z zᵀ by the tile.
 * `slot` holds the reflectors, `pair` has room for two vectors side by side.
 */
function projectedMatrix(
  group: usize, lane: i32, slot: usize, dimensions: i32, width: i32, work: usize, pair: usize, panel: usize, matrix: usize,
): void {
  const stride = <usize>width << 3, own = laneOf<f64>(group, lane);
  const scale = load<f64>(slot, SCALE);
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
      applyReflectors<f64>(slot + SLOT_HEADER, dimensions, work);
      reverseTo<f64>(work, dimensions, 1, z);
      const root = f64x2.splat(sqrt<f64>(laneEigenvalue<f64>(own, k) / scale));
      for (let c: usize = 0; c < stride; c += 16) v128.store(z + c, f64x2.mul(v128.load(z + c), root));
      z += stride;
    }
    first = nextPositive(own, second + 1, dimensions);
  }
  rankUpdate64(panel, <i32>((z - panel) / stride), width, matrix, SET);
  for (let a = dimensions; a < width; a++) store<f64>(matrix + (<usize>(a * width + a) << 3), 1);
}

/**
 * Solves (Π₊(A_k) + ridge_k I + common + added_k) x = b_k for `count` packed systems. A that Cholesky
 * factorises is its own projection. Otherwise, with A = Q T Qᵀ and T = Z Λ Zᵀ, x = Q Z (max(Λ, 0) + ridge)⁻¹
 * Zᵀ Qᵀ b, Z never being formed: several systems go through the eigenvalue iteration together, in float32
 * where the ridge makes that exact enough. `status[k]` is 1 where no solution was found.
 */
export function solvePsd(
  count: i32, dimensions: i32, width: i32, matrices: usize, vectors: usize, ridges: usize, common: usize, added: usize,
  project: bool, out: usize, status: usize, scratch: usize,
): void {
  const packed = <usize>(dimensions * (dimensions + 1) / 2) << 3, stride = <usize>width << 3;
  const matrix = scratch, inverse = matrix + 2 * stride * <usize>width, vector = inverse + stride;
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
    let state = IN_FLOAT64;
    if (definite) {
      unpackUpper(a, dimensions, width, matrix);
      const solved = solveSum(matrix, k, dimensions, width, vectors, ridges, common, added, out, inverse, vector);
      state = solved ? SOLVED : FAILED;
    } else if (common == 0 && added == 0) {
      const most = LARGEST_FLOAT32_CONDITION * load<f64>(ridges + (<usize>k << 3));
      if (squaredNorm(a, dimensions) <= most * most) state = IN_FLOAT32;
    }
    store<u8>(status + <usize>k, state);
  }
  solveIndefinite<f32>(IN_FLOAT32, count, dimensions, width, matrices, vectors, ridges, common, added, out, status, scratch);
  solveIndefinite<f64>(IN_FLOAT64, count, dimensions, width, matrices, vectors, ridges, common, added, out, status, scratch);
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

/** Solves the systems whose status is `state`, by their eigenvalues. */
function solveIndefinite<T>(
  state: u8, count: i32, dimensions: i32, width: i32, matrices: usize, vectors: usize, ridges: usize, common: usize, added: usize,
  out: usize, status: usize, scratch: usize,
): void {
  const entries = dimensions * (dimensions + 1) / 2;
  const stride = <usize>width << 3, matrix = scratch, own = matrix + 2 * stride * <usize>width + 2 * stride;
  const diagonal = own + stride, off = diagonal + stride, work = off + stride;
  const slots = own + (VECTORS - 2) * stride, group = slots + allSlotBytes(width);
  let waiting = 0;
  for (let k = 0; k < count; k++) {
    if (load<u8>(status + <usize>k) != state) continue;
    const a = matrices + (<usize>k * <usize>entries << 3), b = vectors + (<usize>k * <usize>dimensions << 3);
    const vectorScale = scaleOf(b, dimensions);
    // In float32 no entry of A is above `LARGEST_FLOAT32_CONDITION` ridges, so that A need not be looked
    // through.
    const scale = sizeof<T>() == 4
      ? scaleOf(ridges + (<usize>k << 3), 1) / LARGEST_FLOAT32_CONDITION
      : scaleOf(a, entries);
    if (scale == 0 || vectorScale == 0) {
      store<u8>(status + <usize>k, FAILED);
      continue;
    }
    const slot = slots + <usize>waiting * slotBytes<T>(width), reflectors = slot + SLOT_HEADER;
    store<i32>(slot, k);
    store<f64>(slot, scale, SCALE);
    store<f64>(slot, vectorScale, VECTOR_SCALE);
    unpackReversed<T>(a, dimensions, scale, matrix);
    tridiagonalize<T>(matrix, dimensions, diagonal, off, reflectors, work);
    memory.fill(own, 0, stride);
    reverseFrom<T>(b, dimensions, vectorScale, own);
    applyTransposedReflectors<T>(reflectors, dimensions, own);
    if (waiting == 0) clearQl(group, width);
    loadLane<T>(laneOf<T>(group, waiting), dimensions, diagonal, off, own);
    if (++waiting == groupSize<T>()) {
      finish<T>(waiting, dimensions, width, vectors, ridges, common, added, out, status, scratch);
      waiting = 0;
    }
  }
  if (waiting > 0) finish<T>(waiting, dimensions, width, vectors, ridges, common, added, out, status, scratch);
}

/**
 * Eigenvalues, and with them the solutions, of the systems that wait. What float32 cannot do is left for
 * float64.
 */
function finish<T>(
  waiting: i32, dimensions: i32, width: i32, vectors: usize, ridges: usize, common: usize, added: usize, out: usize, status: usize,
  scratch: usize,
): void {
  const stride = <usize>width << 3, square = stride * <usize>width;
  const matrix = scratch, panel = matrix + square, inverse = panel + square, vector = inverse + stride, own = vector + stride;
  const pair = own + 5 * stride, slots = inverse + VECTORS * stride, group = slots + allSlotBytes(width);
  const asMatrix = common != 0 || added != 0;
  runQl<T>(group, dimensions, width);
  for (let lane = 0; lane < waiting; lane++) {
    const slot = slots + <usize>lane * slotBytes<T>(width), mine = laneOf<T>(group, lane);
    const k = load<i32>(slot);
    let solved = !laneFailed(mine);
    if (sizeof<T>() == 8 && asMatrix) {
      if (solved) {
        projectedMatrix(group, lane, slot, dimensions, width, own, pair, panel, matrix);
        solved = solveSum(matrix, k, dimensions, width, vectors, ridges, common, added, out, inverse, vector);
      }
    } else if (solved) {
      const ridge = load<f64>(ridges + (<usize>k << 3)) * load<f64>(slot, SCALE);
      for (let a = 0; a < dimensions; a++) {
        const value = max<f64>(<f64>laneEigenvalue<T>(mine, a), 0) + ridge;
        if (!(value > 0)) solved = false;
        const at = laneEntry(mine, a);
        store<T>(at, <T>(<f64>load<T>(at) / value));
      }
    }
    store<u8>(status + <usize>k, solved ? SOLVED : sizeof<T>() == 4 ? IN_FLOAT64 : FAILED);
  }
  if (sizeof<T>() == 8 && asMatrix) return;
  replayRotations<T>(group, width);
  for (let lane = 0; lane < waiting; lane++) {
    const slot = slots + <usize>lane * slotBytes<T>(width), mine = laneOf<T>(group, lane);
    const k = load<i32>(slot);
    memory.fill(own, 0, stride);
    // Adding 0 makes one zero of two, whose sign depends on which systems went together.
    for (let a = 0; a < dimensions; a++) store<T>(own + <usize>a * sizeof<T>(), load<T>(laneEntry(mine, a)) + 0);
    applyReflectors<T>(slot + SLOT_HEADER, dimensions, own);
    const scale = load<f64>(slot, SCALE) / load<f64>(slot, VECTOR_SCALE);
    reverseTo<T>(own, dimensions, scale, out + (<usize>k * <usize>dimensions << 3));
  }
}
