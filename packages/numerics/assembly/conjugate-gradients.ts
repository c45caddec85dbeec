// A few conjugate-gradient steps (Hestenes & Stiefel 1952) on the normal equations of one row, which are
// never formed.
//
// The vectors x_k of the row's entries are gathered once into a panel: blocks of eight entries, with vector c
// of all eight side by side, so that every later pass walks through consecutive memory. Places of the last
// block that no entry has are 0.
import { lanesBefore, multiplyAdd, sumOfLanes } from './lanes';
import { touchRows } from './touch-rows';

/** Entries of a block, and bytes that one vector of each takes. */
const BLOCK: i32 = 8;
const STRIP: usize = 128;
/** The panel is to stay in the second-level cache. */
const PANEL_BYTES: i32 = 1 << 20;
/** Blocks whose cache lines are asked for before they are gathered; see `touchRows`. */
const TOUCHED: i32 = 8;

/**
 * Blocks that the panel has room for. Entries beyond them are gathered again in every pass, into the last
 * block.
 */
function panelBlocks(width: i32): i32 {
  return max(2, PANEL_BYTES / (width << 2) / BLOCK);
}

/** Bytes that `solveByCg` works in for rows of at most `count` entries. */
export function cgScratchBytes(width: i32, count: i32): i32 {
  return (width << 2) * (3 + BLOCK * min(panelBlocks(width), (count + BLOCK - 1) / BLOCK)) + 64;
}

/** scores_k = x_k · p for the entries of a block. */
function score(block: usize, p: usize, bytes: usize, scores: usize): void {
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  const end = p + bytes;
  for (; p < end; p += 16) {
    const x = v128.load(p);
    s0 = multiplyAdd<f32>(s0, v128.load(block), x);
    s1 = multiplyAdd<f32>(s1, v128.load(block, 16), x);
    s2 = multiplyAdd<f32>(s2, v128.load(block, 32), x);
    s3 = multiplyAdd<f32>(s3, v128.load(block, 48), x);
    s4 = multiplyAdd<f32>(s4, v128.load(block, 64), x);
    s5 = multiplyAdd<f32>(s5, v128.load(block, 80), x);
    s6 = multiplyAdd<f32>(s6, v128.load(block, 96), x);
    s7 = multiplyAdd<f32>(s7, v128.load(block, 112), x);
    block += STRIP;
  }
  v128.store(scores, sumsOfFour(s0, s1, s2, s3));
  v128.store(scores, sumsOfFour(s4, s5, s6, s7), 16);
}

/** The row that an entry names, or the first one where there is no such entry. */
@inline
function rowAt(fixed: usize, bytes: usize, index: usize, exists: bool): usize {
  return exists ? fixed + <usize>load<u32>(index) * bytes : fixed;
}

/** Puts `count` ≤ 8 entries into a block. */
function gather(fixed: usize, indices: usize, count: i32, bytes: usize, block: usize): void {
  for (let k = 0; k < BLOCK; k += 4) {
    const left = count - k;
    const r0 = rowAt(fixed, bytes, indices, left > 0), r1 = rowAt(fixed, bytes, indices + 4, left > 1);
    const r2 = rowAt(fixed, bytes, indices + 8, left > 2), r3 = rowAt(fixed, bytes, indices + 12, left > 3);
    let to = block + (<usize>k << 4);
    for (let c: usize = 0; c < bytes; c += 16) {
      v128.store(to, v128.load(r0 + c));
      v128.store(to, v128.load(r1 + c), 16);
      v128.store(to, v128.load(r2 + c), 32);
      v128.store(to, v128.load(r3 + c), 48);
      to += STRIP;
    }
    if (left < 4) {
      const zero = f32x4.splat(0);
      for (let at: usize = <usize>max(left, 0) << 4; at < 64; at += 16)
        for (let c: usize = 0; c < bytes << 3; c += STRIP) v128.store(block + (<usize>k << 4) + at + c, zero);
    }
    indices += 16;
  }
}

