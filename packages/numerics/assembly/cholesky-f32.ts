import { multiplyAdd, sumOfLanes } from './lanes';
import { diagonalBlock32, SUBTRACT, tile4x2 } from './tile-f32';

/**
 * The upper triangle of a 4 × 4 block at `r0` becomes its factor; `inverse` gets 1/u_aa. Returns whether
 * every pivot was positive.
 */
function factorBlock(r0: usize, stride: usize, inverse: usize): bool {
  const r1 = r0 + stride, r2 = r1 + stride, r3 = r2 + stride;
  const p0 = load<f32>(r0);
  if (!(p0 > 0)) return false;
  const d0 = sqrt<f32>(p0), i0: f32 = 1 / d0;
  const u01 = load<f32>(r0, 4) * i0, u02 = load<f32>(r0, 8) * i0, u03 = load<f32>(r0, 12) * i0;
  const p1 = load<f32>(r1, 4) - u01 * u01;
  if (!(p1 > 0)) return false;
  const d1 = sqrt<f32>(p1), i1: f32 = 1 / d1;
  const u12 = (load<f32>(r1, 8) - u01 * u02) * i1, u13 = (load<f32>(r1, 12) - u01 * u03) * i1;
  const p2 = load<f32>(r2, 8) - u02 * u02 - u12 * u12;
  if (!(p2 > 0)) return false;
  const d2 = sqrt<f32>(p2), i2: f32 = 1 / d2;
  const u23 = (load<f32>(r2, 12) - u02 * u03 - u12 * u13) * i2;
  const p3 = load<f32>(r3, 12) - u03 * u03 - u13 * u13 - u23 * u23;
  if (!(p3 > 0 && p3 < f32.MAX_VALUE)) return false;
  const d3 = sqrt<f32>(p3), i3: f32 = 1 / d3;
  store<f32>(r0, d0); store<f32>(r0, u01, 4); store<f32>(r0, u02, 8); store<f32>(r0, u03, 12);
  store<f32>(r1, d1, 4); store<f32>(r1, u12, 8); store<f32>(r1, u13, 12);
  store<f32>(r2, d2, 8); store<f32>(r2, u23, 12);
  store<f32>(r3, d3, 12);
  store<f32>(inverse, i0); store<f32>(inverse, i1, 4); store<f32>(inverse, i2, 8); store<f32>(inverse, i3, 12);
  return true;
}

/**
 * The four rows at `r0` right of their factored block, up to the column at `end` bytes from there: U₀ᵀ X = B.
 * The loop tests last, or V8 would splat (and negate) the triangle again in every turn: see tile-f32.ts.
 */
function solveRightOfBlock(r0: usize, stride: usize, inverse: usize, end: usize): void {
  const r1 = r0 + stride, r2 = r1 + stride, r3 = r2 + stride;
  const v0 = v128.load_splat<f32>(inverse), v1 = v128.load_splat<f32>(inverse, 4);
  const v2 = v128.load_splat<f32>(inverse, 8), v3 = v128.load_splat<f32>(inverse, 12);
  const n01 = f32x4.neg(v128.load_splat<f32>(r0, 4)), n02 = f32x4.neg(v128.load_splat<f32>(r0, 8));
  const n03 = f32x4.neg(v128.load_splat<f32>(r0, 12)), n12 = f32x4.neg(v128.load_splat<f32>(r1, 8));
  const n13 = f32x4.neg(v128.load_splat<f32>(r1, 12)), n23 = f32x4.neg(v128.load_splat<f32>(r2, 12));
  let c: usize = 0;
  do {
    c += 16;
    const x0 = f32x4.mul(v128.load(r0 + c), v0);
    const x1 = f32x4.mul(multiplyAdd<f32>(v128.load(r1 + c), n01, x0), v1);
    const x2 = f32x4.mul(multiplyAdd<f32>(multiplyAdd<f32>(v128.load(r2 + c), n02, x0), n12, x1), v2);
    const x3 = f32x4.mul(multiplyAdd<f32>(multiplyAdd<f32>(multiplyAdd<f32>(v128.load(r3 + c), n03, x0), n13, x1), n23, x2), v3);
    v128.store(r0 + c, x0); v128.store(r1 + c, x1); v128.store(r2 + c, x2); v128.store(r3 + c, x3);
  } while (c < end - 16);
}

