import { cholesky64, choleskySolve64 } from './cholesky-f64';
import { QL_STATE_BYTES, qlFailed, replayRotations, runQlPair, startQl } from './implicit-ql';
import { SET } from './tile-f32';
import { rankUpdate64 } from './tile-f64';
import { applyReflectors, applyTransposedReflectors, tridiagonalize } from './tridiagonal';

/** Rotations that are recorded at most: about 1.1 · d² happen. */
@inline
function rotationLimit(width: i32): i32 {
  return 4 * width * width + 64;
}

/** Scratch of one system that waits for, or goes through, the eigenvalue iteration. */
@inline
function slotBytes(width: i32): usize {
  return (<usize>width * <usize>width << 3) + (<usize>width << 3) * 8 + QL_STATE_BYTES + <usize>rotationLimit(width) * 24;
}

/** Scratch memory of `solvePsd`. */
export function solvePsdScratchBytes(width: i32): usize {
  return (<usize>width * <usize>width << 3) * 2 + (<usize>width << 3) * 2 + 2 * slotBytes(width);
}

/** Full upper triangle of a packed one, rows of `width`; padding is 0 off and 1 on the diagonal. */
function unpackUpper(packed: usize, dimensions: i32, width: i32, to: usize): void {
  for (let a = 0; a < width; a++) {
    const row = to + <usize>(a * width << 3);
    if (a < dimensions) {
      memory.copy(row + (<usize>a << 3), packed, <usize>(dimensions - a) << 3);
      packed += <usize>(dimensions - a) << 3;
      memory.fill(row + (<usize>dimensions << 3), 0, <usize>(width - dimensions) << 3);
    } else {
      memory.fill(row, 0, <usize>width << 3);
      store<f64>(row + (<usize>a << 3), 1);
    }
  }
}

/**
 * Lower triangle, with whole diagonal blocks, of A in reversed order of dimensions, times `scale`; padding is 0. Reversed, because then row i
 * is row d−1−i of the packed upper triangle read backwards, and no column has to be gathered.
 */
function unpackReversed(packed: usize, dimensions: i32, width: i32, scale: f64, to: usize): void {
  const stride = <usize>width << 3;
  const factor = f64x2.splat(scale);
  memory.fill(to, 0, stride * <usize>width);
  for (let i = dimensions - 1; i >= 0; i--) {
    const row = to + <usize>i * stride;
    const last = packed + (<usize>i << 3);
    let c = 0;
    for (; c < i; c += 2) {
      const pair = v128.load(last - (<usize>(c + 1) << 3));
      v128.store(row + (<usize>c << 3), f64x2.mul(v128.shuffle<f64>(pair, pair, 1, 0), factor));
    }
    if (c == i) store<f64>(row + (<usize>c << 3), scale * load<f64>(packed));
    packed = last + 8;
  }
  for (let block = 0; block < dimensions; block += 4) {
    for (let a = block; a < block + 4; a++) {
      for (let c = block; c < a; c++) {
        store<f64>(to + <usize>c * stride + (<usize>a << 3), load<f64>(to + <usize>a * stride + (<usize>c << 3)));
      }
    }
  }
}

/** Vector in reversed order, either way. */
function reverse(from: usize, dimensions: i32, to: usize): void {
  const last = from + (<usize>(dimensions - 1) << 3);
  for (let a: usize = 0; a < <usize>dimensions << 3; a += 8) store<f64>(to + a, load<f64>(last - a));
}

/** Power of two that brings the largest entry to [½, 1); 0 when there is a NaN or an infinity. */
function scaleOf(packed: usize, count: i32): f64 {
  let largest = f64x2.splat(0);
  const even = <usize>(count & ~1) << 3;
  for (let k: usize = 0; k < even; k += 16) largest = f64x2.max(largest, f64x2.abs(v128.load(packed + k)));
  // `max` passes NaN on.
  let most = max(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1));
  if (count & 1) most = max(most, abs(load<f64>(packed + even)));
  if (!(most < Infinity)) return 0;
  if (most == 0) return 1;
  const exponent = <i64>((reinterpret<u64>(most) >> 52) & 0x7ff) - 1022;
  return reinterpret<f64>(<u64>max<i64>(1, 1023 - exponent) << 52);
}

