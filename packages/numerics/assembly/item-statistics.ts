import { touchRows } from './touch-rows';

// Exact integer sums Σ x xᵀ and Σ t x. Rounded vectors fit 16-bit lanes, so that one instruction multiplies
// eight pairs and adds them two by two: twice the rate of float32, four times that of float64, and exact.
// Where 16 bits do not suffice (root weights above 1 with many bits) a float64 path gives the same integers.

/** Pairs of ratings in a panel: 64 · (d + 4) · 4 bytes stay in the first-level cache up to d = 128 or so. */
const PANEL_PAIRS: i32 = 64;
const LARGEST_LANE: i32 = 32767;
/** A target is split as t = high · 2^11 + low with 0 ≤ low < 2^11, two more columns of the panel. */
const LOW_BITS: i32 = 11;

/** acc[0…4) += the four 32-bit sums in `sums`, as float64. */
@inline
function widen(to: usize, sums: v128): void {
  v128.store(to, f64x2.add(v128.load(to), f64x2.convert_low_i32x4_s(sums)));
  const high = v128.shuffle<i64>(sums, sums, 1, 1);
  v128.store(to, f64x2.add(v128.load(to, 16), f64x2.convert_low_i32x4_s(high)), 16);
}

/**
 * Four rows by eight columns over pairs [a, …): sums are widened every `batch` pairs, before 32 bits could
 * overflow. Loops step first and test last, for the reason in tile-f32.ts.
 */
function tile4x2(a: usize, c: usize, end: usize, stride: usize, batch: usize, out: usize, outStride: usize): void {
  while (c < end) {
    const stop = min(end, c + batch) - stride;
    a -= stride;
    c -= stride;
    let s00 = i32x4.splat(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00, s30 = s00, s31 = s00;
    do {
      a += stride;
      c += stride;
      const c0 = v128.load(c), c1 = v128.load(c, 16);
      let row = v128.load_splat<i32>(a);
      s00 = i32x4.add(s00, i32x4.dot_i16x8_s(row, c0)); s01 = i32x4.add(s01, i32x4.dot_i16x8_s(row, c1));
      row = v128.load_splat<i32>(a, 4);
      s10 = i32x4.add(s10, i32x4.dot_i16x8_s(row, c0)); s11 = i32x4.add(s11, i32x4.dot_i16x8_s(row, c1));
      row = v128.load_splat<i32>(a, 8);
      s20 = i32x4.add(s20, i32x4.dot_i16x8_s(row, c0)); s21 = i32x4.add(s21, i32x4.dot_i16x8_s(row, c1));
      row = v128.load_splat<i32>(a, 12);
      s30 = i32x4.add(s30, i32x4.dot_i16x8_s(row, c0)); s31 = i32x4.add(s31, i32x4.dot_i16x8_s(row, c1));
    } while (c < stop);
    a += stride;
    c += stride;
    let to = out;
    widen(to, s00); widen(to + 32, s01);
    to += outStride;
    widen(to, s10); widen(to + 32, s11);
    to += outStride;
    widen(to, s20); widen(to + 32, s21);
    to += outStride;
    widen(to, s30); widen(to + 32, s31);
  }
}

function tile4x1(a: usize, c: usize, end: usize, stride: usize, batch: usize, out: usize, outStride: usize): void {
  while (c < end) {
    const stop = min(end, c + batch) - stride;
    a -= stride;
    c -= stride;
    let s0 = i32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    do {
      a += stride;
      c += stride;
      const column = v128.load(c);
      s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load_splat<i32>(a), column));
      s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load_splat<i32>(a, 4), column));
      s2 = i32x4.add(s2, i32x4.dot_i16x8_s(v128.load_splat<i32>(a, 8), column));
      s3 = i32x4.add(s3, i32x4.dot_i16x8_s(v128.load_splat<i32>(a, 12), column));
    } while (c < stop);
    a += stride;
    c += stride;
    let to = out;
    widen(to, s0);
    to += outStride;
    widen(to, s1);
    to += outStride;
    widen(to, s2);
    to += outStride;
    widen(to, s3);
  }
}

/**
 * out (rows × columns, float64) += panelᵀ panel on and right of the diagonal blocks; from `firstColumn` on
 * only.
 */
