// A = Q T Qᵀ with T tridiagonal, from the last row upwards (Householder 1958; Wilkinson & Reinsch 1971, "tred"). Only the lower
// triangle is kept, two rows together with whole diagonal blocks, so that every loop runs on full vectors: columns c and c + 1 of both
// rows are 32 bytes, and half the matrix fits the first-level cache.
import { multiplyAdd64, multiplySubtract64 } from './tile-f64';

/** Squared length below which a row counts as reduced already; the matrix is scaled to entries of at most 1. */
const NEGLIGIBLE: f64 = 1e-200;

/** Address of row i: its columns c and c + 1 are at 16·c bytes from there, c even. */
@inline
export function pairedRow(matrix: usize, i: i32): usize {
  const pair = <usize>i >> 1;
  return matrix + (pair * (pair + 1) << 4) + ((<usize>i & 1) << 4);
}

// Vectors that go through the loops together lie together, two entries of each in 64 bytes: one address serves them all.
const V: usize = 0, W: usize = 16, U: usize = 32, IMAGE: usize = 48;

/**
 * B ← B − v wᵀ − w vᵀ and image = B u, for the new B, on the leading `size` × `size` block; u is zero from `size` on. Both in one
 * pass: the matrix is loaded and stored once a column. Returns uᵀ B u.
 */
function updateAndMultiply(matrix: usize, size: i32, vectors: usize): f64 {
  const end = vectors + (<usize>((size + 1) & ~1) << 5);
  let at = matrix;
  let form = f64x2.splat(0);
  for (let row = vectors; row < end; row += 64) {
    const v0 = v128.load_splat<f64>(row, V), v1 = v128.load_splat<f64>(row, V + 8);
    const w0 = v128.load_splat<f64>(row, W), w1 = v128.load_splat<f64>(row, W + 8);
    const u0 = v128.load_splat<f64>(row, U), u1 = v128.load_splat<f64>(row, U + 8);
    let s0 = f64x2.splat(0), s1 = s0;
    for (let c = vectors; c < row; c += 64) {
      const v = v128.load(c, V), w = v128.load(c, W), u = v128.load(c, U);
      let b = multiplySubtract64(multiplySubtract64(v128.load(at), v0, w), w0, v);
      v128.store(at, b);
      const image = multiplyAdd64(v128.load(c, IMAGE), b, u0);
      s0 = multiplyAdd64(s0, b, u);
      b = multiplySubtract64(multiplySubtract64(v128.load(at, 16), v1, w), w1, v);
      v128.store(at, b, 16);
      v128.store(c, multiplyAdd64(image, b, u1), IMAGE);
      s1 = multiplyAdd64(s1, b, u);
      at += 32;
    }
    const before = sumsOfLanes64(s0, s1);
    const v = v128.load(row, V), w = v128.load(row, W), u = v128.load(row, U);
    let b = multiplySubtract64(multiplySubtract64(v128.load(at), v0, w), w0, v);
    v128.store(at, b);
    s0 = multiplyAdd64(s0, b, u);
    b = multiplySubtract64(multiplySubtract64(v128.load(at, 16), v1, w), w1, v);
    v128.store(at, b, 16);
    s1 = multiplyAdd64(s1, b, u);
    at += 32;
    // What is left of the diagonal block counts twice in uᵀ B u.
    const image = sumsOfLanes64(s0, s1);
    form = multiplyAdd64(form, u, f64x2.add(before, image));
    v128.store(row, image, IMAGE);
  }
  return sumOfLanes64(form);
}

/** Bytes of all reflectors of a matrix. */
export function reflectorBytes(width: i32): usize {
  return <usize>width * <usize>(width + 4) << 2;
}

/** Bytes of reflector i: τ_i, then u on 0 … i−1, padded with a zero to full vectors. */
@inline
function lengthOf(i: i32): usize {
  return 16 + (<usize>((i + 1) & ~1) << 3);
}

/**
 * Reduces a matrix. T gets diagonal[k] and off[k] between k and k + 1; `reflectors` get H_i = I − τ_i u uᵀ for i = size − 1 … 1 one
 * after the other. `vectors` has 32 bytes for each dimension. The matrix is lost.
 */
