import { multiplyAdd32 } from './tile-f32';

/** Eight items to a panel, panel[p][dimension][8], so that one load serves eight items. */
const PANEL: i32 = 8;
/** Half of the smallest first-level cache in use. */
const BLOCK_BYTES: i32 = 16384;

/**
 * Transposes groups of four rows: group g, dimension c, row r of the group goes to to + (g · groupStride + c · lineStride + 4r) bytes. `rowCount` is
 * a multiple of 4.
 */
function packFours(rows: usize, rowCount: i32, width: i32, to: usize, groupOf: i32): void {
  const bytes = <usize>width << 2;
  const line = <usize>groupOf << 2;
  for (let row = 0; row < rowCount; row += 4) {
    const r0 = rows + <usize>row * bytes, r1 = r0 + bytes, r2 = r1 + bytes, r3 = r2 + bytes;
    let at = to + <usize>(row / groupOf) * bytes * <usize>groupOf + (<usize>(row % groupOf) << 2);
    for (let c: usize = 0; c < bytes; c += 16) {
      const x0 = v128.load(r0 + c), x1 = v128.load(r1 + c), x2 = v128.load(r2 + c), x3 = v128.load(r3 + c);
      const low01 = v128.shuffle<f32>(x0, x1, 0, 4, 1, 5), high01 = v128.shuffle<f32>(x0, x1, 2, 6, 3, 7);
      const low23 = v128.shuffle<f32>(x2, x3, 0, 4, 1, 5), high23 = v128.shuffle<f32>(x2, x3, 2, 6, 3, 7);
      v128.store(at, v128.shuffle<f64>(low01, low23, 0, 2));
      v128.store(at + line, v128.shuffle<f64>(low01, low23, 1, 3));
      v128.store(at + 2 * line, v128.shuffle<f64>(high01, high23, 0, 2));
      v128.store(at + 3 * line, v128.shuffle<f64>(high01, high23, 1, 3));
      at += 4 * line;
    }
  }
}

/** Lays items out in panels. `itemCount` is a multiple of 8; the filling must be finite. */
export function packItems(items: usize, itemCount: i32, width: i32, panels: usize): void {
  packFours(items, itemCount, width, panels, PANEL);
}

/** Bytes before a row's list of scores: +∞, so that the place before the first is never open. */
const SENTINEL: usize = 16;
/** Up to this length a list is gone through whole: a branch that is guessed wrong costs more than the vectors it saves. */
const SHORT_LIST: usize = 32 << 2;

/**
 * Puts (score, item) into a list that descends, `bytes` long (a multiple of 16), without a branch: for each place i, from the last to the first,
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

/** Eight scores of one row of which some beat its k-th best: inserts those that the row does not exclude. */
function consider(
  s0: v128, s1: v128, item: i32, last: usize, bytes: usize, scores: usize, toIndices: usize, cursor: usize, excluded: usize,
  eight: usize,
): void {
  const worst = scores + last;
  const threshold = v128.load_splat<f32>(worst);
  let better = i32x4.bitmask(f32x4.gt(s0, threshold)) | (i32x4.bitmask(f32x4.gt(s1, threshold)) << 4);
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
    insert(score, column, bytes, scores, scores + toIndices);
  } while (better != 0);
}

@inline
function beats(s0: v128, s1: v128, threshold: v128): v128 {
  return v128.or(f32x4.gt(s0, threshold), f32x4.gt(s1, threshold));
}

/** Item panels scored against all rows before the next ones: they stay in the first-level cache, rows pass through it. */
@inline
function blockPanels(width: i32): i32 {
  return max(1, BLOCK_BYTES / (PANEL * 4 * width));
}

/**
 * Top k of bias_j + x_r · v_j for `rowCount` rows, a multiple of 4 (pad with anything). `indices` and `scores` have a list a row: 16 bytes, in
 * `scores` +∞, then `listBytes` (at least 4k, a multiple of 16) that start as −1 and −∞. `scratch` holds the rows once more and 32 bytes.
 * `cursors` holds two u32 a row: where the row's excluded columns (ascending) begin and end in `excluded`; they are moved.
 */
export function topK(
  rows: usize, rowCount: i32, width: i32, panels: usize, itemCount: i32, bias: usize,
  k: i32, listBytes: usize, indices: usize, scores: usize, cursors: usize, excluded: usize, scratch: usize,
): void {
  const bytes = <usize>width << 2;
  const last = <usize>(k - 1) << 2;
  const eight = scratch + <usize>rowCount * bytes;
  packFours(rows, rowCount, width, scratch, 4);
  const panelCount = (itemCount + PANEL - 1) / PANEL;
  const block = blockPanels(width);
  const stride = SENTINEL + listBytes, toIndices = indices - scores;
  for (let first = 0; first < panelCount; first += block) {
    const end = min(panelCount, first + block);
    for (let row = 0; row < rowCount; row += 4) {
      const from = scratch + <usize>row * bytes;
      const to = from + 4 * bytes;
      const list0 = scores + SENTINEL + <usize>row * stride, list1 = list0 + stride, list2 = list1 + stride, list3 = list2 + stride;
      const cursor = cursors + (<usize>row << 3);
      for (let p = first; p < end; p++) {
        let v = panels + <usize>p * (bytes * PANEL);
        const b = bias + <usize>p * (PANEL << 2);
        let s00 = v128.load(b), s01 = v128.load(b, 16);
        let s10 = s00, s11 = s01, s20 = s00, s21 = s01, s30 = s00, s31 = s01;
        for (let x = from; x < to; x += 16) {
          const c0 = v128.load(v), c1 = v128.load(v, 16);
          let u = v128.load_splat<f32>(x);
          s00 = multiplyAdd32(s00, u, c0); s01 = multiplyAdd32(s01, u, c1);
          u = v128.load_splat<f32>(x, 4);
          s10 = multiplyAdd32(s10, u, c0); s11 = multiplyAdd32(s11, u, c1);
          u = v128.load_splat<f32>(x, 8);
          s20 = multiplyAdd32(s20, u, c0); s21 = multiplyAdd32(s21, u, c1);
          u = v128.load_splat<f32>(x, 12);
          s30 = multiplyAdd32(s30, u, c0); s31 = multiplyAdd32(s31, u, c1);
          v += PANEL << 2;
        }
        const t0 = v128.load_splat<f32>(list0 + last), t1 = v128.load_splat<f32>(list1 + last);
        const t2 = v128.load_splat<f32>(list2 + last), t3 = v128.load_splat<f32>(list3 + last);
        const b0 = beats(s00, s01, t0), b1 = beats(s10, s11, t1), b2 = beats(s20, s21, t2), b3 = beats(s30, s31, t3);
        if (!v128.any_true(v128.or(v128.or(b0, b1), v128.or(b2, b3)))) continue;
        const item = p * PANEL;
        if (v128.any_true(b0)) consider(s00, s01, item, last, listBytes, list0, toIndices, cursor, excluded, eight);
        if (v128.any_true(b1)) consider(s10, s11, item, last, listBytes, list1, toIndices, cursor + 8, excluded, eight);
        if (v128.any_true(b2)) consider(s20, s21, item, last, listBytes, list2, toIndices, cursor + 16, excluded, eight);
        if (v128.any_true(b3)) consider(s30, s31, item, last, listBytes, list3, toIndices, cursor + 24, excluded, eight);
      }
    }
  }
}
