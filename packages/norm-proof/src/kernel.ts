import { evaluate, inverse, MODULUS, powersOf, reduce, rootOfUnity } from './field.js';

type Vector = BigUint64Array<ArrayBuffer>;

/** What takes long, on vectors of numbers modulo q. */
export interface FieldKernel {
  add(a: BigUint64Array, b: BigUint64Array): Vector;
  subtract(a: BigUint64Array, b: BigUint64Array): Vector;
  /**
   * Products of `vector` with `count` vectors of −1, 0 and 1, each of which begins with a new byte of `bits`:
   * two bits a number, the lowest ones first; 00 is −1, 11 is 1.
   */
  signedProducts(vector: BigUint64Array, bits: Uint8Array, count: number): Vector;
  /** Σ_k weights[k]·rows[k], where rows of `width` numbers stand one after another. */
  weightedSum(rows: BigUint64Array, weights: BigUint64Array, width: number): Vector;
  /**
   * Σ_c P_c², or Σ_c P_2c·P_(2c+1) where `paired`, as 2·points − 1 coefficients. P_c is the polynomial that
   * has the numbers of column c as its values at the powers of a root of unity: rows of `width` numbers, at
   * most `points` of them (a power of two), the others 0.
   */
  sumOfProducts(rows: BigUint64Array, width: number, points: number, paired: boolean): Vector;
  /** Values of a polynomial at the powers of the root of unity of order `points`, a power of two. */
  valuesAtRoots(coefficients: BigUint64Array, points: number): Vector;
}

/** The definition of all of it, for reading and for comparing with. */
export const plainKernel: FieldKernel = {
  add: (a, b) => a.map((value, at) => (value + b[at]) % MODULUS) as Vector,
  subtract: (a, b) => a.map((value, at) => (value + MODULUS - b[at]) % MODULUS) as Vector,
  signedProducts(vector, bits, count) {
    const products = new BigUint64Array(count);
    const bytes = Math.ceil(vector.length / 4);
    for (let product = 0; product < count; product++) {
      let sum = 0n;
      for (let at = 0; at < vector.length; at++) {
        const pair = (bits[product * bytes + (at >> 2)] >> (2 * (at & 3))) & 3;
        if (pair === 0) sum -= vector[at];
        if (pair === 3) sum += vector[at];
      }
      products[product] = reduce(sum);
    }
    return products;
  },
  weightedSum(rows, weights, width) {
    const sums = new BigUint64Array(width);
    for (const [row, weight] of weights.entries())
      for (let at = 0; at < width; at++) sums[at] = (sums[at] + weight * rows[row * width + at]) % MODULUS;
    return sums;
  },
  sumOfProducts(rows, width, points, paired) {
    const sum = new BigUint64Array(2 * points - 1);
    const polynomial = (column: number) => {
      const values = new BigUint64Array(points);
      for (let at = 0; at * width < rows.length; at++) values[at] = rows[at * width + column];
      return interpolated(values);
    };
    for (let column = 0; column < width; column += paired ? 2 : 1) {
      const left = polynomial(column);
      const right = paired ? polynomial(column + 1) : left;
      for (let i = 0; i < points; i++)
        for (let j = 0; j < points; j++) sum[i + j] = (sum[i + j] + left[i] * right[j]) % MODULUS;
    }
    return sum;
  },
  valuesAtRoots: (coefficients, points) =>
    BigUint64Array.from(powersOf(rootOfUnity(points), points), (x) => evaluate(coefficients, x)),
};

/** Coefficients of the polynomial with these values at the powers of a root of unity. */
function interpolated(values: BigUint64Array): BigUint64Array {
  const points = values.length;
  const inversePoints = inverse(BigInt(points));
  return BigUint64Array.from(
    powersOf(inverse(rootOfUnity(points)), points),
    (x) => (evaluate(values, x) * inversePoints) % MODULUS,
  );
}