export function tridiagonalize(matrix: usize, size: i32, diagonal: usize, off: usize, reflectors: usize, vectors: usize): void {
  // H B H = B − v wᵀ − w vᵀ with v = u and w = τ B u − ½ τ² (uᵀ B u) u. Rows get it when they are next needed.
  let tau: f64 = 0, half: f64 = 0;
  memory.fill(vectors, 0, <usize>((size + 1) & ~1) << 5);
  for (let i = size - 1; i > 0; i--) {
    const own = vectors + (<usize>(i & ~1) << 5) + ((<usize>i & 1) << 3);
    const ownV = load<f64>(own, U), ownW = tau * load<f64>(own, IMAGE) + half * ownV;
    const scale = f64x2.splat(tau), share = f64x2.splat(half), v0 = f64x2.splat(ownV), w0 = f64x2.splat(ownW);
    const lastPair = vectors + (<usize>((i - 1) & ~1) << 5);
    const reflector = reflectors;
    let at = pairedRow(matrix, i);
    let sum = f64x2.splat(0), pair = sum;
    for (let c = vectors; c < lastPair; c += 64) {
      pair = updatedPair(at, c, scale, share, v0, w0);
      v128.store(c, pair, U);
      reflectors += 16;
      v128.store(reflectors, pair);
      sum = multiplyAdd64(sum, pair, pair);
      at += 32;
    }
    // The last entry of the row has the diagonal one beside it, or one more of the others before it.
    pair = updatedPair(at, lastPair, scale, share, v0, w0);
    const even = f64x2.extract_lane(pair, 0), odd = f64x2.extract_lane(pair, 1);
    const head = i & 1 ? even : odd, other = i & 1 ? 0 : even;
    store<f64>(diagonal + (<usize>i << 3), i & 1 ? odd : load<f64>(at, 32) - 2 * ownV * ownW);
    const tail = sumOfLanes64(sum) + other * other;
    const length = sqrt<f64>(head * head + tail);
    const beta = head >= 0 ? -length : length;
    // As in EISPACK u is not normalised: u = row − β e.
    tau = tail < NEGLIGIBLE ? 0 : 1 / (beta * (beta - head));
    pair = i & 1 ? f64x2.replace_lane(f64x2.splat(0), 0, head - beta) : f64x2.replace_lane(pair, 1, head - beta);
    v128.store(lastPair, pair, U);
    reflectors += 16;
    v128.store(reflectors, pair);
    reflectors += 16;
    store<f64>(reflector, tau);
    store<f64>(off + (<usize>(i - 1) << 3), tail < NEGLIGIBLE ? head : beta);
    half = -0.5 * tau * (tau * updateAndMultiply(matrix, i, vectors));
  }
  const first = load<f64>(vectors, U);
  store<f64>(diagonal, load<f64>(matrix) - 2 * first * (tau * load<f64>(vectors, IMAGE) + half * first));
}

/** Two entries of a row with the update that it lacks; v and w of their columns are put in place. */
@inline
function updatedPair(at: usize, c: usize, scale: v128, share: v128, v0: v128, w0: v128): v128 {
  const v = v128.load(c, U), w = multiplyAdd64(f64x2.mul(scale, v128.load(c, IMAGE)), share, v);
  v128.store(c, v, V);
  v128.store(c, w, W);
  return multiplySubtract64(multiplySubtract64(v128.load(at), v0, w), w0, v);
}

@inline
function sumOfLanes64(x: v128): f64 {
  return f64x2.extract_lane(x, 0) + f64x2.extract_lane(x, 1);
}

/** Both sums of lanes. */
@inline
function sumsOfLanes64(x: v128, y: v128): v128 {
  return f64x2.add(v128.shuffle<f64>(x, y, 0, 2), v128.shuffle<f64>(x, y, 1, 3));
}

/** x ← H_i x. */
@inline
function reflect(reflector: usize, i: i32, x: usize): void {
  const tau = load<f64>(reflector);
  if (tau == 0) return;
  const pairs = <usize>((i + 1) & ~1) << 3;
  let sum = f64x2.splat(0);
  for (let c: usize = 0; c < pairs; c += 16) sum = multiplyAdd64(sum, v128.load(reflector + c, 16), v128.load(x + c));
  const scale = f64x2.splat(-tau * sumOfLanes64(sum));
  for (let c: usize = 0; c < pairs; c += 16) v128.store(x + c, multiplyAdd64(v128.load(x + c), scale, v128.load(reflector + c, 16)));
}

/** x ← Qᵀ x. */
export function applyTransposedReflectors(reflectors: usize, size: i32, x: usize): void {
  for (let i = size - 1; i > 0; i--) {
    reflect(reflectors, i, x);
    reflectors += lengthOf(i);
  }
}

/** x ← Q x. */
export function applyReflectors(reflectors: usize, size: i32, x: usize): void {
  for (let i = 1; i < size; i++) reflectors += lengthOf(i);
  for (let i = 1; i < size; i++) {
    reflectors -= lengthOf(i);
    reflect(reflectors, i, x);
  }
}
