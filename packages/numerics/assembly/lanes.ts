// Vectors of float32 or float64 under one name, for kernels that are written once and compiled for both.

/** Numbers in a vector. */
@inline
export function lanesOf<T>(): i32 {
  return 16 / sizeof<T>();
}

/** Its binary logarithm. */
@inline
export function laneBits<T>(): i32 {
  return sizeof<T>() == 4 ? 2 : 1;
}

/**
 * acc + a b: one fused instruction in the relaxed build, two IEEE operations (bit-identical everywhere) in
 * the other.
 */
@inline
export function multiplyAdd<T>(acc: v128, a: v128, b: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return v128.relaxed_madd<T>(a, b, acc);
  return v128.add<T>(acc, v128.mul<T>(a, b));
}

/** acc − a b. */
@inline
export function multiplySubtract<T>(acc: v128, a: v128, b: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return v128.relaxed_nmadd<T>(a, b, acc);
  return v128.sub<T>(acc, v128.mul<T>(a, b));
}

/** Ones in lane `lane`. */
@inline
export function onlyLane<T>(lane: i32): v128 {
  if (sizeof<T>() == 4) return i32x4.eq(i32x4(0, 1, 2, 3), i32x4.splat(lane));
  return i64x2.eq(i64x2(0, 1), i64x2.splat(lane));
}

/** Ones in the lanes before `lane`. */
@inline
export function lanesBefore<T>(lane: i32): v128 {
  if (sizeof<T>() == 4) return i32x4.lt_s(i32x4(0, 1, 2, 3), i32x4.splat(lane));
  return i64x2.lt_s(i64x2(0, 1), i64x2.splat(lane));
}

@inline
export function sumOfLanes<T>(x: v128): T {
  const sum = <T>(v128.extract_lane<T>(x, 0) + v128.extract_lane<T>(x, 1));
  return sizeof<T>() == 4 ? <T>(sum + (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))) : sum;
}

/** Both sums of lanes, in lanes 0 and 1. */
@inline
export function sumsOfLanes<T>(x: v128, y: v128): v128 {
  if (sizeof<T>() == 4) {
    const halves = f32x4.add(v128.shuffle<f32>(x, y, 0, 4, 1, 5), v128.shuffle<f32>(x, y, 2, 6, 3, 7));
    return f32x4.add(halves, v128.shuffle<f64>(halves, halves, 1, 0));
  }
  return f64x2.add(v128.shuffle<f64>(x, y, 0, 2), v128.shuffle<f64>(x, y, 1, 3));
}

/** Two numbers, in lanes 0 and 1; the others are 0. */
@inline
export function loadPair<T>(from: usize): v128 {
  return sizeof<T>() == 4 ? v128.load64_zero(from) : v128.load(from);
}

/** Lanes 0 and 1. */
@inline
export function storePair<T>(to: usize, pair: v128): void {
  if (sizeof<T>() == 4) v128.store64_lane(to, pair, 0);
  else v128.store(to, pair);
}
