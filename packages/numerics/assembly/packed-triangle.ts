// Packed upper triangles, and what can be told from them before any work.
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
 * A in reversed order of dimensions, times `scale`, as `tridiagonalize` wants it. Reversed, because then row i is row d−1−i of the
 * packed upper triangle read backwards, and no column has to be gathered.
 */
export function unpackReversed(packed: usize, dimensions: i32, scale: f64, to: usize): void {
  const factor = f64x2.splat(scale);
  // A row that the last one may be paired with.
  if (dimensions & 1) memory.fill(pairedRow(to, dimensions - 1), 0, <usize>(dimensions + 1) << 4);
  for (let i = dimensions - 1; i >= 0; i--) {
    const row = pairedRow(to, i);
    const last = packed + (<usize>i << 3);
    let c = 0;
    for (; c < i; c += 2) {
      const pair = v128.load(last - (<usize>(c + 1) << 3));
      v128.store(row + (<usize>c << 4), f64x2.mul(v128.shuffle<f64>(pair, pair, 1, 0), factor));
    }
    if (c == i) {
      // Beside the diagonal stands what is below it.
      const at = row + (<usize>c << 4);
      store<f64>(at, scale * load<f64>(packed));
      store<f64>(at, load<f64>(at, 16), 8);
    }
    packed = last + 8;
  }
}

/** Vector in reversed order, either way. */
export function reverse(from: usize, dimensions: i32, to: usize): void {
  const last = from + (<usize>(dimensions - 1) << 3);
  for (let a: usize = 0; a < <usize>dimensions << 3; a += 8) store<f64>(to + a, load<f64>(last - a));
}

/** Power of two that brings the largest entry to [½, 1); 0 when there is a NaN or an infinity. */
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

/** Whether a 1 × 1 or neighbouring 2 × 2 minor shows that A is not positive definite, without a factorisation. */
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
