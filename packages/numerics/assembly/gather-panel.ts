// What a row's ratings contribute to its normal equations, a panel of them at a time. Rows are scaled,
// written and summed into the right-hand side in one loop, four of them beside each other: what is waited for
// while they come from the caches is spent on sums, and the right-hand side is loaded and stored once for
// four rows. (With its sums in registers a row would have to be visited several times.) Loops test last: see
// tile-f32.ts.
import { multiplyAdd } from './lanes';

/** Ratings of the largest panel. */
const MOST_ROWS: i32 = 128;
/** Bytes of a number for each of them; whole vectors are written. */
export const FACTOR_BYTES: usize = MOST_ROWS * 4;

/**
 * Ratings gathered before the tile runs; a panel then stays in the first-level cache together with the tile's
 * rows.
 */
@inline
export function panelRows(width: i32): i32 {
  return max(32, min(MOST_ROWS, 6144 / width));
}

/** roots_k = √w_k, or 1 without weights. Up to three numbers after the last weight are read, and not used. */
export function rootsOf(weights: usize, count: i32, roots: usize): void {
  const end = roots + (<usize>count << 2);
  for (; roots < end; roots += 16) {
    v128.store(roots, weights == 0 ? f32x4.splat(1) : f32x4.sqrt(v128.load(weights)));
    if (weights != 0) weights += 16;
  }
}

/** products_k = roots_k y_k. */
export function timesTargets(roots: usize, targets: usize, count: i32, products: usize): void {
  const end = roots + (<usize>count << 2);
  for (; roots < end; roots += 16) {
    v128.store(products, f32x4.mul(v128.load(roots), v128.load(targets)));
    targets += 16;
    products += 16;
  }
}

/**
 * Row k of the panel is roots_k x_k, and vector += Σ_k products_k roots_k x_k, one row after the other. Two
 * vectors of four rows take all registers, and both are of one cache line, which stores want.
 */
export function gatherPanel(
  fixed: usize, width: i32, count: i32, indices: usize, roots: usize, products: usize, panel: usize, vector: usize,
): void {
  const bytes = <usize>width << 2, pairs = bytes & ~31;
  const fours = pairs == 0 ? 0 : count & ~3;
  let t0 = panel;
  for (let at: usize = 0; at < <usize>fours << 2; at += 16) {
    const i = indices + at, r = roots + at, y = products + at;
    const r0 = v128.load_splat<f32>(r), r1 = v128.load_splat<f32>(r, 4), r2 = v128.load_splat<f32>(r, 8), r3 = v128.load_splat<f32>(r, 12);
    const y0 = v128.load_splat<f32>(y), y1 = v128.load_splat<f32>(y, 4), y2 = v128.load_splat<f32>(y, 8), y3 = v128.load_splat<f32>(y, 12);
    const f0 = fixed + <usize>load<u32>(i) * bytes, f1 = fixed + <usize>load<u32>(i, 4) * bytes;
    const f2 = fixed + <usize>load<u32>(i, 8) * bytes, f3 = fixed + <usize>load<u32>(i, 12) * bytes;
    const t1 = t0 + bytes, t2 = t1 + bytes, t3 = t2 + bytes;
    let c: usize = 0;
    do {
      let s0 = v128.load(vector + c), s1 = v128.load(vector + c, 16);
      let x0 = f32x4.mul(v128.load(f0 + c), r0), x1 = f32x4.mul(v128.load(f0 + c, 16), r0);
      v128.store(t0 + c, x0); v128.store(t0 + c, x1, 16);
      s0 = multiplyAdd<f32>(s0, x0, y0); s1 = multiplyAdd<f32>(s1, x1, y0);
      x0 = f32x4.mul(v128.load(f1 + c), r1); x1 = f32x4.mul(v128.load(f1 + c, 16), r1);
      v128.store(t1 + c, x0); v128.store(t1 + c, x1, 16);
      s0 = multiplyAdd<f32>(s0, x0, y1); s1 = multiplyAdd<f32>(s1, x1, y1);
      x0 = f32x4.mul(v128.load(f2 + c), r2); x1 = f32x4.mul(v128.load(f2 + c, 16), r2);
      v128.store(t2 + c, x0); v128.store(t2 + c, x1, 16);
      s0 = multiplyAdd<f32>(s0, x0, y2); s1 = multiplyAdd<f32>(s1, x1, y2);
      x0 = f32x4.mul(v128.load(f3 + c), r3); x1 = f32x4.mul(v128.load(f3 + c, 16), r3);
      v128.store(t3 + c, x0); v128.store(t3 + c, x1, 16);
      s0 = multiplyAdd<f32>(s0, x0, y3); s1 = multiplyAdd<f32>(s1, x1, y3);
      v128.store(vector + c, s0); v128.store(vector + c, s1, 16);
      c += 32;
    } while (c < pairs);
    t0 = t3 + bytes;
  }
  // What is left: a last vector without another beside it, and rows after the last four.
  for (let k = pairs < bytes ? 0 : fours; k < count; k++) {
    const at = <usize>k << 2;
    const from = fixed + <usize>load<u32>(indices + at) * bytes;
    gatherRow(from, k < fours ? pairs : 0, bytes, v128.load_splat<f32>(roots + at), v128.load_splat<f32>(products + at), panel + <usize>k * bytes, vector);
  }
}

