// A⁻¹ of a small positive definite matrix, float64: the operations of plain TypeScript in the order in which
// every number meets them, two lanes at a time, so that the bits are the same.
import { product } from '../../numerics/assembly/small-product';

/** to[begin … end) −= factor · from[begin … end). */
@inline
function subtract(to: usize, from: usize, factor: f64, begin: i32, end: i32): void {
  const both = f64x2.splat(factor);
  let at = <usize>begin << 3;
  const last = <usize>end << 3;
  for (; at + 16 <= last; at += 16)
    v128.store(to + at, f64x2.sub(v128.load(to + at), f64x2.mul(both, v128.load(from + at))));
  if (at < last) store<f64>(to + at, load<f64>(to + at) - factor * load<f64>(from + at));
}

/** A = UᵀU, U in the upper triangle; false where a pivot is not positive. */
function factorize(matrix: usize, width: i32, bytes: usize): bool {
  for (let a = 0; a < width; a++) {
    const row = matrix + <usize>a * bytes;
    const pivot = load<f64>(row + (<usize>a << 3));
    if (!(pivot > 0) || pivot == Infinity) return false;
    const inverse = 1 / Math.sqrt(pivot);
    for (let c = a; c < width; c++) {
      const at = row + (<usize>c << 3);
      store<f64>(at, load<f64>(at) * inverse);
    }
    for (let b = a + 1; b < width; b++)
      subtract(matrix + <usize>b * bytes, row, load<f64>(row + (<usize>b << 3)), b, width);
  }
  return true;
}

/** U becomes U⁻¹. @param sums room for a row */
function invertTriangle(matrix: usize, width: i32, bytes: usize, sums: usize): void {
  for (let row = width - 1; row >= 0; row--) {
    const at = matrix + <usize>row * bytes;
    const own = 1 / load<f64>(at + (<usize>row << 3));
    memory.fill(sums, 0, bytes);
    // Negated: what is subtracted from 0 in the same order is the sum with another sign.
    for (let k = row + 1; k < width; k++)
      subtract(sums, matrix + <usize>k * bytes, load<f64>(at + (<usize>k << 3)), k, width);
    for (let column = row + 1; column < width; column++)
      store<f64>(at + (<usize>column << 3), own * load<f64>(sums + (<usize>column << 3)));
    store<f64>(at + (<usize>row << 3), own);
  }
}

/**
 * The symmetric matrix, of which the upper triangle is read, becomes its inverse, all of it: U⁻¹U⁻ᵀ; false,
 * and the matrix spoilt, where it is not positive definite. `width` even; a matrix of odd width has a last
 * row and column of the identity.
 *
 * @param room for two matrices of this size
 */
export function invert(matrix: usize, width: i32, room: usize): bool {
  const bytes = <usize>width << 3;
  if (!factorize(matrix, width, bytes)) return false;
  invertTriangle(matrix, width, bytes, room);
  const turned = room + <usize>width * bytes;
  for (let row = 0; row < width; row++) {
    for (let column = row; column < width; column++)
      store<f64>(
        turned + <usize>column * bytes + (<usize>row << 3),
        load<f64>(matrix + <usize>row * bytes + (<usize>column << 3)),
      );
  }
  memory.copy(room, matrix, <usize>width * bytes);
  product(matrix, room, turned, width, width, width, false, 2, true, false);
  for (let row = 1; row < width; row++)
    for (let column = 0; column < row; column++)
      store<f64>(
        matrix + <usize>row * bytes + (<usize>column << 3),
        load<f64>(matrix + <usize>column * bytes + (<usize>row << 3)),
      );
  return true;
}
