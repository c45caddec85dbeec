// Implicit QL on tridiagonal matrices without eigenvectors (Golub & Van Loan §8.3), in float32 or float64:
// every plane rotation is recorded, and applied at once to one vector. A rotation is a chain of square root,
// division and products that each wait for the one before, so the matrices of a group are advanced in step.
// Where their blocks differ some lanes rest: results are those of each matrix alone.
import {
  BULGE, COSINE, DIAGONAL, FAILED, HIGH, ITERATION, LINE, LOW, MOVED, NEGLIGIBLE, OFF, ROW, rowOf, SINE, SMALL_SEEN, STEP, stepLimit,
  stepsOf, storeInteger, SUSPECT, sweepsOf, VECTOR,
} from './ql-group';

const MAX_ITERATIONS: i32 = 60;

@inline
function epsilonOf<T>(): T {
  return <T>(sizeof<T>() == 4 ? f32.EPSILON : f64.EPSILON);
}

/** Puts a matrix (diagonal, off-diagonal, float64) and the vector that is rotated with it into a lane. */
export function loadLane<T>(own: usize, size: i32, diagonal: usize, off: usize, vector: usize): void {
  let norm: T = 0;
  for (let i = 0; i < size; i++) {
    const at = <usize>i << 3;
    const d = <T>load<f64>(diagonal + at), e = <T>(i + 1 < size ? load<f64>(off + at) : 0);
    norm = max<T>(norm, abs<T>(d) + abs<T>(e));
    store<T>(rowOf(own, i), d, DIAGONAL);
    store<T>(rowOf(own, i), e, OFF);
    store<T>(rowOf(own, i), load<T>(vector + <usize>i * sizeof<T>()), VECTOR);
  }
  const negligible = <T>(epsilonOf<T>() * epsilonOf<T>() * norm);
  store<T>(own, negligible, NEGLIGIBLE);
  // |d| ≤ ‖T‖ ≤ 2 norm: an off-diagonal entry above this is not small, wherever it is.
  store<T>(own, <T>(4 * epsilonOf<T>() * norm + negligible), SUSPECT);
  storeInteger<T>(own + ITERATION, 0);
  findBlock<T>(own, size, 0);
}

@inline
function restLane<T>(own: usize): void {
  storeInteger<T>(own + LOW, 0);
  storeInteger<T>(own + HIGH, 0);
}

/** Whether off-diagonal entry i may be taken for 0. */
@inline
function isSmall<T>(own: usize, i: i32): bool {
  const at = rowOf(own, i);
  const scale = <T>(abs<T>(load<T>(at, DIAGONAL)) + abs<T>(load<T>(at, ROW + DIAGONAL)));
  return abs<T>(load<T>(at, OFF)) <= <T>(epsilonOf<T>() * scale + load<T>(own, NEGLIGIBLE));
}

/** The first unreduced block from `low` on, with its shift; the lane rests when there is none. */
function findBlock<T>(own: usize, size: i32, low: i32): void {
  for (; low < size - 1; low++) {
    let high = low;
    while (high < size - 1 && !isSmall<T>(own, high)) high++;
    if (high > low) {
      storeInteger<T>(own + LOW, low);
      storeInteger<T>(own + HIGH, high);
      startSweep<T>(own, low, high);
      return;
    }
  }
  restLane<T>(own);
}

/**
 * Wilkinson's shift: the eigenvalue of the block's first two rows that is nearer to the first diagonal entry.
 */
@inline
function startSweep<T>(own: usize, low: i32, high: i32): void {
  const at = rowOf(own, low);
  const d = load<T>(at, DIAGONAL), e = load<T>(at, OFF);
  const half = <T>(0.5 * (load<T>(at, ROW + DIAGONAL) - d));
  const shift = <T>(d - e * e / (half + copysign<T>(sqrt<T>(<T>(half * half + e * e)), half)));
  store<T>(own, <T>(load<T>(rowOf(own, high), DIAGONAL) - shift), BULGE);
  store<T>(own, 1, COSINE); store<T>(own, 1, SINE); store<T>(own, 0, MOVED);
  storeInteger<T>(own + SMALL_SEEN, 0);
}

/**
 * Ends the sweep of one lane and begins the next one. Whether an eigenvalue is found cannot be predicted, so
 * it is no branch.
 */
@inline
function nextSweep<T>(own: usize, size: i32): void {
  let low = load<i32>(own, LOW);
  const high = load<i32>(own, HIGH), at = rowOf(own, low);
  store<T>(at, <T>(load<T>(at, DIAGONAL) - load<T>(own, MOVED)), DIAGONAL);
  store<T>(at, load<T>(own, BULGE), OFF);
  store<T>(rowOf(own, high), 0, OFF);
  const found = <i32>isSmall<T>(own, low);
  const iteration = select<i32>(0, load<i32>(own, ITERATION) + 1, found != 0);
  low += found;
  storeInteger<T>(own + LOW, low);
  storeInteger<T>(own + ITERATION, iteration);
  if (iteration == MAX_ITERATIONS) {
    storeInteger<T>(own + FAILED, 1);
    restLane<T>(own);
  } else if (low == high || load<i32>(own, SMALL_SEEN) != 0) {
    findBlock<T>(own, size, low);
  } else {
    startSweep<T>(own, low, high);
  }
}

/** Ones in the lanes whose integers at `from` are above i. */
@inline
function laneIntegersAbove<T>(from: usize, i: i32): v128 {
  if (sizeof<T>() == 4) return i32x4.gt_s(v128.load(from), i32x4.splat(i));
  return i64x2.gt_s(v128.load(from), i64x2.splat(i));
}