function accumulate(panel: usize, pairs: i32, rows: i32, columns: i32, firstColumn: i32, largest: i32, out: usize): void {
  const stride = <usize>columns << 2;
  const outStride = <usize>columns << 3;
  // |Σ over b pairs| ≤ b · 2 · largest² ≤ 2^31 − 1.
  const pairsPerBatch = max(1, <i32>(<i64>0x7fffffff / (2 * <i64>largest * <i64>largest)));
  const batch = <usize>min(pairsPerBatch, pairs) * stride;
  const length = <usize>pairs * stride;
  for (let row = 0; row < rows; row += 4) {
    const a = panel + (<usize>row << 2);
    let column = max(row, firstColumn);
    let to = out + <usize>row * outStride + (<usize>column << 3);
    if ((columns - column) & 4) {
      const c = panel + (<usize>column << 2);
      tile4x1(a, c, c + length, stride, batch, to, outStride);
      column += 4;
      to += 32;
    }
    for (; column < columns; column += 8) {
      const c = panel + (<usize>column << 2);
      tile4x2(a, c, c + length, stride, batch, to, outStride);
      to += 64;
    }
  }
}

/**
 * Interleaves the rounded vectors of two ratings, x in the low and z in the high half of each lane; returns
 * the largest |·|.
 */
@inline
function packPair(x: usize, z: usize, wx: v128, wz: v128, width: i32, to: usize, largest: v128): v128 {
  const mask = i32x4.splat(0xffff);
  const bytes = <usize>width << 2;
  for (let c: usize = 0; c < bytes; c += 16) {
    const xi = i32x4.trunc_sat_f32x4_s(f32x4.mul(v128.load(x + c), wx));
    const zi = i32x4.trunc_sat_f32x4_s(f32x4.mul(v128.load(z + c), wz));
    largest = i32x4.max_s(largest, i32x4.max_s(i32x4.abs(xi), i32x4.abs(zi)));
    v128.store(to + c, v128.or(v128.and(xi, mask), i32x4.shl(zi, 16)));
  }
  return largest;
}

/** One panel in float64: out += Σ x xᵀ, Σ t x, one rating at a time. */
function accumulateWide(
  users: usize, width: i32, count: i32, indices: usize, roots: usize, targets: usize, targetScale: f32,
  columns: i32, targetColumn: i32, matrices: bool, out: usize, scratch: usize,
): void {
  for (let k = 0; k < count; k++) {
    const at = <usize>k << 2;
    const from = users + <usize>load<u32>(indices + at) * (<usize>width << 2);
    const root: f32 = roots == 0 ? 1 : load<f32>(roots + at);
    for (let c = 0; c < width; c++) {
      store<f64>(scratch + (<usize>c << 3), trunc<f64>(<f64>(root * load<f32>(from + (<usize>c << 2)))));
    }
    const target: f64 = targets == 0 ? 0 : trunc<f64>(<f64>(root * (load<f32>(targets + at) * targetScale)));
    for (let a = 0; a < width; a++) {
      const row = out + <usize>(a * columns << 3);
      const x = load<f64>(scratch + (<usize>a << 3));
      if (matrices) {
        const scale = f64x2.splat(x);
        for (let c = a & ~1; c < width; c += 2) {
          const to = row + (<usize>c << 3);
          v128.store(to, f64x2.add(v128.load(to), f64x2.mul(v128.load(scratch + (<usize>c << 3)), scale)));
        }
      }
      // The whole target goes to the column that is not shifted when the two are joined.
      const to = row + (<usize>(targetColumn + 1) << 3);
      store<f64>(to, load<f64>(to) + x * target);
    }
  }
}

