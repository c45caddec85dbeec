// Eight (float64) or sixteen (float32) tridiagonal matrices in memory, one to a lane, for implicit-ql.ts: a
// line is one number of each.

export const LINE: usize = 64;

/** Matrices of a group. */
@inline
export function groupSize<T>(): i32 {
  return <i32>LINE / sizeof<T>();
}

// A group is one line of each of these, three lines for each dimension, a list of sweeps, and the rotations.
export const COSINE: usize = 0, SINE: usize = LINE, BULGE: usize = 2 * LINE, MOVED: usize = 3 * LINE;
export const LOW: usize = 4 * LINE, HIGH: usize = 5 * LINE; // integers: the block is low … high, and low = high where a lane rests
export const NEGLIGIBLE: usize = 6 * LINE, SUSPECT: usize = 7 * LINE, SMALL_SEEN: usize = 8 * LINE;
export const ITERATION: usize = 9 * LINE, FAILED: usize = 10 * LINE; // integers
const HEADER: usize = 11 * LINE;
export const ROW: usize = 3 * LINE, DIAGONAL: usize = 0, OFF: usize = LINE, VECTOR: usize = 2 * LINE;
/** Cosines, then sines, of one step. */
export const STEP: usize = 2 * LINE;

/** Steps that are recorded at most: about 1.2 · d² happen. */
@inline
export function stepLimit(width: i32): i32 {
  return 4 * width * width + 64;
}

@inline
export function rowOf(group: usize, i: i32): usize {
  return group + HEADER + <usize>i * ROW;
}

/** How many sweeps there were, then (high, low) of each. */
@inline
export function sweepsOf(group: usize, width: i32): usize {
  return rowOf(group, width + 1);
}

@inline
export function stepsOf(group: usize, width: i32): usize {
  return sweepsOf(group, width) + (<usize>stepLimit(width) << 3) + LINE;
}

/** Memory of one group; `width` is a multiple of 4. */
export function qlGroupBytes(width: i32): usize {
  return stepsOf(0, width) + <usize>stepLimit(width) * STEP;
}

/** Makes every lane rest. */
export function clearQl(group: usize, width: i32): void {
  memory.fill(group, 0, sweepsOf(0, width));
}

/** The part of a group that belongs to a lane, for all functions of one lane. */
@inline
export function laneOf<T>(group: usize, lane: i32): usize {
  return group + <usize>lane * sizeof<T>();
}

/**
 * Writes an integer of a lane, as wide as its numbers so that it can mask them; its low 32 bits are what is
 * read.
 */
@inline
export function storeInteger<T>(at: usize, value: i32): void {
  if (sizeof<T>() == 4) store<i32>(at, value);
  else store<i64>(at, value);
}

/** Eigenvalue k after `runQl`. */
@inline
export function laneEigenvalue<T>(own: usize, k: i32): T {
  return load<T>(rowOf(own, k), DIAGONAL);
}

/** Address of entry k of the lane's vector. */
@inline
export function laneEntry(own: usize, k: i32): usize {
  return rowOf(own, k) + VECTOR;
}

/** Whether an eigenvalue did not converge or the rotations did not fit. */
@inline
export function laneFailed(own: usize): bool {
  return load<i32>(own + FAILED) != 0;
}
