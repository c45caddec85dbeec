// A = Q T Qᵀ with T tridiagonal, from the last row upwards (Householder 1958; Wilkinson & Reinsch 1971,
// "tred"), in float32 or float64. Only the lower triangle is kept, two rows together with whole diagonal
// blocks of a vector's width, so that every loop runs on full vectors: a vector of columns of both rows is 32
// bytes, and half the matrix fits the first-level cache.
import {
  laneBits, lanesBefore, lanesOf, loadPair, multiplyAdd, multiplySubtract, onlyLane, storePair, sumOfLanes, sumsOfLanes,
} from './lanes';

/**
 * Squared length below which a row counts as reduced already; the matrix is scaled to entries of at most 1.
 */
@inline
function negligible<T>(): T {
  return <T>(sizeof<T>() == 4 ? 1e-30 : 1e-200);
}

/**
 * Address of row i: columns c … c + lanes − 1 are at 32·c/lanes bytes from there, c a multiple of the lanes.
 */
@inline
export function pairedRow<T>(matrix: usize, i: i32): usize {
  const pair = <usize>i >> 1;
  // Pair p has as many vectors in each row as fit 2p + 1 and what is before it.
  const vectors = lanesOf<T>() == 4 ? (pair + 1) * (pair + 1) >> 2 : pair * (pair + 1) >> 1;
  return matrix + (vectors << 5) + ((<usize>i & 1) << 4);
}

// Vectors that go through the loops together lie together, one vector of each in 64 bytes: one address serves
// them all.
const V: usize = 0, W: usize = 16, U: usize = 32, IMAGE: usize = 48;

/** Address of the 64 bytes with entry i. */
@inline
function blockOf<T>(vectors: usize, i: i32): usize {
  return vectors + (<usize>(i >> laneBits<T>()) << 6);
}

/** Bytes of the vectors of a matrix. */
@inline
function vectorBytes<T>(size: i32): usize {
  return blockOf<T>(0, size + lanesOf<T>() - 1);
}

/**
 * B ← B − v wᵀ − w vᵀ and image = B u, for the new B, on the leading `size` × `size` block; u is zero from
 * `size` on. Both in one pass: the matrix is loaded and stored once a column. Returns uᵀ B u.
 */
function updateAndMultiply<T>(matrix: usize, size: i32, vectors: usize): T {
  let at = matrix;
  let form = v128.splat<T>(0);
  for (let i = 0; i < size; i += 2) {
    const block = blockOf<T>(vectors, i), own = block + <usize>(i & (lanesOf<T>() - 1)) * sizeof<T>();
    const v0 = v128.load_splat<T>(own, V), v1 = v128.load_splat<T>(own + sizeof<T>(), V);
    const w0 = v128.load_splat<T>(own, W), w1 = v128.load_splat<T>(own + sizeof<T>(), W);
    const u0 = v128.load_splat<T>(own, U), u1 = v128.load_splat<T>(own + sizeof<T>(), U);
    let s0 = v128.splat<T>(0), s1 = s0;
    for (let c = vectors; c < block; c += 64) {
      const v = v128.load(c, V), w = v128.load(c, W), u = v128.load(c, U);
      let b = multiplySubtract<T>(multiplySubtract<T>(v128.load(at), v0, w), w0, v);
      v128.store(at, b);
      const image = multiplyAdd<T>(v128.load(c, IMAGE), b, u0);
      s0 = multiplyAdd<T>(s0, b, u);
      b = multiplySubtract<T>(multiplySubtract<T>(v128.load(at, 16), v1, w), w1, v);
      v128.store(at, b, 16);
      v128.store(c, multiplyAdd<T>(image, b, u1), IMAGE);
      s1 = multiplyAdd<T>(s1, b, u);
      at += 32;
    }
    const before = sumsOfLanes<T>(s0, s1);
    const v = v128.load(block, V), w = v128.load(block, W), u = v128.load(block, U);
    let b = multiplySubtract<T>(multiplySubtract<T>(v128.load(at), v0, w), w0, v);
    v128.store(at, b);
    s0 = multiplyAdd<T>(s0, b, u);
    b = multiplySubtract<T>(multiplySubtract<T>(v128.load(at, 16), v1, w), w1, v);
    v128.store(at, b, 16);
    s1 = multiplyAdd<T>(s1, b, u);
    at += 32;
    // What is left of the diagonal block counts twice in uᵀ B u.
    const image = sumsOfLanes<T>(s0, s1);
    form = multiplyAdd<T>(form, loadPair<T>(own + U), v128.add<T>(before, image));
    storePair<T>(own + IMAGE, image);
  }
  return sumOfLanes<T>(form);
}

/**
 * Bytes that hold all reflectors of a matrix: for each i one vector, and i entries that are padded to full
 * vectors.
 */
export function reflectorBytes<T>(width: i32): usize {
  return <usize>width * (16 + <usize>(width + 2 * lanesOf<T>()) * sizeof<T>() / 2);
}

/** Bytes of reflector i: τ_i, then u on 0 … i−1, padded with zeros to full vectors. */
@inline
function lengthOf<T>(i: i32): usize {
  return 16 + (<usize>((i + lanesOf<T>() - 1) >> laneBits<T>()) << 4);
}

