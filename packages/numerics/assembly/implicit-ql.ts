// Implicit QL on tridiagonal matrices without eigenvectors (Golub & Van Loan §8.3): every plane rotation is recorded, and applied at
// once to one vector. A rotation is a chain of square root, division and products that each wait for the one before, so the
// matrices of a group are advanced in step. Where their blocks differ some lanes rest: results are those of each matrix alone.
import {
  BULGE, COSINE, DIAGONAL, FAILED, HIGH, ITERATION, LINE, LOW, MOVED, NEGLIGIBLE, OFF, ROW, rowOf, SINE, SMALL_SEEN, STEP, stepLimit,
  stepsOf, SUSPECT, sweepsOf, VECTOR,
} from './ql-group';

const MAX_ITERATIONS: i32 = 60;

/** Puts a matrix (diagonal, off-diagonal) and the vector that is rotated with it into a lane. */
export function loadLane(own: usize, size: i32, diagonal: usize, off: usize, vector: usize): void {
  let norm: f64 = 0;
  for (let i = 0; i < size; i++) {
    const at = <usize>i << 3;
    const d = load<f64>(diagonal + at), e = i + 1 < size ? load<f64>(off + at) : 0;
    norm = max(norm, abs(d) + abs(e));
    store<f64>(rowOf(own, i), d, DIAGONAL);
    store<f64>(rowOf(own, i), e, OFF);
    store<f64>(rowOf(own, i), load<f64>(vector + at), VECTOR);
  }
  const negligible = f64.EPSILON * f64.EPSILON * norm;
  store<f64>(own, negligible, NEGLIGIBLE);
  // |d| ≤ ‖T‖ ≤ 2 norm: an off-diagonal entry above this is not small, wherever it is.
  store<f64>(own, 4 * f64.EPSILON * norm + negligible, SUSPECT);
  store<i32>(own, 0, ITERATION);
  findBlock(own, size, 0);
}

@inline
function restLane(own: usize): void {
  store<i64>(own, 0, LOW);
  store<i64>(own, 0, HIGH);
}

/** Whether off-diagonal entry i may be taken for 0. */
@inline
function isSmall(own: usize, i: i32): bool {
  const at = rowOf(own, i);
  const scale = abs(load<f64>(at, DIAGONAL)) + abs(load<f64>(at, ROW + DIAGONAL));
  return abs(load<f64>(at, OFF)) <= f64.EPSILON * scale + load<f64>(own, NEGLIGIBLE);
}

/** The first unreduced block from `low` on, with its shift; the lane rests when there is none. */
function findBlock(own: usize, size: i32, low: i32): void {
  for (; low < size - 1; low++) {
    let high = low;
    while (high < size - 1 && !isSmall(own, high)) high++;
    if (high > low) {
      store<i64>(own, low, LOW);
      store<i64>(own, high, HIGH);
      startSweep(own, low, high);
      return;
    }
  }
  restLane(own);
}

/** Wilkinson's shift: the eigenvalue of the block's first two rows that is nearer to the first diagonal entry. */
@inline
function startSweep(own: usize, low: i32, high: i32): void {
  const at = rowOf(own, low);
  const d = load<f64>(at, DIAGONAL), e = load<f64>(at, OFF);
  const half = 0.5 * (load<f64>(at, ROW + DIAGONAL) - d);
  const shift = d - e * e / (half + copysign<f64>(sqrt<f64>(half * half + e * e), half));
  store<f64>(own, load<f64>(rowOf(own, high), DIAGONAL) - shift, BULGE);
  store<f64>(own, 1, COSINE); store<f64>(own, 1, SINE); store<f64>(own, 0, MOVED);
  store<i64>(own, 0, SMALL_SEEN);
}

/** Ends the sweep of one lane and begins the next one. Whether an eigenvalue is found cannot be predicted, so it is no branch. */
@inline
function nextSweep(own: usize, size: i32): void {
  let low = <i32>load<i64>(own, LOW);
  const high = <i32>load<i64>(own, HIGH), at = rowOf(own, low);
  store<f64>(at, load<f64>(at, DIAGONAL) - load<f64>(own, MOVED), DIAGONAL);
  store<f64>(at, load<f64>(own, BULGE), OFF);
  store<f64>(rowOf(own, high), 0, OFF);
  const found = <i32>isSmall(own, low);
  const iteration = select<i32>(0, load<i32>(own, ITERATION) + 1, found != 0);
  low += found;
  store<i64>(own, low, LOW);
  store<i32>(own, iteration, ITERATION);
  if (iteration == MAX_ITERATIONS) {
    store<i32>(own, 1, FAILED);
    restLane(own);
  } else if (low == high || load<i64>(own, SMALL_SEEN) != 0) {
    findBlock(own, size, low);
  } else {
    startSweep(own, low, high);
  }
}