/**
 * A = UᵀU in the upper triangle, four rows at a time: tiles subtract what the rows above contribute, then a
 * 4 × 4 triangle and a short solve per vector finish them. The triangle, a chain of roots and divisions, is
 * done between the first tile and the others, which go on meanwhile, and so is the sum of squares of A, which
 * has its upper triangle by 4 × 4 blocks. `inverse` gets 1/u_aa; `width` is a multiple of 4. Returns ‖A‖_F,
 * at least the largest eigenvalue, or −1 where a pivot was not positive.
 */
export function cholesky32(matrix: usize, width: i32, inverse: usize): f32 {
  const stride = <usize>width << 2, end = matrix + stride;
  let beside = f32x4.splat(0), within = beside;
  for (let row = 0; row < width; row += 4) {
    const above = <usize>row * stride;
    const first = matrix + (<usize>row << 2);
    for (let from = first + above, rowEnd = end + above; rowEnd <= end + above + 3 * stride; rowEnd += stride) {
      const own = v128.load(from);
      within = multiplyAdd<f32>(within, own, own);
      for (let at = from + 16; at < rowEnd; at += 16) {
        const x = v128.load(at);
        beside = multiplyAdd<f32>(beside, x, x);
      }
      from += stride;
    }
    let c = first;
    if ((width - row) & 4) {
      if (row > 0) diagonalBlock32(first, first + above, stride, first + above, stride, SUBTRACT);
      c += 16;
    } else {
      if (row > 0) tile4x2(first, c, above, stride, c + above, stride, SUBTRACT);
      c += 32;
    }
    const own = inverse + (<usize>row << 2);
    if (!factorBlock(first + above, stride, own)) return -1;
    if (row > 0) for (; c < end; c += 32) tile4x2(first, c, above, stride, c + above, stride, SUBTRACT);
    if (row + 4 < width) solveRightOfBlock(first + above, stride, own, end - first);
  }
  return sqrt<f32>(2 * sumOfLanes<f32>(beside) + sumOfLanes<f32>(within));
}

/**
 * Largest ‖A‖_F / λ_min for which float32 is trusted: solutions were then wrong by less than 10⁻⁴ of their
 * length in every case measured.
 */
const MOST_CONDITION: f32 = 1000;

/**
 * Whether ‖A‖_F / λ_min allows a solution in float32. λ_min is at least `floor`, the ridge, which settles
 * most systems. For others two steps of inverse iteration from a vector of mixed signs estimate it: pivots
 * alone miss a single small eigenvalue. The first `size` dimensions count.
 */
export function wellConditioned32(norm: f32, floor: f32, factor: usize, width: i32, inverse: usize, size: i32, scratch: usize): bool {
  if (norm <= MOST_CONDITION * floor) return true;
  memory.fill(scratch, 0, <usize>width << 2);
  let bits: u32 = 0x9e3779b9;
  for (let a = 0; a < size; a++) {
    store<f32>(scratch + (<usize>a << 2), bits >> 31 ? <f32>-1 : <f32>1);
    bits = bits * 1664525 + 1013904223;
  }
  choleskySolve32(factor, width, inverse, scratch);
  const before = length32(scratch, width);
  choleskySolve32(factor, width, inverse, scratch);
  return norm * length32(scratch, width) <= MOST_CONDITION * before;
}

function length32(vector: usize, width: i32): f32 {
  let sum = f32x4.splat(0);
  for (let c: usize = 0; c < <usize>width << 2; c += 16) {
    const x = v128.load(vector + c);
    sum = multiplyAdd<f32>(sum, x, x);
  }
  return sqrt<f32>(sumOfLanes<f32>(sum));
}

