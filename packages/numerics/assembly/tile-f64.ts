// The float64 twin of tile-f32.ts: four rows by two vectors of two.
import { multiplyAdd } from './lanes';
import { ADD, SET } from './tile-f32';

@inline
function merge64(to: usize, acc: v128, mode: i32): void {
  if (mode == SET) v128.store(to, acc);
  else if (mode == ADD) v128.store(to, f64x2.add(v128.load(to), acc));
  else v128.store(to, f64x2.sub(v128.load(to), acc));
}

/** out[i][0…4) ∘ Σ_k p_k[a + i] p_k[c … c + 4) for i < 4. */
function tile4x2(a: usize, c: usize, end: usize, stride: usize, out: usize, outStride: usize, mode: i32): void {
  let s00 = f64x2.splat(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00, s30 = s00, s31 = s00;
  if (c < end) {
    a -= stride;
    c -= stride;
    end -= stride;
    do {
      a += stride;
      c += stride;
      const c0 = v128.load(c), c1 = v128.load(c, 16);
      let row = v128.load_splat<f64>(a);
      s00 = multiplyAdd<f64>(s00, row, c0); s01 = multiplyAdd<f64>(s01, row, c1);
      row = v128.load_splat<f64>(a, 8);
      s10 = multiplyAdd<f64>(s10, row, c0); s11 = multiplyAdd<f64>(s11, row, c1);
      row = v128.load_splat<f64>(a, 16);
      s20 = multiplyAdd<f64>(s20, row, c0); s21 = multiplyAdd<f64>(s21, row, c1);
      row = v128.load_splat<f64>(a, 24);
      s30 = multiplyAdd<f64>(s30, row, c0); s31 = multiplyAdd<f64>(s31, row, c1);
    } while (c < end);
  }
  merge64(out, s00, mode); merge64(out + 16, s01, mode);
  out += outStride;
  merge64(out, s10, mode); merge64(out + 16, s11, mode);
  out += outStride;
  merge64(out, s20, mode); merge64(out + 16, s21, mode);
  out += outStride;
  merge64(out, s30, mode); merge64(out + 16, s31, mode);
}

/** Rows [row, row + 4) of out ∘ PᵀP from the diagonal block rightwards; `width` a multiple of 4. */
export function updateFourRows64(
  panel: usize, rows: i32, stride: usize, width: i32, row: i32, out: usize, outStride: usize, mode: i32,
): void {
  const a = panel + (<usize>row << 3);
  const length = <usize>rows * stride;
  let to = out + <usize>row * outStride + (<usize>row << 3);
  for (let column = row; column < width; column += 4) {
    const c = panel + (<usize>column << 3);
    tile4x2(a, c, c + length, stride, to, outStride, mode);
    to += 32;
  }
}

/** Upper triangle (by 4 × 4 blocks) of out ∘ PᵀP. */
export function rankUpdate64(panel: usize, rows: i32, width: i32, out: usize, mode: i32): void {
  const stride = <usize>width << 3;
  for (let row = 0; row < width; row += 4) updateFourRows64(panel, rows, stride, width, row, out, stride, mode);
}