/** Rotates rows i and i + 1 of two matrices; if `masked`, only where the block has both, the others turn by nothing. */
@inline
function rotate(group: usize, at: usize, step: usize, i: i32, masked: bool): void {
  const e = v128.load(at, OFF), g = v128.load(group, BULGE), p = v128.load(group, MOVED);
  const cosine = v128.load(group, COSINE), sine = v128.load(group, SINE);
  const f = f64x2.mul(sine, e), b = f64x2.mul(cosine, e);
  // 1/r as r/r²: square root and division run at the same time, which shortens the chain. No off-diagonal of a block is below
  // ε² ‖T‖, so f and g are never both that small and r² is not 0.
  const square = f64x2.add(f64x2.mul(f, f), f64x2.mul(g, g));
  let r = f64x2.sqrt(square);
  const inverse = f64x2.mul(f64x2.div(f64x2.splat(1), square), r);
  let s = f64x2.mul(f, inverse), c = f64x2.mul(g, inverse);
  const d = v128.load(at, ROW + DIAGONAL);
  const shifted = f64x2.sub(d, p);
  const t = f64x2.add(f64x2.mul(f64x2.sub(v128.load(at, DIAGONAL), shifted), s), f64x2.mul(f64x2.add(c, c), b));
  let moved = f64x2.mul(s, t);
  let next = f64x2.add(shifted, moved);
  let bulge = f64x2.sub(f64x2.mul(c, t), b);
  let newCosine = c, newSine = s;
  let small = f64x2.le(r, v128.load(group, SUSPECT));
  if (masked) {
    const here = i64x2.splat(i);
    const active = v128.andnot(i64x2.gt_s(v128.load(group, HIGH), here), i64x2.gt_s(v128.load(group, LOW), here));
    r = v128.bitselect(r, v128.load(at, ROW + OFF), active);
    next = v128.bitselect(next, d, active);
    bulge = v128.bitselect(bulge, g, active);
    moved = v128.bitselect(moved, p, active);
    newCosine = v128.bitselect(c, cosine, active);
    newSine = v128.bitselect(s, sine, active);
    small = v128.and(small, active);
    c = v128.bitselect(c, f64x2.splat(1), active);
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
  v128.store(at, f64x2.add(f64x2.mul(s, x), f64x2.mul(c, y)), ROW + VECTOR);
  v128.store(at, f64x2.sub(f64x2.mul(c, x), f64x2.mul(s, y)), VECTOR);
}

/** Rotations i = from − 1 … to of all lanes, recorded from `step` on; returns where the next one goes. */
@inline
function sweep(group: usize, from: i32, to: i32, step: usize, masked: bool): usize {
  let at = rowOf(group, from);
  for (let i = from - 1; i >= to; i--) {
    at -= ROW;
    rotate(group, at, step, i, masked);
    rotate(group + 16, at + 16, step + 16, i, masked);
    rotate(group + 32, at + 32, step + 32, i, masked);
    rotate(group + 48, at + 48, step + 48, i, masked);
    step += STEP;
  }
  return step;
}

@inline
function isResting(own: usize): bool {
  return load<i64>(own, LOW) == load<i64>(own, HIGH);
}

/** Runs all lanes to the end: the diagonals become eigenvalues, the vectors Zᵀ x. */
export function runQl(group: usize, size: i32, width: i32): void {
  const sweeps = sweepsOf(group, width), lanesEnd = group + LINE;
  let step = stepsOf(group, width);
  const end = step + <usize>stepLimit(width) * STEP;
  let count = 0;
  for (;;) {
    // Together the blocks reach from `low` to `high`; between `inner` and `outer` no lane rests.
    let low = size, high = 0, inner = 0, outer = size;
    for (let own = group; own < lanesEnd; own += 8) {
      const from = <i32>load<i64>(own, LOW), to = <i32>load<i64>(own, HIGH);
      if (!isResting(own)) low = min(low, from);
      high = max(high, to);
      inner = max(inner, from);
      outer = min(outer, to);
    }
    if (high <= low) break;
    if (step + <usize>(high - low) * STEP > end) {
      for (let own = group; own < lanesEnd; own += 8) if (!isResting(own)) store<i32>(own, 1, FAILED);
      break;
    }
    count++;
    store<i32>(sweeps + (<usize>count << 3), high);
    store<i32>(sweeps + (<usize>count << 3), low, 4);
    if (outer > inner) {
      step = sweep(group, high, outer, step, true);
      step = sweep(group, outer, inner, step, false);
      step = sweep(group, inner, low, step, true);
    } else {
      step = sweep(group, high, low, step, true);
    }
    for (let own = group; own < lanesEnd; own += 8) if (!isResting(own)) nextSweep(own, size);
  }
  store<i32>(sweeps, count);
}