/** The same for bytes `begin` to `end` of one row. */
function gatherRow(from: usize, begin: usize, end: usize, root: v128, product: v128, to: usize, vector: usize): void {
  do {
    const x = f32x4.mul(v128.load(from + begin), root);
    v128.store(to + begin, x);
    v128.store(vector + begin, multiplyAdd<f32>(v128.load(vector + begin), x, product));
    begin += 16;
  } while (begin < end);
}

/** vector += Σ_k factors_k p_k over the rows of a panel, one after the other: a second right-hand side. */
export function addRows(panel: usize, width: i32, count: i32, factors: usize, vector: usize): void {
  const stride = <usize>width << 2;
  const end = vector + stride, last = factors + (<usize>count << 2);
  for (; vector + 112 < end; vector += 128) {
    addStripOfEight(panel, stride, factors, last, vector);
    panel += 128;
  }
  if (vector + 16 < end) {
    do {
      let s0 = v128.load(vector), s1 = v128.load(vector, 16), at = panel, k = factors;
      do {
        const factor = v128.load_splat<f32>(k);
        s0 = multiplyAdd<f32>(s0, v128.load(at), factor);
        s1 = multiplyAdd<f32>(s1, v128.load(at, 16), factor);
        at += stride;
        k += 4;
      } while (k < last);
      v128.store(vector, s0); v128.store(vector, s1, 16);
      panel += 32;
      vector += 32;
    } while (vector + 16 < end);
  }
  if (vector < end) {
    let sum = v128.load(vector), at = panel, k = factors;
    do {
      sum = multiplyAdd<f32>(sum, v128.load(at), v128.load_splat<f32>(k));
      at += stride;
      k += 4;
    } while (k < last);
    v128.store(vector, sum);
  }
}

/** The same for eight vectors' width, sums of which keep the units busy. */
function addStripOfEight(panel: usize, stride: usize, factors: usize, last: usize, vector: usize): void {
  let s0 = v128.load(vector), s1 = v128.load(vector, 16), s2 = v128.load(vector, 32), s3 = v128.load(vector, 48);
  let s4 = v128.load(vector, 64), s5 = v128.load(vector, 80), s6 = v128.load(vector, 96), s7 = v128.load(vector, 112);
  do {
    const factor = v128.load_splat<f32>(factors);
    s0 = multiplyAdd<f32>(s0, v128.load(panel), factor);
    s1 = multiplyAdd<f32>(s1, v128.load(panel, 16), factor);
    s2 = multiplyAdd<f32>(s2, v128.load(panel, 32), factor);
    s3 = multiplyAdd<f32>(s3, v128.load(panel, 48), factor);
    s4 = multiplyAdd<f32>(s4, v128.load(panel, 64), factor);
    s5 = multiplyAdd<f32>(s5, v128.load(panel, 80), factor);
    s6 = multiplyAdd<f32>(s6, v128.load(panel, 96), factor);
    s7 = multiplyAdd<f32>(s7, v128.load(panel, 112), factor);
    panel += stride;
    factors += 4;
  } while (factors < last);
  v128.store(vector, s0); v128.store(vector, s1, 16); v128.store(vector, s2, 32); v128.store(vector, s3, 48);
  v128.store(vector, s4, 64); v128.store(vector, s5, 80); v128.store(vector, s6, 96); v128.store(vector, s7, 112);
}
