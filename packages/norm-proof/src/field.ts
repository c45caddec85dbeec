/**
 * The prime q = 2^64 − 2^32 + 1. Numbers modulo q are `bigint`s in [0, q); vectors of them are
 * `BigUint64Array`s.
 */
export const MODULUS = 2n ** 64n - 2n ** 32n + 1n;

/** Largest power of two that divides q − 1: so many roots of unity there are. */
const MOST_ROOTS = 2n ** 32n;
const GENERATOR = 7n;

/** Any whole number modulo q. */
export function reduce(value: bigint): bigint {
  const rest = value % MODULUS;
  return rest < 0n ? rest + MODULUS : rest;
}

/** Exponent at least 0. O(log exponent). */
export function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = reduce(base);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % MODULUS;
    square = (square * square) % MODULUS;
  }
  return result;
}

/** 1/value, by Fermat's little theorem; 0 for 0. */
export function inverse(value: bigint): bigint {
  return power(value, MODULUS - 2n);
}

/** Inverses of numbers that are not 0, for one inversion and three products each. */
export function inverses(values: readonly bigint[]): bigint[] {
  const before: bigint[] = [];
  let product = 1n;
  for (const value of values) {
    before.push(product);
    product = (product * value) % MODULUS;
  }
  let rest = inverse(product);
  const result = new Array<bigint>(values.length);
  for (let at = values.length - 1; at >= 0; at--) {
    result[at] = (rest * before[at]) % MODULUS;
    rest = (rest * values[at]) % MODULUS;
  }
  return result;
}

/** The root of unity of this order, a power of two up to 2^32, on which polynomials are evaluated. */
export function rootOfUnity(order: number): bigint {
  return power(power(GENERATOR, (MODULUS - 1n) / MOST_ROOTS), MOST_ROOTS / BigInt(order));
}

/** 1, x, x², … */
export function powersOf(x: bigint, count: number): bigint[] {
  const powers: bigint[] = [];
  for (let next = 1n; powers.length < count; next = (next * x) % MODULUS) powers.push(next);
  return powers;
}

/** Value of a polynomial by its coefficients, the constant first (Horner). */
export function evaluate(coefficients: Iterable<bigint>, x: bigint): bigint {
  let value = 0n;
  for (const coefficient of [...coefficients].reverse()) value = (value * x + coefficient) % MODULUS;
  return value;
}

/** Smallest power of two that is at least `least`. */
export function powerOfTwo(least: number): number {
  let power = 1;
  while (power < least) power *= 2;
  return power;
}
