// Register tiles of the symmetric rank-k update, float32. V8 has 15 vector registers to give: four rows by
// two vectors take 11 of them (12 without fused multiply-add), six by two take all 15 where multiply and add
// are fused. Larger tiles spill, and so do unrolled loops.
//
// The loops step first and test last. A loop that tests first makes V8 compute the place of every splatted
// number again in each turn (it moves nothing out of a body that may be left out), and pointers that are
// used before they are stepped on are copied: 5 instructions of 23.
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

@inline
export function mergePair(to: usize, acc: v128, beside: v128, mode: i32): void {
  if (mode == SET) {
    v128.store(to, acc);
    v128.store(to, beside, 16);
  } else if (mode == ADD) {
    v128.store(to, f32x4.add(v128.load(to), acc));
    v128.store(to, f32x4.add(v128.load(to, 16), beside), 16);
  } else {
    v128.store(to, f32x4.sub(v128.load(to), acc));
    v128.store(to, f32x4.sub(v128.load(to, 16), beside), 16);
  }
}

/**
 * Four rows of a tile; `mode` is to be a constant, so that it is asked for once a tile and not once a vector.
 */
@inline
function mergeRows(
  out: usize, s00: v128, s01: v128, s10: v128, s11: v128, s20: v128, s21: v128, s30: v128, s31: v128, outStride: usize, mode: i32,
): void {
  mergePair(out, s00, s01, mode);
  out += outStride;
  mergePair(out, s10, s11, mode);
  out += outStride;
  mergePair(out, s20, s21, mode);
  out += outStride;
  mergePair(out, s30, s31, mode);
}

/**
 * out[i][0…8) ∘ Σ_k p_k[a + i] p_k[c … c + 8) for i < 4: `a` and `c` point into the first row of the panel,
 * `length` is what its rows take, `out` points at the tile. To be called in a loop over tiles and inlined
 * there: a call takes as long as two rows of the panel, and V8 unrolls by itself what lies within another
 * loop. Behind a test it then leaves loads where they stand; without one it moves them all to the front.
 *
 * Sums that are added begin with their first product, one operation less in 97 with panels of 48 rows. Where
 * all products are −0 such a sum is −0 instead of 0, which makes no difference to what it is added to unless
 * that is −0 too: `out` must not have any. Sums that are set begin with 0, so that it gets none.
 */
@inline
export function tile4x2(a: usize, c: usize, length: usize, stride: usize, out: usize, outStride: usize, mode: i32): void {
  let s00 = f32x4.splat(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00, s30 = s00, s31 = s00;
  let row = a - stride, at = c - stride;
  const end = at + length;
  if (mode == ADD) {
    row = a;
    at = c;
    const c0 = v128.load(at), c1 = v128.load(at, 16);
    let x = v128.load_splat<f32>(row);
    s00 = f32x4.mul(x, c0); s01 = f32x4.mul(x, c1);
    x = v128.load_splat<f32>(row, 4);
    s10 = f32x4.mul(x, c0); s11 = f32x4.mul(x, c1);
    x = v128.load_splat<f32>(row, 8);
    s20 = f32x4.mul(x, c0); s21 = f32x4.mul(x, c1);
    x = v128.load_splat<f32>(row, 12);
    s30 = f32x4.mul(x, c0); s31 = f32x4.mul(x, c1);
  }
  if (at < end) {
    do {
      row += stride;
      at += stride;
      const c0 = v128.load(at), c1 = v128.load(at, 16);
      let x = v128.load_splat<f32>(row);
      s00 = multiplyAdd<f32>(s00, x, c0); s01 = multiplyAdd<f32>(s01, x, c1);
      x = v128.load_splat<f32>(row, 4);
      s10 = multiplyAdd<f32>(s10, x, c0); s11 = multiplyAdd<f32>(s11, x, c1);
      x = v128.load_splat<f32>(row, 8);
      s20 = multiplyAdd<f32>(s20, x, c0); s21 = multiplyAdd<f32>(s21, x, c1);
      x = v128.load_splat<f32>(row, 12);
      s30 = multiplyAdd<f32>(s30, x, c0); s31 = multiplyAdd<f32>(s31, x, c1);
    } while (at < end);
  }
  mergeRows(out, s00, s01, s10, s11, s20, s21, s30, s31, outStride, mode);
}

/**
 * The same for i < 6. Eight sums are what two fused instructions a cycle of four cycles each need at least;
 * twelve keep both units busy.
 */
export function tile6x2(a: usize, c: usize, end: usize, stride: usize, out: usize, outStride: usize, mode: i32): void {
  let s00 = f32x4.splat(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00;
  let s30 = s00, s31 = s00, s40 = s00, s41 = s00, s50 = s00, s51 = s00;
  if (c < end) {
    a -= stride;
    c -= stride;
    end -= stride;
    do {
      a += stride;
      c += stride;
      const c0 = v128.load(c), c1 = v128.load(c, 16);
      let row = v128.load_splat<f32>(a);
      s00 = multiplyAdd<f32>(s00, row, c0); s01 = multiplyAdd<f32>(s01, row, c1);
      row = v128.load_splat<f32>(a, 4);
      s10 = multiplyAdd<f32>(s10, row, c0); s11 = multiplyAdd<f32>(s11, row, c1);
      row = v128.load_splat<f32>(a, 8);
      s20 = multiplyAdd<f32>(s20, row, c0); s21 = multiplyAdd<f32>(s21, row, c1);
      row = v128.load_splat<f32>(a, 12);
      s30 = multiplyAdd<f32>(s30, row, c0); s31 = multiplyAdd<f32>(s31, row, c1);
      row = v128.load_splat<f32>(a, 16);
      s40 = multiplyAdd<f32>(s40, row, c0); s41 = multiplyAdd<f32>(s41, row, c1);
      row = v128.load_splat<f32>(a, 20);
      s50 = multiplyAdd<f32>(s50, row, c0); s51 = multiplyAdd<f32>(s51, row, c1);
    } while (c < end);
  }
  const last = out + (outStride << 2);
  if (mode == ADD) {
    mergeRows(out, s00, s01, s10, s11, s20, s21, s30, s31, outStride, ADD);
    mergePair(last, s40, s41, ADD);
    mergePair(last + outStride, s50, s51, ADD);
  } else {
    mergeRows(out, s00, s01, s10, s11, s20, s21, s30, s31, outStride, mode);
    mergePair(last, s40, s41, mode);
    mergePair(last + outStride, s50, s51, mode);
  }
}

@inline
function mergeFour(out: usize, s0: v128, s1: v128, s2: v128, s3: v128, outStride: usize, mode: i32): void {
  merge32(out, s0, mode);
  out += outStride;
  merge32(out, s1, mode);
  out += outStride;
  merge32(out, s2, mode);
  out += outStride;
  merge32(out, s3, mode);
}

/** One 4 × 4 block on the diagonal. */
export function diagonalBlock32(c: usize, end: usize, stride: usize, out: usize, outStride: usize, mode: i32): void {
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
  if (c < end) {
    c -= stride;
    end -= stride;
    do {
      c += stride;
      const own = v128.load(c);
      s0 = multiplyAdd<f32>(s0, v128.load_splat<f32>(c), own);
      s1 = multiplyAdd<f32>(s1, v128.load_splat<f32>(c, 4), own);
      s2 = multiplyAdd<f32>(s2, v128.load_splat<f32>(c, 8), own);
      s3 = multiplyAdd<f32>(s3, v128.load_splat<f32>(c, 12), own);
    } while (c < end);
  }
  mergeFour(out, s0, s1, s2, s3, outStride, mode);
}
