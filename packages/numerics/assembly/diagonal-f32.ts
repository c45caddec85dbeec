// Blocks of 8 × 8 on the diagonal of a symmetric rank-k update, folded: the 36 products that differ lie in
// ten vectors instead of the twelve of whole rows of four. With x_i … x_{i+3} loaded from any place, and
// single numbers splatted, nine vectors do not suffice; these are ten (pairs that occur twice count once).
import { multiplyAdd } from './lanes';
import { ADD, mergePair, SET } from './tile-f32';

/**
 * Adds up the ten vectors over a panel and merges them into the first five rows of the block at `out`:
 *
 *     0 · 7, 1 · 7, 2 · 7, 3 · 7   0 · 0, 1 · 1, 2 · 2, 3 · 3
 *     4 · 4, 5 · 5, 6 · 6, 7 · 7   0 · 1, 1 · 2, 2 · 3, 3 · 4
 *     0 · 6, 1 · 6, 2 · 6, 3 · 6   3 · 4, 4 · 5, 5 · 6, 6 · 7
 *     0 · 2, 0 · 3, 0 · 4, 0 · 5   2 · 4, 3 · 5, 4 · 6, 5 · 7
 *     1 · 4, 2 · 5, 3 · 6, 4 · 7   1 · 2, 1 · 3, 1 · 4, 1 · 5
 *
 * `c` points at x_0 of the first row of the panel, whose rows take `length`. The test before the loop keeps
 * V8 from loading everything first, and spilling: see `tile4x2`.
 */
export function foldedDiagonal(c: usize, length: usize, stride: usize, out: usize, outStride: usize, mode: i32): void {
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0, s8 = s0, s9 = s0;
  let x = c - stride;
  const end = x + length;
  if (x < end) {
    do {
      x += stride;
      const x0 = v128.load(x);
      s1 = multiplyAdd<f32>(s1, x0, x0);
      s0 = multiplyAdd<f32>(s0, x0, v128.load_splat<f32>(x, 28));
      s4 = multiplyAdd<f32>(s4, x0, v128.load_splat<f32>(x, 24));
      const x1 = v128.load(x, 4);
      s3 = multiplyAdd<f32>(s3, x0, x1);
      const x4 = v128.load(x, 16);
      s8 = multiplyAdd<f32>(s8, x1, x4);
      s2 = multiplyAdd<f32>(s2, x4, x4);
      s5 = multiplyAdd<f32>(s5, x4, v128.load(x, 12));
      const x2 = v128.load(x, 8);
      s7 = multiplyAdd<f32>(s7, x2, x4);
      s6 = multiplyAdd<f32>(s6, x2, v128.load_splat<f32>(x));
      s9 = multiplyAdd<f32>(s9, x2, v128.load_splat<f32>(x, 4));
    } while (x < end);
  }
  if (mode == SET) mergeFolded(out, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, outStride, SET);
  else mergeFolded(out, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, outStride, ADD);
}

@inline
function mergeFolded(
  out: usize, s0: v128, s1: v128, s2: v128, s3: v128, s4: v128, s5: v128, s6: v128, s7: v128, s8: v128, s9: v128, outStride: usize, mode: i32,
): void {
  mergePair(out, s0, s1, mode);
  out += outStride;
  mergePair(out, s2, s3, mode);
  out += outStride;
  mergePair(out, s4, s5, mode);
  out += outStride;
  mergePair(out, s6, s7, mode);
  out += outStride;
  mergePair(out, s8, s9, mode);
}

