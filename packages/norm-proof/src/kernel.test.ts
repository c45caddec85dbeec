import { describe, expect, it } from 'vitest';
import { evaluate, inverse, MODULUS, power, reduce, rootOfUnity } from './field.js';
import { plainKernel } from './kernel.js';
import { fieldNumbers, wholeNumbers } from './numbers.js';
import { fastKernel } from './wasm-kernel.js';

const fast = fastKernel();
let state = 1n;
/** Numbers modulo q, every fourth one where a carry could go wrong. */
function numbers(count: number): BigUint64Array<ArrayBuffer> {
  const edges = [0n, 1n, MODULUS - 1n, 2n ** 32n - 1n, 2n ** 32n, MODULUS - 2n ** 32n, 2n ** 63n];
  return BigUint64Array.from({ length: count }, (_, at) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) % 2n ** 64n;
    return at % 4 === 0 ? edges[(at / 4) % edges.length] : state % MODULUS;
  });
}

it('roots of unity have their order', () => {
  for (const order of [2, 64, 512, 2 ** 32]) {
    expect(power(rootOfUnity(order), BigInt(order))).toBe(1n);
    expect(power(rootOfUnity(order), BigInt(order / 2))).toBe(MODULUS - 1n);
  }
  expect((inverse(123n) * 123n) % MODULUS).toBe(1n);
  expect(reduce(-1n)).toBe(MODULUS - 1n);
});

it('whole numbers come back from the field', () => {
  const values = Float64Array.of(
    0,
    1,
    -1,
    2 ** 32,
    -(2 ** 32),
    2 ** 32 - 1,
    1 - 2 ** 32,
    2 ** 51,
    -(2 ** 51),
  );
  const vector = fieldNumbers(values);
  expect([...vector]).toEqual([...values].map((value) => reduce(BigInt(value))));
  expect(wholeNumbers(vector)).toEqual(values);
  expect(() => fieldNumbers(Float64Array.of(0.5))).toThrow('Number 0 is 0.5');
  expect(() => fieldNumbers(Float64Array.of(0, 2 ** 52))).toThrow('Number 1 is');
});

describe('the fast kernel gives the numbers of the plain one', () => {
  it('is there', () => {
    expect(fast).not.toBe(plainKernel);
  });

  it('in sums, differences and weighted sums', () => {
    const [a, b] = [numbers(403), numbers(404).slice(1)];
    expect(fast.add(a, b)).toEqual(plainKernel.add(a, b));
    expect(fast.subtract(a, b)).toEqual(plainKernel.subtract(a, b));
    const weights = numbers(31);
    expect(fast.weightedSum(a, weights, 13)).toEqual(plainKernel.weightedSum(a, weights, 13));
    expect(fast.weightedSum(a, b, 1)).toEqual(plainKernel.weightedSum(a, b, 1));
  });

  it.each([1, 3, 4, 127, 128, 129, 130, 500])('in products of %d numbers with signs', (length) => {
    const vector = numbers(length);
    const bits = Uint8Array.from({ length: 7 * Math.ceil(length / 4) }, (_, at) => (at * 167 + 11) & 255);
    expect(fast.signedProducts(vector, bits, 7)).toEqual(plainKernel.signedProducts(vector, bits, 7));
  });

  it.each([2, 4, 16, 64])('in polynomials through %d points', (points) => {
    for (const paired of [false, true])
      for (const calls of [1, points - 1, points]) {
        const rows = numbers(6 * calls);
        expect(fast.sumOfProducts(rows, 6, points, paired)).toEqual(
          plainKernel.sumOfProducts(rows, 6, points, paired),
        );
      }
    const coefficients = numbers(2 * points - 1);
    const values = fast.valuesAtRoots(coefficients, points);
    expect(values).toEqual(plainKernel.valuesAtRoots(coefficients, points));
    expect(values[1]).toBe(evaluate(coefficients, rootOfUnity(points)));
  });
});