/** image += Σ_k scores_k x_k over a block. */
function addBlock(block: usize, scores: usize, image: usize, bytes: usize): void {
  const v0 = v128.load_splat<f32>(scores), v1 = v128.load_splat<f32>(scores, 4);
  const v2 = v128.load_splat<f32>(scores, 8), v3 = v128.load_splat<f32>(scores, 12);
  const v4 = v128.load_splat<f32>(scores, 16), v5 = v128.load_splat<f32>(scores, 20);
  const v6 = v128.load_splat<f32>(scores, 24), v7 = v128.load_splat<f32>(scores, 28);
  const end = image + bytes;
  for (; image < end; image += 16) {
    let sum = multiplyAdd<f32>(multiplyAdd<f32>(v128.load(image), v128.load(block), v0), v128.load(block, 16), v1);
    sum = multiplyAdd<f32>(multiplyAdd<f32>(sum, v128.load(block, 32), v2), v128.load(block, 48), v3);
    sum = multiplyAdd<f32>(multiplyAdd<f32>(sum, v128.load(block, 64), v4), v128.load(block, 80), v5);
    v128.store(image, multiplyAdd<f32>(multiplyAdd<f32>(sum, v128.load(block, 96), v6), v128.load(block, 112), v7));
    block += STRIP;
  }
}

/** What a pass does with the scores x_k · p of the entries. */
const RESIDUAL: i32 = 0;
const IMAGE: i32 = 1;
const CURVATURE: i32 = 2;

/**
 * One pass over the entries. RESIDUAL gathers the panel and adds Σ_k w_k (x_k · p − y_k) x_k to image; IMAGE
 * adds Σ_k w_k (x_k · p) x_k; CURVATURE returns Σ_k w_k (x_k · p)², which is all that the last step needs, at
 * half the cost.
 */
function pass(
  kind: i32, fixed: usize, width: i32, count: i32, indices: usize, targets: usize, weights: usize, p: usize, image: usize, panel: usize, scores: usize,
): f32 {
  const bytes = <usize>width << 2;
  const blocks = (count + BLOCK - 1) / BLOCK, most = panelBlocks(width);
  const resident = blocks <= most ? blocks : most - 1;
  let sum = f32x4.splat(0);
  for (let b = 0; b < blocks; b++) {
    const at = <usize>(b * BLOCK) << 2;
    const left = count - b * BLOCK;
    const block = panel + <usize>min(b, resident == blocks ? b : resident) * (bytes << 3);
    if (kind == RESIDUAL || b >= resident) {
      if (b % TOUCHED == 0) store<u32>(scores, touchRows(fixed, bytes, indices + at, min(TOUCHED * BLOCK, left)));
      gather(fixed, indices + at, min(BLOCK, left), bytes, block);
    }
    score(block, p, bytes, scores);
    const first = v128.load(scores), second = v128.load(scores, 16);
    let low = first, high = second;
    if (kind == RESIDUAL) {
      low = f32x4.sub(low, v128.load(targets + at));
      high = f32x4.sub(high, v128.load(targets + at, 16));
    }
    if (weights != 0) {
      low = f32x4.mul(low, v128.load(weights + at));
      high = f32x4.mul(high, v128.load(weights + at, 16));
    }
    if (left < BLOCK) {
      // Targets and weights behind the last entry belong to others.
      low = v128.and(low, lanesBefore<f32>(left));
      high = v128.and(high, lanesBefore<f32>(left - 4));
    }
    if (kind == CURVATURE) {
      sum = multiplyAdd<f32>(multiplyAdd<f32>(sum, first, low), second, high);
    } else {
      v128.store(scores, low);
      v128.store(scores, high, 16);
      addBlock(block, scores, image, bytes);
    }
  }
  return sumOfLanes<f32>(sum);
}

/** image = (base + ridge · diag) p. */
function applyOwn(base: usize, diagonal: usize, ridge: f32, p: usize, image: usize, bytes: usize): void {
  for (let c: usize = 0; c < bytes; c += 16) {
    let own = f32x4.splat(ridge);
    if (diagonal != 0) own = f32x4.mul(own, v128.load(diagonal + c));
    v128.store(image + c, f32x4.mul(own, v128.load(p + c)));
  }
  if (base == 0) return;
  // The padded width is a multiple of 4, and base is symmetric: four of its rows at a time.
  for (const end = p + bytes; p < end; p += 16) {
    addFourRows(base, p, image, bytes);
    base += bytes << 2;
  }
}

/**
 * image += Σ_k p_k r_k over four rows, in their order. Two vectors of all rows in a turn: addresses are
 * computed once for both, which with one of them takes as long as the arithmetic.
 */