/** Whether a 1 × 1 or neighbouring 2 × 2 minor shows that A is not positive definite, without a factorisation. */
function plainlyIndefinite(packed: usize, dimensions: i32): bool {
  for (let a = 0; a < dimensions; a++) {
    const own = load<f64>(packed);
    if (!(own > 0)) return true;
    if (a + 1 < dimensions) {
      const next = packed + (<usize>(dimensions - a) << 3);
      const beside = load<f64>(packed, 8);
      if (beside * beside >= own * load<f64>(next)) return true;
      packed = next;
    }
  }
  return false;
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

/**
 * The system that needs the projection as a matrix, because something is added to it: eigenvectors by replaying the rotations on
 * unit vectors, then Σ max(λ, 0) z zᵀ by the tile. `slot` holds the reduced matrix and a finished QL state.
 */
function projectedMatrix(
  slot: usize, dimensions: i32, width: i32, scale: f64, state: usize, diagonal: usize, scales: usize, work: usize, panel: usize,
  matrix: usize,
): void {
  const stride = <usize>width << 3;
  memory.fill(panel, 0, stride * <usize>width);
  let kept = 0;
  for (let k = 0; k < dimensions; k++) {
    const value = load<f64>(diagonal + (<usize>k << 3));
    if (!(value > 0)) continue;
    const z = panel + <usize>kept * stride;
    memory.fill(work, 0, stride);
    store<f64>(work + (<usize>k << 3), 1);
    replayRotations(state, work);
    applyReflectors(slot, stride, dimensions, scales, work);
    reverse(work, dimensions, z);
    const root = f64x2.splat(sqrt<f64>(value / scale));
    for (let c: usize = 0; c < stride; c += 16) v128.store(z + c, f64x2.mul(v128.load(z + c), root));
    kept++;
  }
  rankUpdate64(panel, kept, width, matrix, SET);
  for (let a = dimensions; a < width; a++) store<f64>(matrix + (<usize>(a * width + a) << 3), 1);
}

/**
 * Solves (Π₊(A_k) + ridge_k I + common + added_k) x = b_k for `count` packed systems. A that Cholesky factorises is its own projection.
 * Otherwise, with A = Q T Qᵀ and T = Z Λ Zᵀ, x = Q Z (max(Λ, 0) + ridge)⁻¹ Zᵀ Qᵀ b, Z never being formed: two systems go through
 * the eigenvalue iteration side by side. `status[k]` is 1 where no solution was found.
 */
export function solvePsd(
  count: i32, dimensions: i32, width: i32, matrices: usize, vectors: usize, ridges: usize, common: usize, added: usize,
  project: bool, out: usize, status: usize, scratch: usize,
): void {
  const packed = <usize>(dimensions * (dimensions + 1) / 2) << 3;
  const stride = <usize>width << 3, square = stride * <usize>width, line = <usize>dimensions << 3;
  const matrix = scratch, panel = matrix + square, inverse = panel + square, vector = inverse + stride;
  const slots = vector + stride;
  let waiting: i32 = -1;
  for (let k = 0; k <= count; k++) {
    let queued = false;
    if (k < count) {
      const a = matrices + <usize>k * packed;
      const extra: usize = added == 0 ? 0 : added + <usize>k * packed;
      const ridge = load<f64>(ridges + (<usize>k << 3));
      const target = out + <usize>k * line;
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
        addTerms(matrix, dimensions, width, ridge, common, extra);
        memory.fill(vector, 0, stride);
        memory.copy(vector, vectors + <usize>k * line, line);
        const solved = cholesky64(matrix, width, inverse, 0);
        if (solved) choleskySolve64(matrix, width, inverse, vector);
        memory.copy(target, vector, line);
        store<u8>(status + <usize>k, solved ? 0 : 1);
      } else {
        const slot = slots + (waiting >= 0 ? slotBytes(width) : 0);
        const diagonal = slot + square, off = diagonal + stride, scales = off + stride, own = scales + stride;
        const work = own + stride, state = work + 3 * stride, sweeps = state + QL_STATE_BYTES;
        const rotations = sweeps + (<usize>rotationLimit(width) << 3);
        const scale = scaleOf(a, dimensions * (dimensions + 1) / 2);
        store<f64>(work + 2 * stride, scale);
        unpackReversed(a, dimensions, width, scale, slot);
        tridiagonalize(slot, stride, dimensions, diagonal, off, scales, work);
        memory.fill(own, 0, stride);
        reverse(vectors + <usize>k * line, dimensions, own);
        applyTransposedReflectors(slot, stride, dimensions, scales, own);
        startQl(state, diagonal, off, own, rotations, sweeps, dimensions, scale > 0 ? rotationLimit(width) : 0);
        queued = true;
      }
    }
    if (queued && waiting < 0) {
      waiting = k;
      continue;
    }
    if (waiting >= 0 && (queued || k == count)) {
      const first = slots, second = slots + slotBytes(width);
      const stateAt = square + 7 * stride;
      runQlPair(first + stateAt, queued ? second + stateAt : 0);
      finish(first, waiting, dimensions, width, matrices, vectors, ridges, common, added, out, status, matrix, panel, inverse, vector);
      if (queued) finish(second, k, dimensions, width, matrices, vectors, ridges, common, added, out, status, matrix, panel, inverse, vector);
      waiting = -1;
    }
  }
}

/** From eigenvalues and rotated right-hand side to the solution of system k. */
function finish(
  slot: usize, k: i32, dimensions: i32, width: i32, matrices: usize, vectors: usize, ridges: usize, common: usize, added: usize,
  out: usize, status: usize, matrix: usize, panel: usize, inverse: usize, vector: usize,
): void {
  const packed = <usize>(dimensions * (dimensions + 1) / 2) << 3;
  const stride = <usize>width << 3, line = <usize>dimensions << 3;
  const diagonal = slot + stride * <usize>width, scales = diagonal + 2 * stride, own = scales + stride;
  const work = own + stride, state = work + 3 * stride;
  const scale = load<f64>(work + 2 * stride);
  const ridge = load<f64>(ridges + (<usize>k << 3));
  const target = out + <usize>k * line;
  let solved = !qlFailed(state);
  if (solved && (common != 0 || added != 0)) {
    projectedMatrix(slot, dimensions, width, scale, state, diagonal, scales, own, panel, matrix);
    addTerms(matrix, dimensions, width, ridge, common, added == 0 ? 0 : added + <usize>k * packed);
    memory.fill(vector, 0, stride);
    memory.copy(vector, vectors + <usize>k * line, line);
    solved = cholesky64(matrix, width, inverse, 0);
    if (solved) {
      choleskySolve64(matrix, width, inverse, vector);
      memory.copy(target, vector, line);
    }
  } else if (solved) {
    for (let a: usize = 0; a < line; a += 8) {
      const value = max<f64>(load<f64>(diagonal + a), 0) / scale + ridge;
      if (!(value > 0)) solved = false;
      store<f64>(own + a, load<f64>(own + a) / value);
    }
    replayRotations(state, own);
    applyReflectors(slot, stride, dimensions, scales, own);
    reverse(own, dimensions, target);
  }
  store<u8>(status + <usize>k, solved ? 0 : 1);
}
