import { multiplyAdd } from './lanes';
import { SUBTRACT } from './tile-f32';
import { updateFourRows64 } from './tile-f64';

/**
 * A = UᵀU in the upper triangle of a `width` × `width` matrix, `width` a multiple of 4; `inverse` gets
 * 1/u_aa. Returns whether every pivot was above `floor`.
 */
export function cholesky64(matrix: usize, width: i32, inverse: usize, floor: f64): bool {
  const stride = <usize>width << 3;
  for (let row = 0; row < width; row += 4) {
    updateFourRows64(matrix, row, stride, width, row, matrix, stride, SUBTRACT);
    // The 4 × 4 triangle, then the rest of its rows, one row after the other.
    for (let i = 0; i < 4; i++) {
      const r = matrix + <usize>(row + i) * stride + (<usize>row << 3);
      for (let j = 0; j < i; j++) {
        const above = matrix + <usize>(row + j) * stride + (<usize>row << 3);
        const factor = load<f64>(above + (<usize>i << 3));
        for (let c = i; c < 4; c++) {
          const at = r + (<usize>c << 3);
          store<f64>(at, load<f64>(at) - factor * load<f64>(above + (<usize>c << 3)));
        }
      }
      const pivot = load<f64>(r + (<usize>i << 3));
      if (!(pivot > floor && pivot < f64.MAX_VALUE)) return false;
      const own = 1 / sqrt<f64>(pivot);
      store<f64>(inverse + (<usize>(row + i) << 3), own);
      for (let c = i; c < 4; c++) {
        const at = r + (<usize>c << 3);
        store<f64>(at, load<f64>(at) * own);
      }
    }
    const r0 = matrix + <usize>row * stride + (<usize>row << 3);
    const r1 = r0 + stride, r2 = r1 + stride, r3 = r2 + stride;
    const at = inverse + (<usize>row << 3);
    const v0 = v128.load_splat<f64>(at), v1 = v128.load_splat<f64>(at, 8);
    const v2 = v128.load_splat<f64>(at, 16), v3 = v128.load_splat<f64>(at, 24);
    const n01 = f64x2.neg(v128.load_splat<f64>(r0, 8)), n02 = f64x2.neg(v128.load_splat<f64>(r0, 16));
    const n03 = f64x2.neg(v128.load_splat<f64>(r0, 24)), n12 = f64x2.neg(v128.load_splat<f64>(r1, 16));
    const n13 = f64x2.neg(v128.load_splat<f64>(r1, 24)), n23 = f64x2.neg(v128.load_splat<f64>(r2, 24));
    const end = <usize>(width - row) << 3;
    for (let c: usize = 32; c < end; c += 16) {
      const x0 = f64x2.mul(v128.load(r0 + c), v0);
      const x1 = f64x2.mul(multiplyAdd<f64>(v128.load(r1 + c), n01, x0), v1);
      const x2 = f64x2.mul(multiplyAdd<f64>(multiplyAdd<f64>(v128.load(r2 + c), n02, x0), n12, x1), v2);
      const x3 = f64x2.mul(multiplyAdd<f64>(multiplyAdd<f64>(multiplyAdd<f64>(v128.load(r3 + c), n03, x0), n13, x1), n23, x2), v3);
      v128.store(r0 + c, x0); v128.store(r1 + c, x1); v128.store(r2 + c, x2); v128.store(r3 + c, x3);
    }
  }
  return true;
}

/** Solves UᵀU x = b in place. */
export function choleskySolve64(factor: usize, width: i32, inverse: usize, vector: usize): void {
  const stride = <usize>width << 3;
  for (let a = 0; a < width; a++) {
    const row = factor + <usize>a * stride;
    const own = vector + (<usize>a << 3);
    const z = load<f64>(own) * load<f64>(inverse + (<usize>a << 3));
    let c = a + 1;
    if (c & 1 && c < width) {
      store<f64>(own, load<f64>(own, 8) - load<f64>(row + (<usize>c << 3)) * z, 8);
      c++;
    }
    store<f64>(own, z);
    const n = f64x2.splat(-z);
    for (; c < width; c += 2) {
      const to = vector + (<usize>c << 3);
      v128.store(to, multiplyAdd<f64>(v128.load(to), n, v128.load(row + (<usize>c << 3))));
    }
  }
  for (let a = width - 1; a >= 0; a--) {
    const row = factor + <usize>a * stride;
    const own = vector + (<usize>a << 3);
    let value = load<f64>(own);
    let c = a + 1;
    if (c & 1 && c < width) {
      value -= load<f64>(row + (<usize>c << 3)) * load<f64>(own, 8);
      c++;
    }
    let sum = f64x2.splat(0);
    for (; c < width; c += 2) sum = multiplyAdd<f64>(sum, v128.load(vector + (<usize>c << 3)), v128.load(row + (<usize>c << 3)));
    value -= f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
    store<f64>(own, value * load<f64>(inverse + (<usize>a << 3)));
  }
}
