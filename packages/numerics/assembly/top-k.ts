import { multiplyAdd } from './lanes';
import { quantizeRows } from './screen-i16';

/** Eight items to a panel, panel[p][dimension][8], so that one load serves eight items. */
const PANEL: i32 = 8;
/** Half of the smallest first-level cache in use. */
const BLOCK_BYTES: i32 = 16384;

/** Lays items out in panels. `itemCount` is a multiple of 8; the filling must be finite. */
export function packItems(items: usize, itemCount: i32, width: i32, panels: usize): void {
  const bytes = <usize>width << 2;
  for (let item = 0; item < itemCount; item += 4) {
    const r0 = items + <usize>item * bytes, r1 = r0 + bytes, r2 = r1 + bytes, r3 = r2 + bytes;
    let at = panels + <usize>(item / PANEL) * bytes * <usize>PANEL + (<usize>(item % PANEL) << 2);
    for (let c: usize = 0; c < bytes; c += 16) {
      const x0 = v128.load(r0 + c), x1 = v128.load(r1 + c), x2 = v128.load(r2 + c), x3 = v128.load(r3 + c);
      const low01 = v128.shuffle<f32>(x0, x1, 0, 4, 1, 5), high01 = v128.shuffle<f32>(x0, x1, 2, 6, 3, 7);
      const low23 = v128.shuffle<f32>(x2, x3, 0, 4, 1, 5), high23 = v128.shuffle<f32>(x2, x3, 2, 6, 3, 7);
      v128.store(at, v128.shuffle<f64>(low01, low23, 0, 2));
      v128.store(at, v128.shuffle<f64>(low01, low23, 1, 3), 32);
      v128.store(at, v128.shuffle<f64>(high01, high23, 0, 2), 64);
      v128.store(at, v128.shuffle<f64>(high01, high23, 1, 3), 96);
      at += 128;
    }
  }
}

/** Bytes before a row's list of scores: +∞, so that the place before the first is never open. */
const SENTINEL: usize = 16;
/**
 * Up to this length a list is gone through whole: a branch that is guessed wrong costs more than the vectors
 * it saves.
 */
const SHORT_LIST: usize = 32 << 2;

/**
 * Puts (score, item) into a list that descends, `bytes` long (a multiple of 16), without a branch: for each
 * place i, from the last to the first,
 *   new_i = old_i where old_i ≥ score, else the score where old_{i−1} ≥ score, else old_{i−1}.
 * Equal scores stay in front, hence ties go to the smaller item when items come in ascending order.
 */
@inline
function insert(score: f32, item: i32, bytes: usize, scores: usize, indices: usize): void {
  const s = f32x4.splat(score), j = i32x4.splat(item);
  for (let at: usize = bytes; at > 0; ) {
    at -= 16;
    const old = v128.load(scores + at), before = v128.load(scores + at - 4);
    const keeps = f32x4.ge(old, s), opens = f32x4.ge(before, s);
    if (bytes > SHORT_LIST && v128.all_true<i32>(keeps)) return;
    const oldItems = v128.load(indices + at), itemsBefore = v128.load(indices + at - 4);
    v128.store(scores + at, v128.bitselect(old, v128.bitselect(s, before, opens), keeps));
    v128.store(indices + at, v128.bitselect(oldItems, v128.bitselect(j, itemsBefore, opens), keeps));
  }
}

/**
 * Scores of one row and the eight items of a panel, bias first and then every second dimension in sums of
 * their own; inserts those that beat the row's k-th best and that the row does not exclude.
 */
function consider(
  row: usize, bytes: usize, panel: usize, bias: usize, item: i32, last: usize, listBytes: usize, scores: usize, toIndices: usize,
  cursor: usize, excluded: usize, eight: usize,
): void {
  let s0 = v128.load(bias), s1 = v128.load(bias, 16);
  let odd0 = f32x4.splat(0), odd1 = odd0;
  for (let end = row + bytes; row < end; row += 8) {
    let u = v128.load_splat<f32>(row);
    s0 = multiplyAdd<f32>(s0, u, v128.load(panel));
    s1 = multiplyAdd<f32>(s1, u, v128.load(panel, 16));
    u = v128.load_splat<f32>(row, 4);
    odd0 = multiplyAdd<f32>(odd0, u, v128.load(panel, 32));
    odd1 = multiplyAdd<f32>(odd1, u, v128.load(panel, 48));
    panel += 64;
  }
  s0 = f32x4.add(s0, odd0);
  s1 = f32x4.add(s1, odd1);
  const worst = scores + last;
  const threshold = v128.load_splat<f32>(worst);
  let better = i32x4.bitmask(f32x4.gt(s0, threshold)) | (i32x4.bitmask(f32x4.gt(s1, threshold)) << 4);
  if (better == 0) return;
  v128.store(eight, s0);
  v128.store(eight, s1, 16);
  const end = load<u32>(cursor, 4);
  do {
    const lane = ctz(better);
    better &= better - 1;
    const score = load<f32>(eight + (<usize>lane << 2));
    if (!(score > load<f32>(worst))) continue;
    const column = item + lane;
    let at = load<u32>(cursor);
    if (at < end) {
      while (at < end && <i32>load<u32>(excluded + (<usize>at << 2)) < column) at++;
      store<u32>(cursor, at);
      if (at < end && load<u32>(excluded + (<usize>at << 2)) == <u32>column) continue;
    }
    insert(score, column, listBytes, scores, scores + toIndices);
  } while (better != 0);
}

/** Whether one of eight scores may be above the threshold: q·q' plus guards, times both steps, plus bias. */
@inline
function mayBeat(s0: v128, s1: v128, row: v128, step0: v128, step1: v128, b0: v128, b1: v128, threshold: v128): v128 {
  const f0 = f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(s0), f32x4.mul(step0, row)), b0);
  const f1 = f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(s1), f32x4.mul(step1, row)), b1);
  return v128.or(f32x4.gt(f0, threshold), f32x4.gt(f1, threshold));
}

