// A = Q T Qᵀ with T tridiagonal, from the last row upwards (Householder 1958; Wilkinson & Reinsch 1971, "tred"). Only the lower
// triangle is kept, with whole 4 × 4 diagonal blocks, so that every loop runs on full vectors.
import { multiplyAdd64 } from './tile-f64';

/** Squared length below which a row counts as reduced already; the matrix is scaled to entries of at most 1. */
const NEGLIGIBLE: f64 = 1e-200;

/** image = B v for the leading `size` × `size` block; v and image are zero from `size` up to the next multiple of 4. */
function symmetricProduct(matrix: usize, stride: usize, size: i32, v: usize, image: usize): void {
  const bytes = <usize>((size + 3) & ~3) << 3;
  for (let c: usize = 0; c < bytes; c += 16) v128.store(image + c, f64x2.splat(0));
  for (let row: usize = 0; row < bytes; row += 32) {
    const r0 = matrix + (row >> 3) * stride, r1 = r0 + stride, r2 = r1 + stride, r3 = r2 + stride;
    const v0 = v128.load_splat<f64>(v + row), v1 = v128.load_splat<f64>(v + row, 8);
    const v2 = v128.load_splat<f64>(v + row, 16), v3 = v128.load_splat<f64>(v + row, 24);
    let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0;
    for (let c: usize = 0; c < row; c += 16) {
      const x = v128.load(v + c);
      let b = v128.load(r0 + c);
      let p = multiplyAdd64(v128.load(image + c), b, v0);
      s0 = multiplyAdd64(s0, b, x);
      b = v128.load(r1 + c);
      p = multiplyAdd64(p, b, v1);
      s1 = multiplyAdd64(s1, b, x);
      b = v128.load(r2 + c);
      p = multiplyAdd64(p, b, v2);
      s2 = multiplyAdd64(s2, b, x);
      b = v128.load(r3 + c);
      p = multiplyAdd64(p, b, v3);
      s3 = multiplyAdd64(s3, b, x);
      v128.store(image + c, p);
    }
    for (let c = row; c < row + 32; c += 16) {
      const x = v128.load(v + c);
      s0 = multiplyAdd64(s0, v128.load(r0 + c), x);
      s1 = multiplyAdd64(s1, v128.load(r1 + c), x);
      s2 = multiplyAdd64(s2, v128.load(r2 + c), x);
      s3 = multiplyAdd64(s3, v128.load(r3 + c), x);
    }
    const low = f64x2.add(v128.shuffle<f64>(s0, s1, 0, 2), v128.shuffle<f64>(s0, s1, 1, 3));
    const high = f64x2.add(v128.shuffle<f64>(s2, s3, 0, 2), v128.shuffle<f64>(s2, s3, 1, 3));
    v128.store(image + row, f64x2.add(v128.load(image + row), low));
    v128.store(image + row, f64x2.add(v128.load(image + row, 16), high), 16);
  }
}

/** B ← B − v wᵀ − w vᵀ on the same block. */
function rankTwoUpdate(matrix: usize, stride: usize, size: i32, v: usize, w: usize): void {
  const bytes = <usize>((size + 3) & ~3) << 3;
  for (let row: usize = 0; row < bytes; row += 32) {
    const r0 = matrix + (row >> 3) * stride, r1 = r0 + stride, r2 = r1 + stride, r3 = r2 + stride;
    const v0 = f64x2.neg(v128.load_splat<f64>(v + row)), v1 = f64x2.neg(v128.load_splat<f64>(v + row, 8));
    const v2 = f64x2.neg(v128.load_splat<f64>(v + row, 16)), v3 = f64x2.neg(v128.load_splat<f64>(v + row, 24));
    const w0 = f64x2.neg(v128.load_splat<f64>(w + row)), w1 = f64x2.neg(v128.load_splat<f64>(w + row, 8));
    const w2 = f64x2.neg(v128.load_splat<f64>(w + row, 16)), w3 = f64x2.neg(v128.load_splat<f64>(w + row, 24));
    for (let c: usize = 0; c < row + 32; c += 16) {
      const x = v128.load(v + c), y = v128.load(w + c);
      v128.store(r0 + c, multiplyAdd64(multiplyAdd64(v128.load(r0 + c), v0, y), w0, x));
      v128.store(r1 + c, multiplyAdd64(multiplyAdd64(v128.load(r1 + c), v1, y), w1, x));
      v128.store(r2 + c, multiplyAdd64(multiplyAdd64(v128.load(r2 + c), v2, y), w2, x));
      v128.store(r3 + c, multiplyAdd64(multiplyAdd64(v128.load(r3 + c), v3, y), w3, x));
    }
  }
}

/**
 * Reduces the lower triangle of `matrix` (rows of `stride` bytes, a multiple of 4 of them). T gets diagonal[k] and off[k] between
 * k and k + 1. Row i keeps its reflector v (H_i = I − τ_i v vᵀ, v on 0 … i−1, v_{i−1} = 1) and scales[i] = τ_i. `work` holds two rows.
 */
