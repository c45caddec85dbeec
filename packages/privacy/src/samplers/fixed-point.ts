/**
 * Real numbers in [0, 2^64) as integers scaled by 2^PRECISION, for building sampling tables: every step
 * rounds down by less than one unit, so a table of 2^15 entries made with a few roundings each is exact to
 * better than 2^-210.
 */
export const PRECISION = 256n;
export const ONE = 1n << PRECISION;

/** A finite double ≥ 0, exactly where it is at least 2^-200 (all digits kept). */
export function fixedFromNumber(value: number): bigint {
  if (!(value >= 0 && value < 2 ** 64)) throw new RangeError(`Fixed point holds [0, 2^64); got ${value}.`);
  if (value === 0) return 0n;
  const exponent = Math.floor(Math.log2(value)) - 53;
  // value / 2^exponent is an integer below 2^55: a double has 53 significant bits.
  const mantissa = BigInt(value / 2 ** exponent);
  const shift = PRECISION + BigInt(exponent);
  return shift >= 0n ? mantissa << shift : mantissa >> -shift;
}

export const multiply = (a: bigint, b: bigint): bigint => (a * b) >> PRECISION;
export const divide = (a: bigint, b: bigint): bigint => (a << PRECISION) / b;

/**
 * e^(−x) for x ≥ 0: Taylor series at x/2^k < 2^-8, then k squarings (each doubles the error: 2^-256+8+k at
 * worst).
 */
export function expMinus(x: bigint): bigint {
  let halvings = 0n;
  while (x >> halvings > ONE >> 8n) halvings++;
  const small = x >> halvings;
  let term = ONE;
  let sum = ONE;
  for (let k = 1n; term > 0n; k++) {
    term = multiply(term, small) / k;
    sum += k % 2n === 1n ? -term : term;
  }
  for (let i = 0n; i < halvings; i++) sum = multiply(sum, sum);
  return sum;
}
