// Bounds on scores from 16-bit integers. A row x is stored as s·q with whole q of at most `most` in absolute
// value, an item v likewise; one instruction then multiplies eight pairs and adds them two by two, twice what
// float32 does. With L = Σ|q| of either,
//
//   x·v ≤ s_x s_v (q_x·q_v + ½L_x + ½L_v + ¼d),
//
// each entry being off by at most half a step. Scores are float32 sums, which add (d + 2)·2⁻²⁴·Σ|x_c
// v_c| ≤ (d + 2)·2⁻²⁴·s_x s_v·most·L_x, and the bound itself is computed in float32. All of it is in the two
// guards, g_x + g_v, that are added to q_x·q_v: no item above the bound's threshold is missed, and a few
// below it are looked at in vain.

/** Entries in steps: d · most² ≤ 2^30, so that sums of products and guards stay below 2^31. */
@inline
export function mostSteps(width: i32): f32 {
  return min<f32>(32767, floor<f32>(sqrt<f32>(<f32>(1 << 30) / <f32>width)));
}

/** A step is this many times the largest entry over `most`, above what rounding to the nearest may take. */
const HALF_STEP: f32 = 0.52;
/** Covers ¼d, and float32 rounding of the bound: relative 2^-20 of sums below 2^30. */
@inline
function slack(width: i32): f32 {
  return <f32>(width + 2048);
}
/** Sizes outside of this range do not go into 16 bits: the product of two steps could overflow or vanish. */
const SMALLEST: f32 = 1e-12, LARGEST: f32 = 1e15;

@inline
function quantize(x: v128, factor: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(x, factor)));
}

/**
 * Panels of eight items (see `packItems`) as pairs of 16-bit steps: quantized[p][dimension / 2][8][2].
 * `limits` gets a panel's 24 numbers: guards (i32), steps, and biases with `margin` added. An item that does
 * not fit has bias +∞: it is always looked at.
 */
export function quantizeItems(panels: usize, panelCount: i32, width: i32, bias: usize, margin: f32, quantized: usize, limits: usize): void {
  const most = f32x4.splat(mostSteps(width));
  const mask = i32x4.splat(0xffff);
  const bytes = <usize>width << 5;
  for (let p = 0; p < panelCount; p++) {
    for (let half: usize = 0; half < 32; half += 16) {
      const from = panels + half, end = from + bytes;
      let largest = f32x4.splat(0);
      // `max` passes NaN on, and what is not in range is set aside.
      for (let v = from; v < end; v += 32) largest = f32x4.max(largest, f32x4.abs(v128.load(v)));
      const zero = f32x4.eq(largest, f32x4.splat(0));
      const fits = v128.or(zero, v128.and(f32x4.ge(largest, f32x4.splat(SMALLEST)), f32x4.le(largest, f32x4.splat(LARGEST))));
      const safe = v128.bitselect(v128.bitselect(f32x4.splat(SMALLEST), largest, zero), f32x4.splat(1), fits);
      const factor = v128.and(f32x4.div(most, safe), fits);
      let sum = i32x4.splat(0);
      let to = quantized + half;
      for (let v = from; v < end; v += 64) {
        const a = quantize(v128.load(v), factor), b = quantize(v128.load(v, 32), factor);
        sum = i32x4.add(sum, i32x4.add(i32x4.abs(a), i32x4.abs(b)));
        v128.store(to, v128.or(v128.and(a, mask), i32x4.shl(b, 16)));
        to += 32;
      }
      const guard = f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(sum), f32x4.splat(HALF_STEP)), f32x4.splat(slack(width)));
      v128.store(limits + half, i32x4.trunc_sat_f32x4_s(f32x4.ceil(guard)));
      v128.store(limits + half, f32x4.div(safe, most), 32);
      const own = f32x4.add(v128.load(bias + half), f32x4.splat(margin));
      v128.store(limits + half, v128.bitselect(own, f32x4.splat(Infinity), fits), 64);
    }
    panels += bytes;
    quantized += bytes >> 1;
    limits += 96;
    bias += 32;
  }
}

/**
 * Four rows as pairs of 16-bit steps: to[dimension / 2][4][2], then their guards (4 i32) and their steps (4
 * f32). A row that does not fit has an infinite step: all its items are looked at.
 */
export function quantizeRows(rows: usize, width: i32, to: usize): void {
  const most = mostSteps(width);
  const bytes = <usize>width << 2;
  const guards = to + (bytes << 1);
  for (let r: usize = 0; r < 4; r++) {
    const row = rows + r * bytes;
    let four = f32x4.splat(0);
    for (let c: usize = 0; c < bytes; c += 16) four = f32x4.max(four, f32x4.abs(v128.load(row + c)));
    const largest = max(
      max(f32x4.extract_lane(four, 0), f32x4.extract_lane(four, 1)), max(f32x4.extract_lane(four, 2), f32x4.extract_lane(four, 3)));
    const fits = largest == 0 || (largest >= SMALLEST && largest <= LARGEST);
    const factor = f32x4.splat(fits && largest > 0 ? most / largest : 0);
    let sum = i32x4.splat(0);
    let at = to + (r << 2);
    for (let c: usize = 0; c < bytes; c += 16) {
      const q = fits ? quantize(v128.load(row + c), factor) : i32x4.splat(0);
      sum = i32x4.add(sum, i32x4.abs(q));
      store<u32>(at, (i32x4.extract_lane(q, 0) & 0xffff) | (i32x4.extract_lane(q, 1) << 16));
      store<u32>(at, (i32x4.extract_lane(q, 2) & 0xffff) | (i32x4.extract_lane(q, 3) << 16), 16);
      at += 32;
    }
    const length = <f32>(i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3));
    const sums = <f32>(width + 2) * most * <f32>1.1920929e-7; // (d + 2) · most · 2^-23
    store<i32>(guards + (r << 2), <i32>ceil<f32>(length * (HALF_STEP + sums)) + 1);
    store<f32>(guards + (r << 2), fits ? largest / most : Infinity, 16);
  }
}
