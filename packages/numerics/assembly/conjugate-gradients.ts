// A few conjugate-gradient steps (Hestenes & Stiefel 1952) on the normal equations of one row, which are never formed.
import { multiplyAdd, sumOfLanes } from './lanes';

/** image = (base + ridge · diag) p + Σ_k w_k (x_k · p − y_k) x_k, y = 0 without `targets`. O((entries + width) · width). */
function applyNormal(
  fixed: usize, width: i32, count: i32, indices: usize, weights: usize, targets: usize,
  base: usize, diagonal: usize, ridge: f32, p: usize, image: usize,
): void {
  const bytes = <usize>width << 2;
  for (let c: usize = 0; c < bytes; c += 16) {
    let own = f32x4.splat(ridge);
    if (diagonal != 0) own = f32x4.mul(own, v128.load(diagonal + c));
    v128.store(image + c, f32x4.mul(own, v128.load(p + c)));
  }
  if (base != 0) {
    // The padded width is a multiple of 4, and base is symmetric: four of its rows at a time.
    for (let a: usize = 0; a < bytes; a += 16) {
      const r0 = base + (a >> 2) * bytes, r1 = r0 + bytes, r2 = r1 + bytes, r3 = r2 + bytes;
      addFour(r0, r1, r2, r3, v128.load(p + a), image, bytes);
    }
  }
  let k = 0;
  for (; k + 3 < count; k += 4) {
    const at = <usize>k << 2;
    const r0 = fixed + <usize>load<u32>(indices + at) * bytes, r1 = fixed + <usize>load<u32>(indices + at, 4) * bytes;
    const r2 = fixed + <usize>load<u32>(indices + at, 8) * bytes, r3 = fixed + <usize>load<u32>(indices + at, 12) * bytes;
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    for (let c: usize = 0; c < bytes; c += 16) {
      const x = v128.load(p + c);
      s0 = multiplyAdd<f32>(s0, v128.load(r0 + c), x);
      s1 = multiplyAdd<f32>(s1, v128.load(r1 + c), x);
      s2 = multiplyAdd<f32>(s2, v128.load(r2 + c), x);
      s3 = multiplyAdd<f32>(s3, v128.load(r3 + c), x);
    }
    let four = sumsOfLanes32(s0, s1, s2, s3);
    if (targets != 0) four = f32x4.sub(four, v128.load(targets + at));
    if (weights != 0) four = f32x4.mul(four, v128.load(weights + at));
    addFour(r0, r1, r2, r3, four, image, bytes);
  }
  for (; k < count; k++) {
    const at = <usize>k << 2;
    const from = fixed + <usize>load<u32>(indices + at) * bytes;
    const weight: f32 = weights == 0 ? 1 : load<f32>(weights + at);
    const target: f32 = targets == 0 ? 0 : load<f32>(targets + at);
    axpy32(image, from, weight * (dot32(from, p, bytes) - target), bytes);
  }
}

/** The four sums of lanes, in one vector. */
@inline
function sumsOfLanes32(s0: v128, s1: v128, s2: v128, s3: v128): v128 {
  const low = f32x4.add(v128.shuffle<f32>(s0, s1, 0, 4, 2, 6), v128.shuffle<f32>(s0, s1, 1, 5, 3, 7));
  const high = f32x4.add(v128.shuffle<f32>(s2, s3, 0, 4, 2, 6), v128.shuffle<f32>(s2, s3, 1, 5, 3, 7));
  return f32x4.add(v128.shuffle<f64>(low, high, 0, 2), v128.shuffle<f64>(low, high, 1, 3));
}

/** to += s_0 r0 + s_1 r1 + s_2 r2 + s_3 r3. */
@inline
function addFour(r0: usize, r1: usize, r2: usize, r3: usize, s: v128, to: usize, bytes: usize): void {
  const v0 = v128.shuffle<f32>(s, s, 0, 0, 0, 0), v1 = v128.shuffle<f32>(s, s, 1, 1, 1, 1);
  const v2 = v128.shuffle<f32>(s, s, 2, 2, 2, 2), v3 = v128.shuffle<f32>(s, s, 3, 3, 3, 3);
  for (let c: usize = 0; c < bytes; c += 16) {
    const low = multiplyAdd<f32>(multiplyAdd<f32>(v128.load(to + c), v128.load(r0 + c), v0), v128.load(r1 + c), v1);
    v128.store(to + c, multiplyAdd<f32>(multiplyAdd<f32>(low, v128.load(r2 + c), v2), v128.load(r3 + c), v3));
  }
}

function dot32(a: usize, b: usize, bytes: usize): f32 {
  let sum = f32x4.splat(0);
  for (let c: usize = 0; c < bytes; c += 16) sum = multiplyAdd<f32>(sum, v128.load(a + c), v128.load(b + c));
  return sumOfLanes<f32>(sum);
}

/** to += scale · from. */
function axpy32(to: usize, from: usize, scale: f32, bytes: usize): void {
  const s = f32x4.splat(scale);
  for (let c: usize = 0; c < bytes; c += 16) v128.store(to + c, multiplyAdd<f32>(v128.load(to + c), v128.load(from + c), s));
}

/** `steps` conjugate-gradient steps from the present `out`. */
export function solveByCg(
  fixed: usize, width: i32, count: i32, indices: usize, targets: usize, weights: usize,
  base: usize, diagonal: usize, ridge: f32, steps: i32, out: usize, scratch: usize,
): void {
  const bytes = <usize>width << 2;
  const residual = scratch, direction = residual + bytes, image = direction + bytes;
  // A x − b, of which the residual is the negative.
  applyNormal(fixed, width, count, indices, weights, targets, base, diagonal, ridge, out, image);
  for (let c: usize = 0; c < bytes; c += 16) v128.store(residual + c, f32x4.neg(v128.load(image + c)));
  memory.copy(direction, residual, bytes);
  let squared = dot32(residual, residual, bytes);
  for (let step = 0; step < steps && squared > 0; step++) {
    applyNormal(fixed, width, count, indices, weights, 0, base, diagonal, ridge, direction, image);
    const length = squared / dot32(direction, image, bytes);
    axpy32(out, direction, length, bytes);
    axpy32(residual, image, -length, bytes);
    const next = dot32(residual, residual, bytes);
    const keep = f32x4.splat(next / squared);
    for (let c: usize = 0; c < bytes; c += 16) {
      v128.store(direction + c, multiplyAdd<f32>(v128.load(residual + c), v128.load(direction + c), keep));
    }
    squared = next;
  }
}
