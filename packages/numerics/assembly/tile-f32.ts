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
function mergePair(to: usize, acc: v128, beside: v128, mode: i32): void {
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
 * out[i][0…8) ∘ Σ_k p_k[a + i] p_k[c … c + 8) for i < 4: `a` and `c` point into the first panel row, `end`
 * is where `c` would be after the last, `out` points at the tile.
 */
function tile4x2(a: usize, c: usize, end: usize, stride: usize, out: usize, outStride: usize, mode: i32): void {
  let s00 = f32x4.splat(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00, s30 = s00, s31 = s00;
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
    } while (c < end);
  }
  if (mode == ADD) mergeRows(out, s00, s01, s10, s11, s20, s21, s30, s31, outStride, ADD);
  else if (mode == SET) mergeRows(out, s00, s01, s10, s11, s20, s21, s30, s31, outStride, SET);
  else mergeRows(out, s00, s01, s10, s11, s20, s21, s30, s31, outStride, SUBTRACT);
}

/**
 * The same for i < 6. Eight sums are what two fused instructions a cycle of four cycles each need at least;
 * twelve keep both units busy.
 */
function tile6x2(a: usize, c: usize, end: usize, stride: usize, out: usize, outStride: usize, mode: i32): void {
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

/**
 * Two 4 × 4 blocks on the diagonal, of the columns from `a` and from `c` on: one alone leaves half of the
 * units idle.
 */
function diagonalPair32(
  a: usize, c: usize, end: usize, stride: usize, outA: usize, outC: usize, outStride: usize, mode: i32,
): void {
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
  if (c < end) {
    a -= stride;
    c -= stride;
    end -= stride;
    do {
      a += stride;
      c += stride;
      const own = v128.load(a);
      s0 = multiplyAdd<f32>(s0, v128.load_splat<f32>(a), own);
      s1 = multiplyAdd<f32>(s1, v128.load_splat<f32>(a, 4), own);
      s2 = multiplyAdd<f32>(s2, v128.load_splat<f32>(a, 8), own);
      s3 = multiplyAdd<f32>(s3, v128.load_splat<f32>(a, 12), own);
      const other = v128.load(c);
      t0 = multiplyAdd<f32>(t0, v128.load_splat<f32>(c), other);
      t1 = multiplyAdd<f32>(t1, v128.load_splat<f32>(c, 4), other);
      t2 = multiplyAdd<f32>(t2, v128.load_splat<f32>(c, 8), other);
      t3 = multiplyAdd<f32>(t3, v128.load_splat<f32>(c, 12), other);
    } while (c < end);
  }
  mergeFour(outA, s0, s1, s2, s3, outStride, mode);
  mergeFour(outC, t0, t1, t2, t3, outStride, mode);
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
function diagonalBlock32(c: usize, end: usize, stride: usize, out: usize, outStride: usize, mode: i32): void {
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
    diagonalBlock32(a, a + length, stride, to, outStride, mode);
    column += 4;
    to += 16;
  }
  for (; column < width; column += 8) {
    const c = panel + (<usize>column << 2);
    tile4x2(a, c, c + length, stride, to, outStride, mode);
    to += 32;
  }
}

/**
 * Upper triangle (by 4 × 4 blocks) of out ∘ PᵀP, rows · width² / 2 multiply-adds. By strips of eight columns
 * down to the last block on the diagonal, which goes together with that of the strip before; where `width` is
 * not a multiple of 8, the first four columns are the half of a strip that has such a block only.
 */
export function rankUpdate32(panel: usize, rows: i32, width: i32, out: usize, mode: i32): void {
  const stride = <usize>width << 2;
  const length = <usize>rows * stride;
  /** First column of a block on the diagonal that waits for another; −1 for none. */
  let waiting = -1;
  for (let column = -(width & 4); column < width; column += 8) {
    const c = panel + (<usize>column << 2);
    let a = panel, to = out + (<usize>column << 2);
    let left = column + 4;
    if (ASC_FEATURE_RELAXED_SIMD) {
      for (; left > 8 || left == 6; left -= 6) {
        tile6x2(a, c, c + length, stride, to, stride, mode);
        a += 24;
        to += 6 * stride;
      }
    }
    for (; left > 0; left -= 4) {
      tile4x2(a, c, c + length, stride, to, stride, mode);
      a += 16;
      to += 4 * stride;
    }
    const block = column + 4;
    if (waiting < 0) waiting = block;
    else {
      const first = panel + (<usize>waiting << 2), second = panel + (<usize>block << 2);
      diagonalPair32(
        first, second, second + length, stride, out + <usize>(waiting * (width + 1) << 2), out + <usize>(block * (width + 1) << 2), stride, mode);
      waiting = -1;
    }
  }
  if (waiting >= 0) {
    const last = panel + (<usize>waiting << 2);
    diagonalBlock32(last, last + length, stride, out + <usize>(waiting * (width + 1) << 2), stride, mode);
  }
}