/** Adds one item's ratings to the float64 accumulator `out` (width × columns). */
function addItem(
  users: usize, width: i32, count: i32, indices: usize, roots: usize, targets: usize, targetScale: f32,
  matrices: bool, out: usize, panel: usize, zeros: usize,
): void {
  const columns = width + 4;
  const stride = <usize>columns << 2;
  const one = f32x4.splat(1);
  for (let begin = 0; begin < count; begin += 2 * PANEL_PAIRS) {
    const ratings = min(2 * PANEL_PAIRS, count - begin);
    const pairs = (ratings + 1) >> 1;
    store<u32>(panel, touchRows(users, <usize>width << 2, indices + (<usize>begin << 2), ratings));
    let largest = i32x4.splat(0), largestTarget = 0;
    for (let q = 0; q < pairs; q++) {
      const at = <usize>(begin + 2 * q) << 2;
      const paired = 2 * q + 1 < ratings;
      const x = users + <usize>load<u32>(indices + at) * (<usize>width << 2);
      const z = paired ? users + <usize>load<u32>(indices + at, 4) * (<usize>width << 2) : zeros;
      const rx: f32 = roots == 0 ? 1 : load<f32>(roots + at);
      const rz: f32 = roots == 0 || !paired ? 1 : load<f32>(roots + at, 4);
      const to = panel + <usize>q * stride;
      largest = packPair(x, z, roots == 0 ? one : f32x4.splat(rx), roots == 0 ? one : f32x4.splat(rz), width, to, largest);
      let tx = 0, tz = 0;
      if (targets != 0) {
        tx = <i32>(rx * (load<f32>(targets + at) * targetScale));
        if (paired) tz = <i32>(rz * (load<f32>(targets + at, 4) * targetScale));
      }
      const hx = tx >> LOW_BITS, hz = tz >> LOW_BITS;
      largestTarget = max(largestTarget, max(abs(hx), abs(hz)));
      const last = to + (<usize>width << 2);
      store<u32>(last, (hx & 0xffff) | (hz << 16));
      store<u32>(last, (tx & ((1 << LOW_BITS) - 1)) | ((tz & ((1 << LOW_BITS) - 1)) << 16), 4);
      store<u64>(last, 0, 8);
    }
    const most = max(
      max(max(i32x4.extract_lane(largest, 0), i32x4.extract_lane(largest, 1)),
        max(i32x4.extract_lane(largest, 2), i32x4.extract_lane(largest, 3))),
      max(largestTarget, (1 << LOW_BITS) - 1));
    if (most <= LARGEST_LANE) accumulate(panel, pairs, width, columns, matrices ? 0 : width, most, out);
    else {
      const at = <usize>begin << 2;
      accumulateWide(users, width, ratings, indices + at, roots == 0 ? 0 : roots + at, targets == 0 ? 0 : targets + at,
        targetScale, columns, width, matrices, out, panel);
    }
  }
}

/**
 * Sums of `itemCount` items. `users` holds float32 vectors already multiplied by the grid scale, padded to
 * `width` (a multiple of 4) of which `dimensions` count. Packed triangles go to `matrices` (0 for none),
 * vectors to `vectors`.
 */
export function itemStatistics(
  users: usize, width: i32, dimensions: i32, itemCount: i32, offsets: usize, indices: usize, roots: usize,
  targets: usize, targetScale: f32, matrices: usize, vectors: usize, scratch: usize,
): void {
  const columns = width + 4;
  const bytes = <usize>(width * columns << 3);
  const out = scratch, zeros = scratch + bytes, panel = zeros + (<usize>width << 2);
  memory.fill(zeros, 0, <usize>width << 2);
  for (let item = 0; item < itemCount; item++) {
    const begin = load<u32>(offsets + (<usize>item << 2));
    const count = <i32>(load<u32>(offsets + (<usize>item << 2), 4) - begin);
    const at = <usize>begin << 2;
    memory.fill(out, 0, bytes);
    addItem(users, width, count, indices + at, roots == 0 ? 0 : roots + at, targets + at, targetScale, matrices != 0, out, panel, zeros);
    for (let a = 0; a < dimensions; a++) {
      const row = out + <usize>(a * columns << 3);
      if (matrices != 0) {
        const length = <usize>(dimensions - a) << 3;
        memory.copy(matrices, row + (<usize>a << 3), length);
        matrices += length;
      }
      const high = load<f64>(row + (<usize>width << 3)), low = load<f64>(row + (<usize>width << 3), 8);
      store<f64>(vectors, high * <f64>(1 << LOW_BITS) + low);
      vectors += 8;
    }
  }
}

/**
 * Multiplies `count` numbers (a multiple of 4) by the grid scale in place. Returns whether all were at most
 * `limit` in absolute value before that; NaN is not.
 */
export function toGrid(data: usize, count: i32, scale: f32, limit: f32): bool {
  const s = f32x4.splat(scale), most = f32x4.splat(limit);
  let within = i32x4.splat(-1);
  const end = data + (<usize>count << 2);
  for (; data < end; data += 16) {
    const value = v128.load(data);
    within = v128.and(within, f32x4.le(f32x4.abs(value), most));
    v128.store(data, f32x4.mul(value, s));
  }
  return i32x4.all_true(within);
}