/**
 * Rotates rows i and i + 1 of a vector's matrices; if `masked`, only where the block has both, the others
 * turn by nothing.
 */
@inline
function rotate<T>(group: usize, at: usize, step: usize, i: i32, masked: bool): void {
  const e = v128.load(at, OFF), g = v128.load(group, BULGE), p = v128.load(group, MOVED);
  const cosine = v128.load(group, COSINE), sine = v128.load(group, SINE);
  const f = v128.mul<T>(sine, e), b = v128.mul<T>(cosine, e);
  // 1/r as r/r²: square root and division run at the same time, which shortens the chain. No off-diagonal of
  // a block is below ε² ‖T‖, so f and g are never both that small and r² is not 0.
  const square = v128.add<T>(v128.mul<T>(f, f), v128.mul<T>(g, g));
  let r = v128.sqrt<T>(square);
  const inverse = v128.mul<T>(v128.div<T>(v128.splat<T>(1), square), r);
  let s = v128.mul<T>(f, inverse), c = v128.mul<T>(g, inverse);
  const d = v128.load(at, ROW + DIAGONAL);
  const shifted = v128.sub<T>(d, p);
  const t = v128.add<T>(v128.mul<T>(v128.sub<T>(v128.load(at, DIAGONAL), shifted), s), v128.mul<T>(v128.add<T>(c, c), b));
  let moved = v128.mul<T>(s, t);
  let next = v128.add<T>(shifted, moved);
  let bulge = v128.sub<T>(v128.mul<T>(c, t), b);
  let newCosine = c, newSine = s;
  let small = v128.le<T>(r, v128.load(group, SUSPECT));
  if (masked) {
    const active = v128.andnot(laneIntegersAbove<T>(group + HIGH, i), laneIntegersAbove<T>(group + LOW, i));
    r = v128.bitselect(r, v128.load(at, ROW + OFF), active);
    next = v128.bitselect(next, d, active);
    bulge = v128.bitselect(bulge, g, active);
    moved = v128.bitselect(moved, p, active);
    newCosine = v128.bitselect(c, cosine, active);
    newSine = v128.bitselect(s, sine, active);
    small = v128.and(small, active);
    c = v128.bitselect(c, v128.splat<T>(1), active);
    s = v128.and(s, active);
  }
  v128.store(group, bulge, BULGE); v128.store(group, moved, MOVED);
  v128.store(group, newCosine, COSINE); v128.store(group, newSine, SINE);
  v128.store(group, v128.or(v128.load(group, SMALL_SEEN), small), SMALL_SEEN);
  v128.store(at, r, ROW + OFF);
  v128.store(at, next, ROW + DIAGONAL);
  v128.store(step, c);
  v128.store(step, s, LINE);
  const x = v128.load(at, VECTOR), y = v128.load(at, ROW + VECTOR);
  v128.store(at, v128.add<T>(v128.mul<T>(s, x), v128.mul<T>(c, y)), ROW + VECTOR);
  v128.store(at, v128.sub<T>(v128.mul<T>(c, x), v128.mul<T>(s, y)), VECTOR);
}

/** Rotations i = from − 1 … to of all lanes, recorded from `step` on; returns where the next one goes. */
@inline
function sweep<T>(group: usize, from: i32, to: i32, step: usize, masked: bool): usize {
  let at = rowOf(group, from);
  for (let i = from - 1; i >= to; i--) {
    at -= ROW;
    rotate<T>(group, at, step, i, masked);
    rotate<T>(group + 16, at + 16, step + 16, i, masked);
    rotate<T>(group + 32, at + 32, step + 32, i, masked);
    rotate<T>(group + 48, at + 48, step + 48, i, masked);
    step += STEP;
  }
  return step;
}

@inline
function isResting(own: usize): bool {
  return load<i32>(own, LOW) == load<i32>(own, HIGH);
}

/** Runs all lanes to the end: the diagonals become eigenvalues, the vectors Zᵀ x. */
export function runQl<T>(group: usize, size: i32, width: i32): void {
  const sweeps = sweepsOf(group, width), lanesEnd = group + LINE;
  let step = stepsOf(group, width);
  const end = step + <usize>stepLimit(width) * STEP;
  let count = 0;
  for (;;) {
    // Together the blocks reach from `low` to `high`; between `inner` and `outer` no lane rests.
    let low = size, high = 0, inner = 0, outer = size;
    for (let own = group; own < lanesEnd; own += sizeof<T>()) {
      const from = load<i32>(own, LOW), to = load<i32>(own, HIGH);
      if (!isResting(own)) low = min(low, from);
      high = max(high, to);
      inner = max(inner, from);
      outer = min(outer, to);
    }
    if (high <= low) break;
    if (step + <usize>(high - low) * STEP > end) {
      for (let own = group; own < lanesEnd; own += sizeof<T>()) if (!isResting(own)) storeInteger<T>(own + FAILED, 1);
      break;
    }
    count++;
    store<i32>(sweeps + (<usize>count << 3), high);
    store<i32>(sweeps + (<usize>count << 3), low, 4);
    if (outer > inner) {
      step = sweep<T>(group, high, outer, step, true);
      step = sweep<T>(group, outer, inner, step, false);
      step = sweep<T>(group, inner, low, step, true);
    } else {
      step = sweep<T>(group, high, low, step, true);
    }
    for (let own = group; own < lanesEnd; own += sizeof<T>()) if (!isResting(own)) nextSweep<T>(own, size);
  }
  store<i32>(sweeps, count);
}
