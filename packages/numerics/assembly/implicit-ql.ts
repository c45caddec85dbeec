// Implicit QL on a tridiagonal matrix without eigenvectors: every plane rotation is recorded, and applied at once to one vector.
// A rotation is a chain of square root and division, so two matrices are advanced side by side: the results are those of each
// alone, in little more than the time of one.

/** State of one matrix, in memory: byte offsets of its fields. */
const DIAGONAL: usize = 0, OFF: usize = 4, VECTOR: usize = 8, ROTATIONS: usize = 12, SWEEPS: usize = 16;
const SIZE: usize = 20, LOW: usize = 24, HIGH: usize = 28, ITERATION: usize = 32, SWEEP_COUNT: usize = 36;
const LIMIT: usize = 40, FAILED: usize = 44, SHIFTED: usize = 48, NEGLIGIBLE: usize = 56;
export const QL_STATE_BYTES: usize = 64;
const MAX_ITERATIONS: i32 = 60;

/** Prepares a state. `rotations` has room for `limit` pairs (cosine, sine), `sweeps` for as many pairs (high, low). */
export function startQl(
  state: usize, diagonal: usize, off: usize, vector: usize, rotations: usize, sweeps: usize, size: i32, limit: i32,
): void {
  store<usize>(state, diagonal, DIAGONAL); store<usize>(state, off, OFF); store<usize>(state, vector, VECTOR);
  store<usize>(state, rotations, ROTATIONS); store<usize>(state, sweeps, SWEEPS);
  store<i32>(state, size, SIZE); store<i32>(state, 0, LOW); store<i32>(state, 0, HIGH); store<i32>(state, 0, ITERATION);
  store<i32>(state, 0, SWEEP_COUNT); store<i32>(state, limit, LIMIT); store<i32>(state, 0, FAILED);
  store<f64>(off + (<usize>(size - 1) << 3), 0);
  let norm: f64 = 0;
  for (let k: usize = 0; k < <usize>size << 3; k += 8) norm = max(norm, abs(load<f64>(diagonal + k)) + abs(load<f64>(off + k)));
  store<f64>(state, f64.EPSILON * f64.EPSILON * norm, NEGLIGIBLE);
}

/** Finds the next unreduced block and its shift; returns the number of rotations of the sweep, 0 when all is done. */
function nextSweep(state: usize): i32 {
  const diagonal = load<usize>(state, DIAGONAL), off = load<usize>(state, OFF);
  const size = load<i32>(state, SIZE);
  const negligible = load<f64>(state, NEGLIGIBLE);
  let low = load<i32>(state, LOW), iteration = load<i32>(state, ITERATION);
  for (; low < size; low++) {
    let high = low;
    for (; high < size - 1; high++) {
      const at = <usize>high << 3;
      const scale = abs(load<f64>(diagonal + at)) + abs(load<f64>(diagonal + at, 8));
      if (abs(load<f64>(off + at)) <= f64.EPSILON * scale + negligible) break;
    }
    if (high == low) {
      iteration = 0;
      continue;
    }
    const count = load<i32>(state, SWEEP_COUNT);
    const remaining = load<i32>(state, LIMIT) - (high - low);
    if (iteration == MAX_ITERATIONS || remaining < 0) {
      store<i32>(state, 1, FAILED);
      return 0;
    }
    store<i32>(state, remaining, LIMIT);
    store<i32>(state, low, LOW); store<i32>(state, high, HIGH); store<i32>(state, iteration + 1, ITERATION);
    const sweep = load<usize>(state, SWEEPS) + (<usize>count << 3);
    store<i32>(sweep, high); store<i32>(sweep, low, 4);
    store<i32>(state, count + 1, SWEEP_COUNT);
    const d = diagonal + (<usize>low << 3), e = load<f64>(off + (<usize>low << 3));
    const g = (load<f64>(d, 8) - load<f64>(d)) / (2 * e);
    const r = sqrt<f64>(g * g + 1);
    store<f64>(state, load<f64>(diagonal + (<usize>high << 3)) - load<f64>(d) + e / (g + (g >= 0 ? r : -r)), SHIFTED);
    return high - low;
  }
  store<i32>(state, low, LOW);
  return 0;
}

