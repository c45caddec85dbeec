// A = Q T Qᵀ with T tridiagonal, from the last row upwards (Householder 1958; Wilkinson & Reinsch 1971, "tred"). Only the lower
// triangle is kept, two rows together with whole diagonal blocks, so that every loop runs on full vectors: columns c and c + 1 of both
// rows are 32 bytes, and half the matrix fits the first-level cache.
import { multiplyAdd64 } from './tile-f64';

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
 * pass: the matrix is loaded and stored once a column.
 */
function updateAndMultiply(matrix: usize, size: i32, vectors: usize): void {
  const end = vectors + (<usize>((size + 1) & ~1) << 5);
  let at = matrix;
  for (let row = vectors; row < end; row += 64) {
    const v0 = f64x2.neg(v128.load_splat<f64>(row, V)), v1 = f64x2.neg(v128.load_splat<f64>(row, V + 8));
    const w0 = f64x2.neg(v128.load_splat<f64>(row, W)), w1 = f64x2.neg(v128.load_splat<f64>(row, W + 8));
    const u0 = v128.load_splat<f64>(row, U), u1 = v128.load_splat<f64>(row, U + 8);
    let s0 = f64x2.splat(0), s1 = s0;
    for (let c = vectors; c < row; c += 64) {
      const v = v128.load(c, V), w = v128.load(c, W), u = v128.load(c, U);
      let b = multiplyAdd64(multiplyAdd64(v128.load(at), v0, w), w0, v);
      v128.store(at, b);
      const image = multiplyAdd64(v128.load(c, IMAGE), b, u0);
      s0 = multiplyAdd64(s0, b, u);
      b = multiplyAdd64(multiplyAdd64(v128.load(at, 16), v1, w), w1, v);
      v128.store(at, b, 16);
      v128.store(c, multiplyAdd64(image, b, u1), IMAGE);
      s1 = multiplyAdd64(s1, b, u);
      at += 32;
    }
    const v = v128.load(row, V), w = v128.load(row, W), u = v128.load(row, U);
    let b = multiplyAdd64(multiplyAdd64(v128.load(at), v0, w), w0, v);
    v128.store(at, b);
    s0 = multiplyAdd64(s0, b, u);
    b = multiplyAdd64(multiplyAdd64(v128.load(at, 16), v1, w), w1, v);
    v128.store(at, b, 16);
    s1 = multiplyAdd64(s1, b, u);
    at += 32;
    v128.store(row, f64x2.add(v128.shuffle<f64>(s0, s1, 0, 2), v128.shuffle<f64>(s0, s1, 1, 3)), IMAGE);
  }
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
 * Reduces a matrix. T gets diagonal[k] and off[k] between k and k + 1; `reflectors` get H_i = I − τ_i u uᵀ, u_{i−1} = 1, for
 * i = size − 1 … 1 one after the other. `vectors` has 32 bytes for each dimension. The matrix is lost.
 */
export function tridiagonalize(matrix: usize, size: i32, diagonal: usize, off: usize, reflectors: usize, vectors: usize): void {
  // v and w are the update that the rows above still lack; u and its image are the next ones.
  memory.fill(vectors, 0, <usize>((size + 1) & ~1) << 5);
  for (let i = size - 1; i > 0; i--) {
    const own = vectors + (<usize>(i & ~1) << 5) + ((<usize>i & 1) << 3);
    const ownV = load<f64>(own, V), ownW = load<f64>(own, W);
    const lackV = f64x2.splat(-ownV), lackW = f64x2.splat(-ownW);
    const lastPair = vectors + (<usize>((i - 1) & ~1) << 5);
    let at = pairedRow(matrix, i);
    let sum = f64x2.splat(0);
    for (let c = vectors; c < lastPair; c += 64) {
      const x = multiplyAdd64(multiplyAdd64(v128.load(at), lackV, v128.load(c, W)), lackW, v128.load(c, V));
      v128.store(c, x, U);
      sum = multiplyAdd64(sum, x, x);
      at += 32;
    }
    // The pair of u_{i−1} has the diagonal entry beside it, or the last of the others before it.
    const pair = multiplyAdd64(multiplyAdd64(v128.load(at), lackV, v128.load(lastPair, W)), lackW, v128.load(lastPair, V));
    const even = f64x2.extract_lane(pair, 0), odd = f64x2.extract_lane(pair, 1);
    const head = i & 1 ? even : odd, before = i & 1 ? 0 : even;
    store<f64>(diagonal + (<usize>i << 3), i & 1 ? odd : load<f64>(at, 32) - 2 * ownV * ownW);
    const tail = sumOfLanes64(sum) + before * before;
    const reduced = tail < NEGLIGIBLE;
    const length = sqrt<f64>(head * head + tail);
    const beta = head >= 0 ? -length : length;
    const tau = reduced ? 0 : (beta - head) / beta, factor = reduced ? 0 : 1 / (head - beta);
    store<f64>(off + (<usize>(i - 1) << 3), reduced ? head : beta);
    store<f64>(reflectors, tau);
    reflectors += 16;
    const factors = f64x2.splat(factor);
    for (let c = vectors; c < lastPair; c += 64) {
      const x = f64x2.mul(v128.load(c, U), factors);
      v128.store(c, x, U);
      v128.store(reflectors, x);
      reflectors += 16;
    }
    const x = i & 1 ? f64x2(1, 0) : f64x2.replace_lane(f64x2.splat(1), 0, before * factor);
    v128.store(lastPair, x, U);
    v128.store(reflectors, x);
    reflectors += 16;
    updateAndMultiply(matrix, i, vectors);
    sum = f64x2.splat(0);
    for (let c = vectors; c <= lastPair; c += 64) sum = multiplyAdd64(sum, v128.load(c, IMAGE), v128.load(c, U));
    const scale = f64x2.splat(tau), half = f64x2.splat(-0.5 * tau * tau * sumOfLanes64(sum));
    for (let c = vectors; c <= lastPair; c += 64) {
      const u = v128.load(c, U);
      v128.store(c, u, V);
      v128.store(c, multiplyAdd64(f64x2.mul(scale, v128.load(c, IMAGE)), half, u), W);
    }
  }
  store<f64>(diagonal, load<f64>(matrix) - 2 * load<f64>(vectors, V) * load<f64>(vectors, W));
}

@inline
function sumOfLanes64(x: v128): f64 {
  return f64x2.extract_lane(x, 0) + f64x2.extract_lane(x, 1);
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
