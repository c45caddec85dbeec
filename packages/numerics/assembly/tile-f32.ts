// Register tiles of the symmetric rank-k update, float32. Four rows by two vectors is the largest tile that
// V8 keeps in registers; the inner loop is not unrolled because that spills too.
import { multiplyAdd } from './lanes';

/** How a tile meets what is in the output already. */
export const SET: i32 = 0;
export const ADD: i32 = 1;
export const SUBTRACT: i32 = 2;

@inline
function merge32(to: usize, acc: v128, mode: i32): void {
  if (mode == SET) v128.store(to, acc);
  else if (mode == ADD) v128.store(to, f32x4.add(v128.load(to), acc));
  else v128.store(to, f32x4.sub(v128.load(to), acc));
}

/**
 * out[i][0…8) ∘ Σ_k p_k[a + i] p_k[c … c + 8) for i < 4: `a` and `c` point into the first panel row, `out` at
 * the tile.
 */
function tile4x2(a: usize, c: usize, end: usize, stride: usize, out: usize, outStride: usize, mode: i32): void {
  let s00 = f32x4.splat(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00, s30 = s00, s31 = s00;
  while (c < end) {
    const c0 = v128.load(c), c1 = v128.load(c, 16);
    let row = v128.load_splat<f32>(a);
    s00 = multiplyAdd<f32>(s00, row, c0); s01 = multiplyAdd<f32>(s01, row, c1);
    row = v128.load_splat<f32>(a, 4);
    s10 = multiplyAdd<f32>(s10, row, c0); s11 = multiplyAdd<f32>(s11, row, c1);
    row = v128.load_splat<f32>(a, 8);
    s20 = multiplyAdd<f32>(s20, row, c0); s21 = multiplyAdd<f32>(s21, row, c1);
    row = v128.load_splat<f32>(a, 12);
    s30 = multiplyAdd<f32>(s30, row, c0); s31 = multiplyAdd<f32>(s31, row, c1);
    a += stride;
    c += stride;
  }
  merge32(out, s00, mode); merge32(out + 16, s01, mode);
  out += outStride;
  merge32(out, s10, mode); merge32(out + 16, s11, mode);
  out += outStride;
  merge32(out, s20, mode); merge32(out + 16, s21, mode);
  out += outStride;
  merge32(out, s30, mode); merge32(out + 16, s31, mode);
}

/** The same four rows by one vector, for the odd block at the diagonal. */
function tile4x1(a: usize, c: usize, end: usize, stride: usize, out: usize, outStride: usize, mode: i32): void {
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
  while (c < end) {
    const column = v128.load(c);
    s0 = multiplyAdd<f32>(s0, v128.load_splat<f32>(a), column);
    s1 = multiplyAdd<f32>(s1, v128.load_splat<f32>(a, 4), column);
    s2 = multiplyAdd<f32>(s2, v128.load_splat<f32>(a, 8), column);
    s3 = multiplyAdd<f32>(s3, v128.load_splat<f32>(a, 12), column);
    a += stride;
    c += stride;
  }
  merge32(out, s0, mode);
  out += outStride;
  merge32(out, s1, mode);
  out += outStride;
  merge32(out, s2, mode);
  out += outStride;
  merge32(out, s3, mode);
}

/**
 * Rows [row, row + 4) of out ∘ PᵀP from the diagonal block rightwards. P has `rows` rows of `stride` bytes,
 * `width` (a multiple of 4) columns count; out has rows of `outStride` bytes.
 */
export function updateFourRows32(
  panel: usize, rows: i32, stride: usize, width: i32, row: i32, out: usize, outStride: usize, mode: i32,
): void {
  const a = panel + (<usize>row << 2);
  const length = <usize>rows * stride;
  let to = out + <usize>row * outStride + (<usize>row << 2);
  let column = row;
  if ((width - row) & 4) {
    const c = panel + (<usize>column << 2);
    tile4x1(a, c, c + length, stride, to, outStride, mode);
    column += 4;
    to += 16;
  }
  for (; column < width; column += 8) {
    const c = panel + (<usize>column << 2);
    tile4x2(a, c, c + length, stride, to, outStride, mode);
    to += 32;
  }
}

/** Upper triangle (by 4 × 4 blocks) of out ∘ PᵀP. rows · width² / 2 multiply-adds. */
export function rankUpdate32(panel: usize, rows: i32, width: i32, out: usize, mode: i32): void {
  const stride = <usize>width << 2;
  for (let row = 0; row < width; row += 4) updateFourRows32(panel, rows, stride, width, row, out, stride, mode);
}