export function tridiagonalize(
  matrix: usize, stride: usize, size: i32, diagonal: usize, off: usize, scales: usize, work: usize,
): void {
  const v = work, w = work + stride;
  for (let i = size - 1; i > 0; i--) {
    const row = matrix + <usize>i * stride;
    const last = row + (<usize>(i - 1) << 3);
    store<f64>(diagonal + (<usize>i << 3), load<f64>(row + (<usize>i << 3)));
    const head = load<f64>(last);
    const even = <usize>((i - 1) & ~1) << 3;
    let first = f64x2.splat(0), second = first;
    for (let c: usize = 0; c + 16 < even; c += 32) {
      const x = v128.load(row + c), y = v128.load(row + c, 16);
      first = multiplyAdd64(first, x, x);
      second = multiplyAdd64(second, y, y);
    }
    if (even & 16) {
      const x = v128.load(row + even - 16);
      first = multiplyAdd64(first, x, x);
    }
    let tail = sumOfLanes64(f64x2.add(first, second));
    const odd = row + even < last;
    if (odd) tail += load<f64>(row + even) * load<f64>(row + even);
    if (tail < NEGLIGIBLE) {
      store<f64>(off + (<usize>(i - 1) << 3), head);
      store<f64>(scales + (<usize>i << 3), 0);
      continue;
    }
    const length = sqrt<f64>(head * head + tail);
    const beta = head >= 0 ? -length : length;
    const tau = (beta - head) / beta;
    const inverse = 1 / (head - beta);
    store<f64>(off + (<usize>(i - 1) << 3), beta);
    store<f64>(scales + (<usize>i << 3), tau);
    const bytes = <usize>i << 3, padded = <usize>((i + 3) & ~3) << 3;
    const factor = f64x2.splat(inverse);
    for (let c: usize = 0; c < even; c += 16) {
      const x = f64x2.mul(v128.load(row + c), factor);
      v128.store(row + c, x);
      v128.store(v + c, x);
    }
    if (odd) {
      const x = load<f64>(row + even) * inverse;
      store<f64>(row + even, x);
      store<f64>(v + even, x);
    }
    store<f64>(last, 1);
    store<f64>(v + bytes - 8, 1);
    for (let c = bytes; c < padded; c += 8) store<f64>(v + c, 0);
    symmetricProduct(matrix, stride, i, v, w);
    first = second = f64x2.splat(0);
    for (let c: usize = 0; c < padded; c += 32) {
      first = multiplyAdd64(first, v128.load(w + c), v128.load(v + c));
      second = multiplyAdd64(second, v128.load(w + c, 16), v128.load(v + c, 16));
    }
    const scale = f64x2.splat(tau), half = f64x2.splat(-0.5 * tau * tau * sumOfLanes64(f64x2.add(first, second)));
    for (let c: usize = 0; c < padded; c += 16)
      v128.store(w + c, multiplyAdd64(f64x2.mul(scale, v128.load(w + c)), half, v128.load(v + c)));
    for (let c = bytes; c < padded; c += 8) store<f64>(w + c, 0);
    rankTwoUpdate(matrix, stride, i, v, w);
  }
  store<f64>(diagonal, load<f64>(matrix));
}

@inline
function sumOfLanes64(x: v128): f64 {
  return f64x2.extract_lane(x, 0) + f64x2.extract_lane(x, 1);
}

/** x ← H_i x. */
@inline
function reflect(row: usize, i: i32, tau: f64, x: usize): void {
  const even = <usize>(i & ~1) << 3, end = <usize>i << 3;
  let sum = f64x2.splat(0);
  for (let c: usize = 0; c < even; c += 16) sum = multiplyAdd64(sum, v128.load(row + c), v128.load(x + c));
  let dot = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
  if (even < end) dot += load<f64>(row + even) * load<f64>(x + even);
  dot *= -tau;
  const scale = f64x2.splat(dot);
  for (let c: usize = 0; c < even; c += 16) v128.store(x + c, multiplyAdd64(v128.load(x + c), scale, v128.load(row + c)));
  if (even < end) store<f64>(x + even, load<f64>(x + even) + dot * load<f64>(row + even));
}

/** x ← Qᵀ x. */
export function applyTransposedReflectors(matrix: usize, stride: usize, size: i32, scales: usize, x: usize): void {
  for (let i = size - 1; i > 0; i--) {
    const tau = load<f64>(scales + (<usize>i << 3));
    if (tau != 0) reflect(matrix + <usize>i * stride, i, tau, x);
  }
}

/** x ← Q x. */
export function applyReflectors(matrix: usize, stride: usize, size: i32, scales: usize, x: usize): void {
  for (let i = 1; i < size; i++) {
    const tau = load<f64>(scales + (<usize>i << 3));
    if (tau != 0) reflect(matrix + <usize>i * stride, i, tau, x);
  }
}
