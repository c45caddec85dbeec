import { describe, expect, it } from 'vitest';
import { scalarSmallProduct } from './kernels/scalar-small-product.js';
import { type ProductShape, smallProduct } from './small-product.js';

describe('products of small matrices', () => {
  it.each([
    [1, 1, 1],
    [4, 3, 2],
    [7, 5, 3],
    [8, 1, 6],
    [13, 16, 9],
    [3, 0, 4],
    [24, 20, 30],
    [33, 17, 23],
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

  it.each([1, 2, 5, 8, 11, 24, 37])('reads no more than the triangle, with %s columns', (size) => {
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

  it.each([1, 3, 4, 10, 31])('has the upper triangle of a symmetric result of %s rows', (size) => {
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

  const shapes: ProductShape[] = [
    {},
    { left: 'transposed' },
    { onto: true },
    { left: 'transposed', onto: true, symmetric: true },
    { right: 'upper' },
    { right: 'lower', onto: true },
    { right: 'upper', left: 'transposed' },
  ];

  it.each(shapes)('has the same bits in WebAssembly as without: %o', (shape) => {
    for (const [rows, inner, columns] of [
      [12, 11, 12],
      [31, 31, 31],
      [40, 18, 18],
      [128, 57, 57],
      [26, 100, 26],
    ] as const) {
      if (shape.symmetric && rows !== columns) continue;
      if (shape.right !== undefined && inner !== columns) continue;
      const left = Float64Array.from({ length: rows * inner }, (_, at) => Math.sin(1 + at));
      const right = Float64Array.from({ length: inner * columns }, (_, at) => Math.cos(3 * at));
      const before = Float64Array.from({ length: rows * columns }, (_, at) => Math.sin(7 * at));
      const [found, expected] = [before.slice(), before.slice()];
      smallProduct(found, left, right, rows, inner, columns, shape);
      scalarSmallProduct(expected, left, right, rows, inner, columns, shape);
      for (let row = 0; row < rows; row++)
        for (let column = shape.symmetric ? row : 0; column < columns; column++)
          expect(found[row * columns + column]).toBe(expected[row * columns + column]);
    }
  });

  it('reads a left matrix by columns, and adds to what is there', () => {
    // (1 2; 3 4)ᵀ · (5 6; 7 8) = (26 30; 38 44)
    const out = Float64Array.of(100, 200, 300, 400);
    const shape = { left: 'transposed', onto: true } as const;
    smallProduct(out, Float64Array.of(1, 2, 3, 4), Float64Array.of(5, 6, 7, 8), 2, 2, 2, shape);
    expect([...out]).toEqual([126, 230, 338, 444]);
  });
});
