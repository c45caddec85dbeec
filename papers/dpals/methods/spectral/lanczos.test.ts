import { symmetricEigen } from '@hushrec/numerics';
import { describe, expect, it } from 'vitest';
import { multiplyPacked, topEigenpairs } from './lanczos.js';

/** Upper triangle of a full d × d matrix, by rows. */
const packed = (full: Float64Array, width: number) =>
  full.filter((_, at) => at % width >= Math.floor(at / width));

describe('topEigenpairs', () => {
  const size = 60;
  const full = new Float64Array(size * size);
  for (let a = 0; a < size; a++) {
    for (let b = 0; b <= a; b++) {
      full[a * size + b] = Math.sin(a * 7.3 + b * 3.1) + (a === b ? a : 0);
      full[b * size + a] = full[a * size + b];
    }
  }
  let state = 5;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };

  it('agrees with a full decomposition', () => {
    const { values, vectors } = topEigenpairs(multiplyPacked(packed(full, size), size), size, 4, random);
    const exact = symmetricEigen(full, size);
    values.forEach((value, k) => {
      expect(value).toBeCloseTo(exact.values[size - 1 - k], 6);
      const expected = exact.vectors.subarray((size - 1 - k) * size, (size - k) * size);
      const cosine = vectors[k].reduce((sum, x, at) => sum + x * expected[at], 0);
      expect(Math.abs(cosine)).toBeCloseTo(1, 6);
    });
  });

  it('finds all there is in a matrix of rank one', () => {
    const v = Float64Array.from({ length: 8 }, (_, a) => a);
    const outer = new Float64Array(64);
    for (let a = 0; a < 8; a++) for (let b = 0; b < 8; b++) outer[a * 8 + b] = v[a] * v[b];
    const { values } = topEigenpairs(multiplyPacked(packed(outer, 8), 8), 8, 2, random);
    expect(values[0]).toBeCloseTo(140, 6);
    expect(values[1]).toBeCloseTo(0, 6);
  });
});

describe('multiplyPacked', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 23])('is the product with the whole matrix, %i rows', (size) => {
    const full = new Float64Array(size * size);
    for (let a = 0; a < size; a++)
      for (let b = 0; b < size; b++) full[a * size + b] = Math.cos(Math.min(a, b) * 5.1 + Math.max(a, b));
    const vector = Float64Array.from({ length: size }, (_, k) => Math.sin(3 * k + 1));
    const product = multiplyPacked(packed(full, size), size)(vector);
    product.forEach((value, a) => {
      const expected = vector.reduce((sum, x, b) => sum + full[a * size + b] * x, 0);
      expect(Math.abs(value - expected)).toBeLessThan(1e-13 * size);
    });
  });
});
