import { foldedDiagonal } from './diagonal-f32';
import { ADD, diagonalBlock32, SET, tile4x2, tile6x2 } from './tile-f32';

/** `rows` rows, a multiple of 4, of a strip of eight columns. */
function setStrip(rows: i32, a: usize, c: usize, length: usize, stride: usize, to: usize): void {
  do {
    tile4x2(a, c, length, stride, to, stride, SET);
    a += 16;
    to += 4 * stride;
    rows -= 4;
  } while (rows > 0);
}

/** The same, added to what is there. */
function addStrip(rows: i32, a: usize, c: usize, length: usize, stride: usize, to: usize): void {
  do {
    tile4x2(a, c, length, stride, to, stride, ADD);
    a += 16;
    to += 4 * stride;
    rows -= 4;
  } while (rows > 0);
}

/**
 * Upper triangle of out ∘ PᵀP for a panel P, rows · width² / 2 multiply-adds, by strips of eight columns down
 * to the diagonal. The blocks of 8 × 8 there are folded: `unfoldDiagonal` is for after the last panel. Where
 * `width` is not a multiple of 8 the first block has four columns, and is not folded.
 */
export function rankUpdate32(panel: usize, rows: i32, width: i32, out: usize, mode: i32): void {
  const stride = <usize>width << 2;
  const length = <usize>rows * stride;
  const first = width & 4;
  if (first != 0) diagonalBlock32(panel, panel + length, stride, out, stride, mode);
  for (let column = first; column < width; column += 8) {
    const c = panel + (<usize>column << 2);
    let a = panel, to = out + (<usize>column << 2);
    let left = column;
    if (ASC_FEATURE_RELAXED_SIMD) {
      for (; left > 8 || left == 6; left -= 6) {
        tile6x2(a, c, c + length, stride, to, stride, mode);
        a += 24;
        to += 6 * stride;
      }
    }
    if (left > 0) {
      if (mode == SET) setStrip(left, a, c, length, stride, to);
      else addStrip(left, a, c, length, stride, to);
    }
    foldedDiagonal(c, length, stride, out + <usize>column * (stride + 4), stride, mode);
  }
}