@inline
function finishSweep(state: usize, g: f64, p: f64): void {
  const low = <usize>load<i32>(state, LOW) << 3, high = <usize>load<i32>(state, HIGH) << 3;
  const diagonal = load<usize>(state, DIAGONAL) + low;
  const off = load<usize>(state, OFF);
  store<f64>(diagonal, load<f64>(diagonal) - p);
  store<f64>(off + low, g);
  store<f64>(off + high, 0);
}

/** Runs two states to the end. Give the same finished state twice for a single one: pass `other` = 0. */
export function runQlPair(one: usize, other: usize): void {
  let d1 = load<usize>(one, DIAGONAL), e1 = load<usize>(one, OFF), v1 = load<usize>(one, VECTOR), q1 = load<usize>(one, ROTATIONS);
  let d2: usize = 0, e2: usize = 0, v2: usize = 0, q2: usize = 0;
  let left1 = nextSweep(one), left2 = 0;
  let g1 = load<f64>(one, SHIFTED), s1: f64 = 1, c1: f64 = 1, p1: f64 = 0;
  let g2: f64 = 0, s2: f64 = 1, c2: f64 = 1, p2: f64 = 0;
  let i1 = <usize>(load<i32>(one, HIGH) - 1) << 3, i2: usize = 0;
  if (other != 0) {
    d2 = load<usize>(other, DIAGONAL); e2 = load<usize>(other, OFF); v2 = load<usize>(other, VECTOR); q2 = load<usize>(other, ROTATIONS);
    left2 = nextSweep(other);
    g2 = load<f64>(other, SHIFTED);
    i2 = <usize>(load<i32>(other, HIGH) - 1) << 3;
  }
  while (left1 > 0 || left2 > 0) {
    if (left1 > 0 && left2 > 0) {
      for (let n = min(left1, left2); n > 0; n--) {
        const ea = load<f64>(e1 + i1), eb = load<f64>(e2 + i2);
        const fa = s1 * ea, fb = s2 * eb;
        const ba = c1 * ea, bb = c2 * eb;
        // s = f/r and c = g/r as (f/r²)·r: square root and divisions run at the same time, which shortens the chain.
        const squareA = fa * fa + g1 * g1, squareB = fb * fb + g2 * g2;
        let ra = sqrt<f64>(squareA), rb = sqrt<f64>(squareB);
        store<f64>(e1 + i1, ra, 8); store<f64>(e2 + i2, rb, 8);
        s1 = ra == 0 ? 0 : fa / squareA * ra; s2 = rb == 0 ? 0 : fb / squareB * rb;
        c1 = ra == 0 ? 1 : g1 / squareA * ra; c2 = rb == 0 ? 1 : g2 / squareB * rb;
        store<f64>(q1, c1); store<f64>(q1, s1, 8);
        store<f64>(q2, c2); store<f64>(q2, s2, 8);
        q1 += 16; q2 += 16;
        g1 = load<f64>(d1 + i1, 8) - p1; g2 = load<f64>(d2 + i2, 8) - p2;
        ra = (load<f64>(d1 + i1) - g1) * s1 + 2 * c1 * ba; rb = (load<f64>(d2 + i2) - g2) * s2 + 2 * c2 * bb;
        p1 = s1 * ra; p2 = s2 * rb;
        store<f64>(d1 + i1, g1 + p1, 8); store<f64>(d2 + i2, g2 + p2, 8);
        g1 = c1 * ra - ba; g2 = c2 * rb - bb;
        const xa = load<f64>(v1 + i1), ya = load<f64>(v1 + i1, 8), xb = load<f64>(v2 + i2), yb = load<f64>(v2 + i2, 8);
        store<f64>(v1 + i1, s1 * xa + c1 * ya, 8); store<f64>(v2 + i2, s2 * xb + c2 * yb, 8);
        store<f64>(v1 + i1, c1 * xa - s1 * ya); store<f64>(v2 + i2, c2 * xb - s2 * yb);
        i1 -= 8; i2 -= 8;
        left1--; left2--;
      }
    } else if (left1 > 0) {
      for (; left1 > 0; left1--) {
        const ea = load<f64>(e1 + i1);
        const fa = s1 * ea, ba = c1 * ea;
        const squareA = fa * fa + g1 * g1;
        let ra = sqrt<f64>(squareA);
        store<f64>(e1 + i1, ra, 8);
        s1 = ra == 0 ? 0 : fa / squareA * ra;
        c1 = ra == 0 ? 1 : g1 / squareA * ra;
        store<f64>(q1, c1); store<f64>(q1, s1, 8);
        q1 += 16;
        g1 = load<f64>(d1 + i1, 8) - p1;
        ra = (load<f64>(d1 + i1) - g1) * s1 + 2 * c1 * ba;
        p1 = s1 * ra;
        store<f64>(d1 + i1, g1 + p1, 8);
        g1 = c1 * ra - ba;
        const xa = load<f64>(v1 + i1), ya = load<f64>(v1 + i1, 8);
        store<f64>(v1 + i1, s1 * xa + c1 * ya, 8);
        store<f64>(v1 + i1, c1 * xa - s1 * ya);
        i1 -= 8;
      }
    } else {
      // Only the second is left: let it be the first.
      const state = one;
      one = other;
      other = state;
      d1 = d2; e1 = e2; v1 = v2; q1 = q2;
      left1 = left2; g1 = g2; s1 = s2; c1 = c2; p1 = p2; i1 = i2;
      left2 = 0;
      other = 0;
      continue;
    }
    if (left1 == 0) {
      finishSweep(one, g1, p1);
      left1 = nextSweep(one);
      g1 = load<f64>(one, SHIFTED); s1 = 1; c1 = 1; p1 = 0;
      i1 = <usize>(load<i32>(one, HIGH) - 1) << 3;
    }
    if (other != 0 && left2 == 0) {
      finishSweep(other, g2, p2);
      left2 = nextSweep(other);
      g2 = load<f64>(other, SHIFTED); s2 = 1; c2 = 1; p2 = 0;
      i2 = <usize>(load<i32>(other, HIGH) - 1) << 3;
      if (left2 == 0) other = 0;
    }
  }
}

