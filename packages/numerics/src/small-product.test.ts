import { describe, expect, it } from 'vitest';
import { smallProduct } from './small-product.js';

describe('products of small matrices', () => {
  it.each([
    [1, 1, 1],
    [4, 3, 2],
    [7, 5, 3],
    [8, 1, 6],
    [13, 16, 9],
    [3, 0, 4],
  ])('%s × %s × %s: every entry is summed in the order of the inner index', (rows, inner, columns) => {
    const left = Float64Array.from({ length: rows * inner }, (_, at) => Math.sin(1 + at));
    const right = Float64Array.from({ length: inner * columns }, (_, at) => Math.cos(3 * at));
    const out = new Float64Array(rows * columns).fill(Number.NaN);
    smallProduct(out, left, right, rows, inner, columns);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        let sum = 0;
        for (let k = 0; k < inner; k++) sum += left[row * inner + k] * right[k * columns + column];
        expect(out[row * columns + column]).toBe(sum);
      }
  });

  it.each([1, 2, 5, 8, 11])('reads no more than the triangle, with %s columns', (size) => {
    const rows = 7;
    const left = Float64Array.from({ length: rows * size }, (_, at) => Math.sin(1 + at));
    for (const triangle of ['upper', 'lower'] as const) {
      const within = (k: number, column: number) => (triangle === 'upper' ? k <= column : k >= column);
      const right = Float64Array.from({ length: size * size }, (_, at) =>
        within(Math.floor(at / size), at % size) ? Math.cos(3 * at) : Number.NaN,
      );
      const zeros = right.map((value) => (Number.isNaN(value) ? 0 : value));
      const [out, whole] = [new Float64Array(rows * size), new Float64Array(rows * size)];
      smallProduct(out, left, right, rows, size, size, { right: triangle });
      smallProduct(whole, left, zeros, rows, size, size);
      expect(out).toEqual(whole);
    }
  });

  it.each([1, 3, 4, 10])('has the upper triangle of a symmetric result of %s rows', (size) => {
    const left = Float64Array.from({ length: size * 5 }, (_, at) => Math.sin(1 + at));
    const right = Float64Array.from(
      { length: 5 * size },
      (_, at) => left[(at % size) * 5 + Math.floor(at / size)],
    );
    const [out, whole] = [new Float64Array(size * size), new Float64Array(size * size)];
    smallProduct(out, left, right, size, 5, size, { symmetric: true });
    smallProduct(whole, left, right, size, 5, size);
    for (let row = 0; row < size; row++)
      for (let column = row; column < size; column++)
        expect(out[row * size + column]).toBe(whole[row * size + column]);
  });
});