/**
 * Item panels scored against all rows before the next ones: they stay in the first-level cache, rows pass
 * through it.
 */
@inline
function blockPanels(width: i32): i32 {
  return max(1, BLOCK_BYTES / (PANEL * 2 * width + 96));
}

/**
 * Top k of bias_j + x_r · v_j for `rowCount` rows, a multiple of 4 (pad with anything). Bounds in 16-bit
 * integers (screen-i16.ts) say which panels need their float32 scores. `indices` and `scores` have a list a
 * row: 16 bytes, in `scores` +∞, then `listBytes` (at least 4k, a multiple of 16) that start as −1 and −∞.
 * `scratch` holds two bytes an entry of the rows, 8 more a row, and 32. `cursors` holds two u32 a row: where
 * the row's excluded columns (ascending) begin and end in `excluded`; they are moved.
 */
export function topK(
  rows: usize, rowCount: i32, width: i32, panels: usize, quantized: usize, limits: usize, itemCount: i32, bias: usize,
  k: i32, listBytes: usize, indices: usize, scores: usize, cursors: usize, excluded: usize, scratch: usize,
): void {
  const bytes = <usize>width << 2;
  const last = <usize>(k - 1) << 2;
  const group = (bytes << 1) + 32;
  const eight = scratch + <usize>(rowCount >> 2) * group;
  for (let row = 0; row < rowCount; row += 4) quantizeRows(rows + <usize>row * bytes, width, scratch + <usize>(row >> 2) * group);
  const panelCount = (itemCount + PANEL - 1) / PANEL;
  const block = blockPanels(width);
  const stride = SENTINEL + listBytes, toIndices = indices - scores;
  for (let first = 0; first < panelCount; first += block) {
    const end = min(panelCount, first + block);
    for (let row = 0; row < rowCount; row += 4) {
      const from = scratch + <usize>(row >> 2) * group;
      const to = from + (bytes << 1);
      const list = scores + SENTINEL + <usize>row * stride;
      for (let p = first; p < end; p++) {
        let v = quantized + <usize>p * (bytes << 2) - 32;
        const limit = limits + <usize>p * 96;
        const g0 = v128.load(limit), g1 = v128.load(limit, 16);
        let guard = v128.load_splat<i32>(to);
        let s00 = i32x4.add(g0, guard), s01 = i32x4.add(g1, guard);
        guard = v128.load_splat<i32>(to, 4);
        let s10 = i32x4.add(g0, guard), s11 = i32x4.add(g1, guard);
        guard = v128.load_splat<i32>(to, 8);
        let s20 = i32x4.add(g0, guard), s21 = i32x4.add(g1, guard);
        guard = v128.load_splat<i32>(to, 12);
        let s30 = i32x4.add(g0, guard), s31 = i32x4.add(g1, guard);
        // Steps first and tests last, for the reason in tile-f32.ts.
        let x = from - 16;
        do {
          x += 16;
          v += 32;
          const c0 = v128.load(v), c1 = v128.load(v, 16);
          let u = v128.load_splat<i32>(x);
          s00 = i32x4.add(s00, i32x4.dot_i16x8_s(u, c0)); s01 = i32x4.add(s01, i32x4.dot_i16x8_s(u, c1));
          u = v128.load_splat<i32>(x, 4);
          s10 = i32x4.add(s10, i32x4.dot_i16x8_s(u, c0)); s11 = i32x4.add(s11, i32x4.dot_i16x8_s(u, c1));
          u = v128.load_splat<i32>(x, 8);
          s20 = i32x4.add(s20, i32x4.dot_i16x8_s(u, c0)); s21 = i32x4.add(s21, i32x4.dot_i16x8_s(u, c1));
          u = v128.load_splat<i32>(x, 12);
          s30 = i32x4.add(s30, i32x4.dot_i16x8_s(u, c0)); s31 = i32x4.add(s31, i32x4.dot_i16x8_s(u, c1));
        } while (x < to - 16);
        const step0 = v128.load(limit, 32), step1 = v128.load(limit, 48), b0 = v128.load(limit, 64), b1 = v128.load(limit, 80);
        const m0 = mayBeat(s00, s01, v128.load_splat<f32>(to, 16), step0, step1, b0, b1, v128.load_splat<f32>(list + last));
        const m1 = mayBeat(s10, s11, v128.load_splat<f32>(to, 20), step0, step1, b0, b1, v128.load_splat<f32>(list + stride + last));
        const m2 = mayBeat(s20, s21, v128.load_splat<f32>(to, 24), step0, step1, b0, b1, v128.load_splat<f32>(list + 2 * stride + last));
        const m3 = mayBeat(s30, s31, v128.load_splat<f32>(to, 28), step0, step1, b0, b1, v128.load_splat<f32>(list + 3 * stride + last));
        if (!v128.any_true(v128.or(v128.or(m0, m1), v128.or(m2, m3)))) continue;
        const wanted = <i32>v128.any_true(m0) | (<i32>v128.any_true(m1) << 1) | (<i32>v128.any_true(m2) << 2) | (<i32>v128.any_true(m3) << 3);
        for (let left = wanted; left != 0; left &= left - 1) {
          const r = ctz(left);
          consider(
            rows + <usize>(row + r) * bytes, bytes, panels + <usize>p * (bytes << 3), bias + <usize>p * (PANEL << 2), p * PANEL, last, listBytes,
            list + <usize>r * stride, toIndices, cursors + (<usize>(row + r) << 3), excluded, eight);
        }
      }
    }
  }
}