/** The upper triangle, by 4 × 4 blocks, of a matrix whose blocks on the diagonal are folded. */
export function unfoldDiagonal(matrix: usize, width: i32): void {
  const stride = <usize>width << 2;
  for (let row = width & 4; row < width; row += 8) {
    const r0 = matrix + <usize>row * (stride + 4), r1 = r0 + stride, r2 = r1 + stride, r3 = r2 + stride, r4 = r3 + stride;
    const s0 = v128.load(r0), s1 = v128.load(r0, 16), s2 = v128.load(r1), s3 = v128.load(r1, 16), s4 = v128.load(r2);
    const s5 = v128.load(r2, 16), s6 = v128.load(r3), s7 = v128.load(r3, 16), s8 = v128.load(r4), s9 = v128.load(r4, 16);
    // 0 · 0, 0 · 1, 1 · 1, 1 · 2 and so on: pairs of neighbours, of which rows of blocks are made.
    const near0 = v128.shuffle<f32>(s1, s3, 0, 4, 1, 5), near2 = v128.shuffle<f32>(s1, s3, 2, 6, 3, 7);
    const near4 = v128.shuffle<f32>(s2, s5, 0, 5, 1, 6), near6 = v128.shuffle<f32>(s2, s5, 2, 7, 3, 7);
    const last0 = v128.shuffle<f32>(s4, s0, 0, 4, 1, 5), last2 = v128.shuffle<f32>(s4, s0, 2, 6, 3, 7);
    v128.store(r0, v128.shuffle<f32>(near0, s6, 0, 1, 4, 5));
    v128.store(r0, v128.shuffle<f32>(s6, last0, 2, 3, 4, 5), 16);
    v128.store(r1, v128.shuffle<f32>(near0, s9, 1, 2, 3, 5));
    v128.store(r1, v128.shuffle<f32>(s9, last0, 2, 3, 6, 7), 16);
    v128.store(r2, v128.shuffle<f32>(v128.shuffle<f32>(s6, s9, 0, 4, 0, 4), near2, 0, 1, 4, 5));
    v128.store(r2, v128.shuffle<f32>(v128.shuffle<f32>(s7, s8, 0, 5, 0, 5), last2, 0, 1, 4, 5), 16);
    v128.store(r3, v128.shuffle<f32>(v128.shuffle<f32>(s6, s9, 1, 5, 1, 5), near2, 0, 1, 5, 6));
    v128.store(r3, v128.shuffle<f32>(v128.shuffle<f32>(s5, s7, 0, 5, 0, 5), last2, 0, 1, 6, 7), 16);
    const far4 = v128.shuffle<f32>(s7, s8, 2, 7, 3, 3);
    v128.store(r4, v128.shuffle<f32>(near4, far4, 0, 1, 4, 5), 16);
    const r5 = r4 + stride, r6 = r5 + stride, r7 = r6 + stride;
    v128.store(r5, v128.shuffle<f32>(near4, far4, 1, 2, 3, 6), 16);
    v128.store(r6, v128.shuffle<f32>(v128.shuffle<f32>(far4, near4, 0, 7, 0, 7), near6, 0, 1, 4, 5), 16);
    v128.store(r7, v128.shuffle<f32>(v128.shuffle<f32>(far4, near6, 1, 2, 1, 2), near6, 0, 1, 5, 6), 16);
  }
}

/** The way back, for a matrix that is to be added to. */
export function foldDiagonal(matrix: usize, width: i32): void {
  const stride = <usize>width << 2;
  for (let row = width & 4; row < width; row += 8) {
    const r0 = matrix + <usize>row * (stride + 4), r1 = r0 + stride, r2 = r1 + stride, r3 = r2 + stride, r4 = r3 + stride;
    const r5 = r4 + stride, r6 = r5 + stride, r7 = r6 + stride;
    const s0 = fourOf(r0, r1, r2, r3, 28, 28, 28, 28), s1 = fourOf(r0, r1, r2, r3, 0, 4, 8, 12);
    const s2 = fourOf(r4, r5, r6, r7, 16, 20, 24, 28), s3 = fourOf(r0, r1, r2, r3, 4, 8, 12, 16);
    const s4 = fourOf(r0, r1, r2, r3, 24, 24, 24, 24), s5 = fourOf(r3, r4, r5, r6, 16, 20, 24, 28);
    const s6 = v128.load(r0, 8), s7 = fourOf(r2, r3, r4, r5, 16, 20, 24, 28);
    const s8 = fourOf(r1, r2, r3, r4, 16, 20, 24, 28), s9 = v128.load(r1, 8);
    v128.store(r0, s0); v128.store(r0, s1, 16);
    v128.store(r1, s2); v128.store(r1, s3, 16);
    v128.store(r2, s4); v128.store(r2, s5, 16);
    v128.store(r3, s6); v128.store(r3, s7, 16);
    v128.store(r4, s8); v128.store(r4, s9, 16);
  }
}

@inline
function fourOf(a: usize, b: usize, c: usize, d: usize, ofA: usize, ofB: usize, ofC: usize, ofD: usize): v128 {
  return f32x4(load<f32>(a + ofA), load<f32>(b + ofB), load<f32>(c + ofC), load<f32>(d + ofD));
}
