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
});
