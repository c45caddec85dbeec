// Packed upper triangles, and what can be told from them before any work.
import { lanesOf } from './lanes';
import { pairedRow } from './tridiagonal';

/** Full upper triangle of a packed one, rows of `width`; padding is 0 off and 1 on the diagonal. */
export function unpackUpper(packed: usize, dimensions: i32, width: i32, to: usize): void {
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
 * A in reversed order of dimensions, times `scale`, as `tridiagonalize` wants it. Reversed, because then row
 * i is row d−1−i of the packed upper triangle read backwards, and no column has to be gathered.
 */
export function unpackReversed<T>(packed: usize, dimensions: i32, scale: f64, to: usize): void {
  const factor = f64x2.splat(scale), lanes = lanesOf<T>();
  // Rows and columns that the last diagonal block may have too many.
  const padded = pairedRow<T>(to, dimensions & -lanes);
  memory.fill(padded, 0, pairedRow<T>(to, (dimensions + 1) & ~1) - padded);
  for (let i = dimensions - 1; i >= 0; i--) {
    const row = pairedRow<T>(to, i), last = packed + (<usize>i << 3), block = i & -lanes;
    let at = row;
    for (let c = 0; c < block; c += lanes) {
      const entries = last - (<usize>(c + 1) << 3);
      let vector = f64x2.mul(v128.load(entries), factor);
      if (sizeof<T>() == 4) {
        const second = f32x4.demote_f64x2_zero(f64x2.mul(v128.load(entries - 16), factor));
        vector = v128.shuffle<f32>(f32x4.demote_f64x2_zero(vector), second, 1, 0, 5, 4);
      } else vector = v128.shuffle<f64>(vector, vector, 1, 0);
      v128.store(at, vector);
      at += 32;
    }
    for (let c = block; c <= i; c++) {
      const entry = <T>(scale * load<f64>(last - (<usize>c << 3)));
      store<T>(at + <usize>(c - block) * sizeof<T>(), entry);
      // The diagonal block is whole.
      store<T>(pairedRow<T>(to, c) + (at - row) + <usize>(i - block) * sizeof<T>(), entry);
    }
    packed = last + 8;
  }
}

/** Vector in reversed order and times `scale`, from float64. */
export function reverseFrom<T>(from: usize, dimensions: i32, scale: f64, to: usize): void {
  let at = from + (<usize>dimensions << 3);
  for (const end = to + <usize>dimensions * sizeof<T>(); to < end; to += sizeof<T>()) {
    at -= 8;
    store<T>(to, <T>(scale * load<f64>(at)));
  }
}

/** The same to float64. */
export function reverseTo<T>(from: usize, dimensions: i32, scale: f64, to: usize): void {
  let at = from + <usize>dimensions * sizeof<T>();
  for (const end = to + (<usize>dimensions << 3); to < end; to += 8) {
    at -= sizeof<T>();
    store<f64>(to, scale * <f64>load<T>(at));
  }
}

/**
 * Power of two that brings the largest of `count` numbers to [½, 1); 0 when there is a NaN or an infinity.
 */
export function scaleOf(packed: usize, count: i32): f64 {
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

/** Squared Frobenius norm; Infinity where it overflows. */
export function squaredNorm(packed: usize, dimensions: i32): f64 {
  let diagonal: f64 = 0;
  let all = f64x2.splat(0);
  for (let a = dimensions; a > 0; a--) {
    const own = load<f64>(packed);
    diagonal += own * own;
    let c = 0;
    for (; c + 1 < a; c += 2) {
      const pair = v128.load(packed + (<usize>c << 3));
      all = f64x2.add(all, f64x2.mul(pair, pair));
    }
    if (c < a) {
      const last = load<f64>(packed + (<usize>c << 3));
      all = f64x2.add(all, f64x2(last * last, 0));
    }
    packed += <usize>a << 3;
  }
  return 2 * (f64x2.extract_lane(all, 0) + f64x2.extract_lane(all, 1)) - diagonal;
}

/**
 * Whether a 1 × 1 or neighbouring 2 × 2 minor shows that A is not positive definite, without a factorisation.
 */
export function plainlyIndefinite(packed: usize, dimensions: i32): bool {
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
