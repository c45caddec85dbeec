import { multiplyAdd32 } from './tile-f32';

/** Eight items to a panel, panel[p][dimension][8], so that one load serves eight items. */
const PANEL: i32 = 8;
/** Panels scored against all rows before the next ones: a block of items stays in the second-level cache. */
const BLOCK: i32 = 64;

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

/** Considers one item for one row: skips what the row excludes, inserts what beats its k-th best. */
function consider(
  score: f32, item: i32, k: i32, indices: usize, scores: usize, cursor: usize, excluded: usize,
): void {
  let place = <usize>(k - 1) << 2;
  if (!(score > load<f32>(scores + place))) return;
  let at = load<u32>(cursor);
  const end = load<u32>(cursor, 4);
  while (at < end && <i32>load<u32>(excluded + (<usize>at << 2)) < item) at++;
  store<u32>(cursor, at);
  if (at < end && load<u32>(excluded + (<usize>at << 2)) == <u32>item) return;
  while (place > 0 && load<f32>(scores + place - 4) < score) {
    store<f32>(scores + place, load<f32>(scores + place - 4));
    store<i32>(indices + place, load<i32>(indices + place - 4));
    place -= 4;
  }
  store<f32>(scores + place, score);
  store<i32>(indices + place, item);
}

/** Four scores of which those in `better` (a bit each) beat the row's k-th best as it was. */
@inline
function considerFour(
  four: v128, better: i32, item: i32, k: i32, indices: usize, scores: usize, cursor: usize, excluded: usize,
): void {
  if (better & 1) consider(f32x4.extract_lane(four, 0), item, k, indices, scores, cursor, excluded);
  if (better & 2) consider(f32x4.extract_lane(four, 1), item + 1, k, indices, scores, cursor, excluded);
  if (better & 4) consider(f32x4.extract_lane(four, 2), item + 2, k, indices, scores, cursor, excluded);
  if (better & 8) consider(f32x4.extract_lane(four, 3), item + 3, k, indices, scores, cursor, excluded);
}

function considerEight(
  s0: v128, s1: v128, item: i32, k: i32, indices: usize, scores: usize, cursor: usize, excluded: usize,
): void {
  const worst = v128.load_splat<f32>(scores + (<usize>(k - 1) << 2));
  considerFour(s0, i32x4.bitmask(f32x4.gt(s0, worst)), item, k, indices, scores, cursor, excluded);
  considerFour(s1, i32x4.bitmask(f32x4.gt(s1, worst)), item + 4, k, indices, scores, cursor, excluded);
}

@inline
function offer(
  s0: v128, s1: v128, item: i32, row: i32, k: i32, indices: usize, scores: usize, cursors: usize, excluded: usize,
): void {
  const list = <usize>(row * k) << 2;
  const worst = v128.load_splat<f32>(scores + list + (<usize>(k - 1) << 2));
  if (v128.any_true(v128.or(f32x4.gt(s0, worst), f32x4.gt(s1, worst))))
    considerEight(s0, s1, item, k, indices + list, scores + list, cursors + (<usize>row << 3), excluded);
}

/**
 * Top k of bias_j + x_r · v_j for `rowCount` rows, a multiple of 4 (pad with anything). `indices` and `scores` start as −1 and −∞.
 * `scratch` holds the rows once more. `cursors` holds two u32 a row: where the row's excluded columns (ascending) begin and end in `excluded`; they are moved.
 */
export function topK(
  rows: usize, rowCount: i32, width: i32, panels: usize, itemCount: i32, bias: usize,
  k: i32, indices: usize, scores: usize, cursors: usize, excluded: usize, scratch: usize,
): void {
  const bytes = <usize>width << 2;
  packFours(rows, rowCount, width, scratch, 4);
  const panelCount = (itemCount + PANEL - 1) / PANEL;
  for (let first = 0; first < panelCount; first += BLOCK) {
    const last = min(panelCount, first + BLOCK);
    for (let row = 0; row < rowCount; row += 4) {
      const start = scratch + <usize>row * bytes;
      const end = start + 4 * bytes;
      for (let p = first; p < last; p++) {
        let v = panels + <usize>p * (bytes * PANEL);
        const b = bias + <usize>p * (PANEL << 2);
        let s00 = v128.load(b), s01 = v128.load(b, 16);
        let s10 = s00, s11 = s01, s20 = s00, s21 = s01, s30 = s00, s31 = s01;
        for (let x = start; x < end; x += 16) {
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
        const item = p * PANEL;
        offer(s00, s01, item, row, k, indices, scores, cursors, excluded);
        offer(s10, s11, item, row + 1, k, indices, scores, cursors, excluded);
        offer(s20, s21, item, row + 2, k, indices, scores, cursors, excluded);
        offer(s30, s31, item, row + 3, k, indices, scores, cursors, excluded);
      }
    }
  }
}
