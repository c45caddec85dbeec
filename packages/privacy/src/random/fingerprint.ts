import { noiseKernel } from './noise-kernel.js';

const STATE_WORDS = 16;
const P = 0x01000193;
const Q = 0x5bd1e995;

/**
 * What noise is about to be added to: a 512-bit fingerprint, and whether every number is whole and at most `limit` in
 * absolute value.
 *
 * Numbers 4k and 4k + 1 go into the first half of the state, 4k + 2 and 4k + 3 into the second. The fingerprint enters the noise key, so that a step resumed on other numbers (another machine's rounding, edited data) gets
 * independent noise instead of the same noise again, whose difference would reveal the change. Every step is a
 * bijection of the state, so a single changed word always shows; several changed ones collide by chance alone. It guards against
 * accidents: it is not a cryptographic hash, and never leaves the process. O(n), under a nanosecond each.
 */
export function examine(
  values: Float64Array,
  limit: number,
): { readonly fingerprint: string; readonly onGrid: boolean } {
  const state = initialState(values.length);
  const kernel = noiseKernel();
  const onGrid = kernel === null ? examineHere(values, limit, state) : kernel.examine(values, limit, state);
  const fingerprint = Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  return { fingerprint, onGrid };
}

/** The fingerprint alone. */
export function fingerprint(values: Float64Array): string {
  return examine(values, Infinity).fingerprint;
}

function initialState(length: number): Int32Array {
  return Int32Array.from({ length: STATE_WORDS }, (_, k) => Math.imul(k + 1, 0x9e3779b9) ^ length);
}

/** The reference for the kernel, and what runs where there is none. */
export function examineHere(values: Float64Array, limit: number, state: Int32Array): boolean {
  const words = new Int32Array(4);
  const pair = new Float64Array(words.buffer);
  let onGrid = true;
  for (let i = 0; i < Math.ceil(values.length / 4) * 4; i += 2) {
    pair[0] = values[i] ?? 0;
    pair[1] = values[i + 1] ?? 0;
    for (const value of pair) onGrid &&= Math.trunc(value) === value && Math.abs(value) <= limit;
    const half = 4 * (i % 4);
    const a = state.subarray(half, half + 4);
    const b = state.subarray(half + 4, half + 8);
    for (let k = 0; k < 4; k++) a[k] = Math.imul(a[k]! ^ words[k]!, P);
    for (let k = 0; k < 4; k++) b[k] = Math.imul(b[k]! ^ words[(k + 1) & 3]!, Q) + a[k]!;
    const first = a[0]!;
    for (let k = 0; k < 4; k++) a[k] = (k < 3 ? a[k + 1]! : first) ^ (b[k]! >>> 15);
  }
  return onGrid;
}