/** Solves UᵀU x = b in place. 2 · width² flops. */
export function choleskySolve32(factor: usize, width: i32, inverse: usize, vector: usize): void {
  const stride = <usize>width << 2;
  const bytes = <usize>width << 2;
  // Uᵀ z = b: finish four entries, then take them out of all later ones.
  for (let at: usize = 0; at < bytes; at += 16) {
    const r0 = factor + (at >> 2) * stride, r1 = r0 + stride, r2 = r1 + stride, r3 = r2 + stride;
    const z0 = load<f32>(vector + at) * load<f32>(inverse + at);
    const z1 = (load<f32>(vector + at, 4) - load<f32>(r0 + at, 4) * z0) * load<f32>(inverse + at, 4);
    const z2 = (load<f32>(vector + at, 8) - load<f32>(r0 + at, 8) * z0 - load<f32>(r1 + at, 8) * z1) * load<f32>(inverse + at, 8);
    const z3 = (load<f32>(vector + at, 12) - load<f32>(r0 + at, 12) * z0 - load<f32>(r1 + at, 12) * z1 - load<f32>(r2 + at, 12) * z2)
      * load<f32>(inverse + at, 12);
    store<f32>(vector + at, z0); store<f32>(vector + at, z1, 4); store<f32>(vector + at, z2, 8); store<f32>(vector + at, z3, 12);
    const n0 = f32x4.splat(-z0), n1 = f32x4.splat(-z1), n2 = f32x4.splat(-z2), n3 = f32x4.splat(-z3);
    if (at + 16 == bytes) break;
    let c = at;
    do {
      c += 16;
      const one = multiplyAdd<f32>(multiplyAdd<f32>(v128.load(vector + c), n0, v128.load(r0 + c)), n1, v128.load(r1 + c));
      v128.store(vector + c, multiplyAdd<f32>(multiplyAdd<f32>(one, n2, v128.load(r2 + c)), n3, v128.load(r3 + c)));
    } while (c < bytes - 16);
  }
  // U x = z, from the last block of four upwards.
  for (let at = bytes - 16; ; at -= 16) {
    const r0 = factor + (at >> 2) * stride, r1 = r0 + stride, r2 = r1 + stride, r3 = r2 + stride;
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    for (let c = at + 16; c < bytes; c += 16) {
      const x = v128.load(vector + c);
      s0 = multiplyAdd<f32>(s0, x, v128.load(r0 + c));
      s1 = multiplyAdd<f32>(s1, x, v128.load(r1 + c));
      s2 = multiplyAdd<f32>(s2, x, v128.load(r2 + c));
      s3 = multiplyAdd<f32>(s3, x, v128.load(r3 + c));
    }
    const x3 = (load<f32>(vector + at, 12) - sumOfLanes<f32>(s3)) * load<f32>(inverse + at, 12);
    const x2 = (load<f32>(vector + at, 8) - sumOfLanes<f32>(s2) - load<f32>(r2 + at, 12) * x3) * load<f32>(inverse + at, 8);
    const x1 = (load<f32>(vector + at, 4) - sumOfLanes<f32>(s1) - load<f32>(r1 + at, 8) * x2 - load<f32>(r1 + at, 12) * x3)
      * load<f32>(inverse + at, 4);
    const x0 = (load<f32>(vector + at) - sumOfLanes<f32>(s0) - load<f32>(r0 + at, 4) * x1 - load<f32>(r0 + at, 8) * x2
      - load<f32>(r0 + at, 12) * x3) * load<f32>(inverse + at);
    store<f32>(vector + at, x0); store<f32>(vector + at, x1, 4); store<f32>(vector + at, x2, 8); store<f32>(vector + at, x3, 12);
    if (at == 0) break;
  }
}
