import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipRows } from './clip-rows.js';

const norm = (row: ArrayLike<number>) => Math.sqrt(Array.from(row).reduce((sum, x) => sum + x * x, 0));
const matrix = (rows: number[][]) => ({
  rowCount: rows.length,
  width: rows[0].length,
  data: Float32Array.from(rows.flat()),
});

describe('clipRows', () => {
  it('bounds every row strictly, whatever is in it', () => {
    const anything = fc.oneof(
      fc.float({ noNaN: false }),
      fc.constantFrom(Infinity, -Infinity, Number.NaN, 3e38, -3e38, 1e-45),
    );
    fc.assert(
      fc.property(
        fc.array(anything, { minLength: 3, maxLength: 3 }),
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        (row, bound) => {
          const { rows } = clipRows(matrix([row]), bound);
          expect(norm(rows.data)).toBeLessThan(bound);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('shrinks long rows to the bound, keeps their direction, and leaves short ones alone', () => {
    const { rows } = clipRows(
      matrix([
        [3, 4],
        [0.3, 0.4],
        [-3e9, 4e9],
      ]),
      1,
    );
    expect([...rows.data].map((x) => Math.round(x * 1e5) / 1e5)).toEqual([0.6, 0.8, 0.3, 0.4, -0.6, 0.8]);
  });

  it('does not stretch short rows, as the printed maximum would', () => {
    expect(norm(clipRows(matrix([[1e-3, 0]]), 1).rows.data)).toBeLessThan(2e-3);
  });

  it.each([0, -1, Number.NaN, Infinity])('refuses the bound %f', (bound) => {
    expect(() => clipRows(matrix([[1]]), bound)).toThrow(/clip norm/);
  });
});