@inline
function addFourRows(r0: usize, p: usize, image: usize, bytes: usize): void {
  const v0 = v128.load_splat<f32>(p), v1 = v128.load_splat<f32>(p, 4), v2 = v128.load_splat<f32>(p, 8), v3 = v128.load_splat<f32>(p, 12);
  const last = image + bytes;
  let r1 = r0 + bytes, r2 = r1 + bytes, r3 = r2 + bytes;
  for (; image + 16 < last; image += 32) {
    let low = multiplyAdd<f32>(v128.load(image), v128.load(r0), v0), high = multiplyAdd<f32>(v128.load(image, 16), v128.load(r0, 16), v0);
    low = multiplyAdd<f32>(low, v128.load(r1), v1); high = multiplyAdd<f32>(high, v128.load(r1, 16), v1);
    low = multiplyAdd<f32>(low, v128.load(r2), v2); high = multiplyAdd<f32>(high, v128.load(r2, 16), v2);
    v128.store(image, multiplyAdd<f32>(low, v128.load(r3), v3));
    v128.store(image, multiplyAdd<f32>(high, v128.load(r3, 16), v3), 16);
    r0 += 32; r1 += 32; r2 += 32; r3 += 32;
  }
  if (image < last) {
    const sum = multiplyAdd<f32>(multiplyAdd<f32>(v128.load(image), v128.load(r0), v0), v128.load(r1), v1);
    v128.store(image, multiplyAdd<f32>(multiplyAdd<f32>(sum, v128.load(r2), v2), v128.load(r3), v3));
  }
}

/** The four sums of lanes, in one vector. */
@inline
function sumsOfFour(s0: v128, s1: v128, s2: v128, s3: v128): v128 {
  const low = f32x4.add(v128.shuffle<f32>(s0, s1, 0, 4, 2, 6), v128.shuffle<f32>(s0, s1, 1, 5, 3, 7));
  const high = f32x4.add(v128.shuffle<f32>(s2, s3, 0, 4, 2, 6), v128.shuffle<f32>(s2, s3, 1, 5, 3, 7));
  return f32x4.add(v128.shuffle<f64>(low, high, 0, 2), v128.shuffle<f64>(low, high, 1, 3));
}

function dot32(a: usize, b: usize, bytes: usize): f32 {
  let sum = f32x4.splat(0);
  for (let c: usize = 0; c < bytes; c += 16) sum = multiplyAdd<f32>(sum, v128.load(a + c), v128.load(b + c));
  return sumOfLanes<f32>(sum);
}

/** to += scale · from. */
function axpy32(to: usize, from: usize, scale: f32, bytes: usize): void {
  const s = f32x4.splat(scale);
  for (let c: usize = 0; c < bytes; c += 16) v128.store(to + c, multiplyAdd<f32>(v128.load(to + c), v128.load(from + c), s));
}

/** `steps` conjugate-gradient steps from the present `out`. O((entries + width) · width) a step. */
export function solveByCg(
  fixed: usize, width: i32, count: i32, indices: usize, targets: usize, weights: usize,
  base: usize, diagonal: usize, ridge: f32, steps: i32, out: usize, scratch: usize,
): void {
  const bytes = <usize>width << 2;
  const scores = scratch, residual = scratch + 64, direction = residual + bytes, image = direction + bytes, panel = image + bytes;
  // A x − b, of which the residual is the negative.
  applyOwn(base, diagonal, ridge, out, image, bytes);
  pass(RESIDUAL, fixed, width, count, indices, targets, weights, out, image, panel, scores);
  for (let c: usize = 0; c < bytes; c += 16) v128.store(residual + c, f32x4.neg(v128.load(image + c)));
  memory.copy(direction, residual, bytes);
  let squared = dot32(residual, residual, bytes);
  for (let step = 1; step <= steps && squared > 0; step++) {
    applyOwn(base, diagonal, ridge, direction, image, bytes);
    if (step == steps) {
      const entries = pass(CURVATURE, fixed, width, count, indices, targets, weights, direction, image, panel, scores);
      axpy32(out, direction, squared / (dot32(direction, image, bytes) + entries), bytes);
      return;
    }
    pass(IMAGE, fixed, width, count, indices, targets, weights, direction, image, panel, scores);
    const length = squared / dot32(direction, image, bytes);
    axpy32(out, direction, length, bytes);
    axpy32(residual, image, -length, bytes);
    const next = dot32(residual, residual, bytes);
    const keep = f32x4.splat(next / squared);
    for (let c: usize = 0; c < bytes; c += 16) {
      v128.store(direction + c, multiplyAdd<f32>(v128.load(residual + c), v128.load(direction + c), keep));
    }
    squared = next;
  }
}
