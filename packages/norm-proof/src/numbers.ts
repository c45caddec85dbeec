import { MODULUS } from './field.js';

/**
 * Whole numbers (|value| < 2^52) modulo q, by halves of 32 bits: a negative one is q + value, and q is 2^64 −
 * (2^32 − 1). O(n).
 *
 * @throws RangeError for others
 */
export function fieldNumbers(values: Float64Array): BigUint64Array<ArrayBuffer> {
  const vector = new BigUint64Array(values.length);
  const halves = new Uint32Array(vector.buffer);
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (!(Number.isInteger(value) && Math.abs(value) < 2 ** 52))
      throw new RangeError(`Number ${at} is ${value}; expected a whole number below 2^52.`);
    const number = value < 0 ? value - 0xffffffff : value;
    halves[2 * at] = number;
    halves[2 * at + 1] = Math.floor(number / 2 ** 32);
  }
  return vector;
}

/** The whole numbers nearest to 0 that are these modulo q; exact below 2^53. O(n). */
export function wholeNumbers(vector: BigUint64Array): Float64Array {
  return Float64Array.from(vector, (value) => Number(value > MODULUS / 2n ? value - MODULUS : value));
}