/**
 * Reduces a matrix. T gets diagonal[k] and off[k] between k and k + 1, in float64; `reflectors` get
 * H_i = I − τ_i u uᵀ for i = size − 1 … 1 one after the other. `vectors` has 32 bytes for each dimension. The
 * matrix is lost.
 */
export function tridiagonalize<T>(matrix: usize, size: i32, diagonal: usize, off: usize, reflectors: usize, vectors: usize): void {
  // H B H = B − v wᵀ − w vᵀ with v = u and w = τ B u − ½ τ² (uᵀ B u) u. Rows get it when they are next
  // needed.
  let tau: T = 0, half: T = 0;
  memory.fill(vectors, 0, vectorBytes<T>(size));
  for (let i = size - 1; i > 0; i--) {
    const own = blockOf<T>(vectors, i) + <usize>(i & (lanesOf<T>() - 1)) * sizeof<T>();
    const ownV = load<T>(own, U), ownW = <T>(tau * load<T>(own, IMAGE) + half * ownV);
    const scale = v128.splat<T>(tau), share = v128.splat<T>(half), v0 = v128.splat<T>(ownV), w0 = v128.splat<T>(ownW);
    const last = blockOf<T>(vectors, i - 1), lane = (i - 1) & (lanesOf<T>() - 1);
    const reflector = reflectors;
    let at = pairedRow<T>(matrix, i);
    let sum = v128.splat<T>(0);
    for (let c = vectors; c < last; c += 64) {
      const part = updatedPart<T>(at, c, scale, share, v0, w0);
      v128.store(c, part, U);
      reflectors += 16;
      v128.store(reflectors, part);
      sum = multiplyAdd<T>(sum, part, part);
      at += 32;
    }
    // The last entry of the row may have others before it, and the diagonal one beside it.
    const part = updatedPart<T>(at, last, scale, share, v0, w0);
    v128.store(last, part, U);
    const head = load<T>(last + <usize>lane * sizeof<T>(), U);
    const ownDiagonal = lane + 1 < lanesOf<T>()
      ? load<T>(last + <usize>(lane + 1) * sizeof<T>(), U)
      : <T>(load<T>(at, 32) - 2 * ownV * ownW);
    store<f64>(diagonal + (<usize>i << 3), ownDiagonal);
    const others = v128.and(part, lanesBefore<T>(lane));
    const tail = <T>(sumOfLanes<T>(sum) + sumOfLanes<T>(v128.mul<T>(others, others)));
    const length = sqrt<T>(<T>(head * head + tail));
    const beta = head >= 0 ? -length : length;
    // As in EISPACK u is not normalised: u = row − β e.
    tau = tail < negligible<T>() ? 0 : <T>(1 / (beta * (beta - head)));
    const u = v128.or(others, v128.and(v128.splat<T>(<T>(head - beta)), onlyLane<T>(lane)));
    v128.store(last, u, U);
    reflectors += 16;
    v128.store(reflectors, u);
    reflectors += 16;
    store<T>(reflector, tau);
    store<f64>(off + (<usize>(i - 1) << 3), tail < negligible<T>() ? head : beta);
    half = <T>(-0.5 * tau * (tau * updateAndMultiply<T>(matrix, i, vectors)));
  }
  const first = load<T>(vectors, U);
  store<f64>(diagonal, <T>(load<T>(matrix) - 2 * first * (tau * load<T>(vectors, IMAGE) + half * first)));
}

/** A vector of entries of a row with the update that it lacks; v and w of their columns are put in place. */
@inline
function updatedPart<T>(at: usize, c: usize, scale: v128, share: v128, v0: v128, w0: v128): v128 {
  const v = v128.load(c, U), w = multiplyAdd<T>(v128.mul<T>(scale, v128.load(c, IMAGE)), share, v);
  v128.store(c, v, V);
  v128.store(c, w, W);
  return multiplySubtract<T>(multiplySubtract<T>(v128.load(at), v0, w), w0, v);
}

/** x ← H_i x. */
@inline
function reflect<T>(reflector: usize, i: i32, x: usize): void {
  const tau = load<T>(reflector);
  if (tau == 0) return;
  const bytes = lengthOf<T>(i) - 16;
  let sum = v128.splat<T>(0);
  for (let c: usize = 0; c < bytes; c += 16) sum = multiplyAdd<T>(sum, v128.load(reflector + c, 16), v128.load(x + c));
  const scale = v128.splat<T>(<T>(-tau * sumOfLanes<T>(sum)));
  for (let c: usize = 0; c < bytes; c += 16) v128.store(x + c, multiplyAdd<T>(v128.load(x + c), scale, v128.load(reflector + c, 16)));
}

/** x ← Qᵀ x. */
export function applyTransposedReflectors<T>(reflectors: usize, size: i32, x: usize): void {
  for (let i = size - 1; i > 0; i--) {
    reflect<T>(reflectors, i, x);
    reflectors += lengthOf<T>(i);
  }
}

/** x ← Q x. */
export function applyReflectors<T>(reflectors: usize, size: i32, x: usize): void {
  for (let i = 1; i < size; i++) reflectors += lengthOf<T>(i);
  for (let i = 1; i < size; i++) {
    reflectors -= lengthOf<T>(i);
    reflect<T>(reflectors, i, x);
  }
}