/** Whether an eigenvalue did not converge or the rotations did not fit. */
export function qlFailed(state: usize): bool {
  return load<i32>(state, FAILED) != 0;
}

/** x ← Z x, with Z the eigenvectors of T: all rotations of a finished state, backwards. */
export function replayRotations(state: usize, x: usize): void {
  const sweeps = load<usize>(state, SWEEPS), rotations = load<usize>(state, ROTATIONS);
  let q = rotations;
  const count = load<i32>(state, SWEEP_COUNT);
  for (let k = 0; k < count; k++) q += <usize>(load<i32>(sweeps + (<usize>k << 3)) - load<i32>(sweeps + (<usize>k << 3), 4)) << 4;
  for (let k = count - 1; k >= 0; k--) {
    const high = load<i32>(sweeps + (<usize>k << 3)), low = load<i32>(sweeps + (<usize>k << 3), 4);
    let lower = load<f64>(x + (<usize>low << 3));
    for (let i = low; i < high; i++) {
      q -= 16;
      const c = load<f64>(q), s = load<f64>(q, 8);
      const upper = load<f64>(x + (<usize>i << 3), 8);
      store<f64>(x + (<usize>i << 3), c * lower + s * upper);
      lower = c * upper - s * lower;
    }
    store<f64>(x + (<usize>high << 3), lower);
  }
}
