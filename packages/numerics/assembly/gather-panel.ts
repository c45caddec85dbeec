// What a row's ratings contribute to its normal equations, a panel of them at a time. The rows are scaled and
// written one after the other, and a right-hand side is summed from the panel with its numbers in registers:
// both in one loop need more registers than there are. Loops test last: see tile-f32.ts.
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

/** Row k of the panel is roots_k x_k. */
export function gatherPanel(fixed: usize, width: i32, count: i32, indices: usize, roots: usize, panel: usize): void {
  const bytes = <usize>width << 2, lines = bytes & ~63;
  const last = indices + (<usize>count << 2);
  do {
    const root = v128.load_splat<f32>(roots);
    let from = fixed + <usize>load<u32>(indices) * bytes;
    const end = from + bytes;
    if (lines != 0) {
      const lastLine = from + lines;
      do {
        v128.store(panel, f32x4.mul(v128.load(from), root));
        v128.store(panel, f32x4.mul(v128.load(from, 16), root), 16);
        v128.store(panel, f32x4.mul(v128.load(from, 32), root), 32);
        v128.store(panel, f32x4.mul(v128.load(from, 48), root), 48);
        panel += 64;
        from += 64;
      } while (from < lastLine);
    }
    for (; from < end; from += 16) {
      v128.store(panel, f32x4.mul(v128.load(from), root));
      panel += 16;
    }
    indices += 4;
    roots += 4;
  } while (indices < last);
}

/** vector += Σ_k factors_k p_k over the rows of a panel, one after the other. */
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
