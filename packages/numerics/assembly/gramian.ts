import { unfoldDiagonal } from './diagonal-f32';
import { rankUpdate32 } from './rank-update-f32';
import { SET } from './tile-f32';

/** Σ of x xᵀ over `rows` contiguous rows, added to the full float64 matrix `out` (upper blocks only). */
export function gramian(matrix: usize, rows: i32, width: i32, out: usize, scratch: usize): void {
  const bytes = <usize>width << 2;
  const most = 128;
  for (let begin = 0; begin < rows; begin += most) {
    rankUpdate32(matrix + <usize>begin * bytes, min(most, rows - begin), width, scratch, SET);
    unfoldDiagonal(scratch, width);
    for (let a = 0; a < width; a++) {
      for (let c = a & ~3; c < width; c += 4) {
        const part = v128.load(scratch + <usize>(a * width + c << 2));
        const to = out + <usize>(a * width + c << 3);
        v128.store(to, f64x2.add(v128.load(to), f64x2.promote_low_f32x4(part)));
        const high = v128.shuffle<f64>(part, part, 1, 1);
        v128.store(to, f64x2.add(v128.load(to, 16), f64x2.promote_low_f32x4(high)), 16);
      }
    }
  }
}
