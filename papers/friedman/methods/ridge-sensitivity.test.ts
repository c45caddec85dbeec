import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minimizeOnBall } from './ball-constrained-quadratic.js';
import { RowEquations } from './ridge-rows.js';
import { ballRidgeMoveBound, ridgeResponseBound } from './ridge-sensitivity.js';

const coordinate = fc.double({ min: -1, max: 1, noNaN: true });
const point = fc.tuple(coordinate, coordinate);
const value = fc.double({ min: -1, max: 1, noNaN: true });

function solved(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  ridge: number,
  radius: number,
) {
  const equations = new RowEquations(2);
  const csr = {
    rowCount: 1,
    columnCount: rows.length,
    offsets: Uint32Array.of(0, rows.length),
    indices: Uint32Array.from(rows.keys()),
    values: new Float32Array(0),
  };
  equations.accumulate(csr, 0, Float32Array.from(targets), Float64Array.from(rows.flat()), ridge);
  return minimizeOnBall(equations.matrix, equations.vector, 2, radius);
}

const distance = (a: Float64Array, b: Float64Array) => Math.hypot(a[0] - b[0], a[1] - b[1]);

describe('ridge sensitivities', () => {
  it('a changed value moves the solution by at most h(norm, ridge)', () => {
    fc.assert(
      fc.property(
        fc.array(point, { minLength: 1, maxLength: 5 }),
        fc.double({ min: 0.05, max: 4, noNaN: true }),
        (rows, ridge) => {
          const norm = Math.max(...rows.map(([x, y]) => Math.hypot(x, y)));
          const targets = rows.map(() => 0.5);
          const before = solved(rows, targets, ridge, 1e9);
          const after = solved(rows, [-0.5, ...targets.slice(1)], ridge, 1e9);
          expect(distance(before, after)).toBeLessThanOrEqual(ridgeResponseBound(norm, ridge) * (1 + 1e-9));
        },
      ),
      { seed: 7 },
    );
  });

  it('is attained by a single row, on both branches', () => {
    for (const [norm, ridge] of [
      [0.3, 1],
      [1, 1],
    ] as const) {
      const move = distance(solved([[norm, 0]], [1], ridge, 1e9), solved([[norm, 0]], [0], ridge, 1e9));
      expect(move).toBeCloseTo(ridgeResponseBound(norm, ridge), 12);
    }
  });

  it('an added pair moves the minimiser on the ball by at most its bound', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(point, value), { minLength: 1, maxLength: 6 }),
        fc.double({ min: 0.1, max: 4, noNaN: true }),
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        (pairs, ridge, radius) => {
          const rows = pairs.map(([x]) => x);
          const targets = pairs.map(([, y]) => y);
          const [added] = rows;
          const norm = Math.hypot(added[0], added[1]);
          const move = distance(
            solved(rows, targets, ridge, radius),
            solved(rows.slice(1), targets.slice(1), ridge, radius),
          );
          expect(move).toBeLessThanOrEqual(ballRidgeMoveBound(norm, 1, radius, ridge) * (1 + 1e-6) + 1e-9);
        },
      ),
      { seed: 8 },
    );
  });
});
