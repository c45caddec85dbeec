import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minimizeOnBall } from './ball-constrained-quadratic.js';
import { cutRows, cutTargets } from './exact-products.js';
import {
  type BallProblem,
  descend,
  distanceToMinimizer,
  minimizeWithin,
  reachableDistance,
} from './minimize-within.js';
import { RowEquations } from './ridge-rows.js';
import { ballRidgeMoveBound } from './ridge-sensitivity.js';

const width = 3;
const coordinate = fc.double({ min: -0.5, max: 0.5, noNaN: true });
const problems = fc
  .record({
    rows: fc.array(fc.array(coordinate, { minLength: width, maxLength: width }), {
      minLength: 1,
      maxLength: 8,
    }),
    targets: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 }),
    ridge: fc.double({ min: 0.05, max: 4, noNaN: true }),
    radius: fc.double({ min: 0.05, max: 2, noNaN: true }),
  })
  .map(({ rows, targets, ridge, radius }) => {
    const equations = new RowEquations(width);
    const csr = {
      rowCount: 1,
      columnCount: rows.length,
      offsets: Uint32Array.of(0, rows.length),
      indices: Uint32Array.from(rows.keys()),
      values: new Float32Array(0),
    };
    const cut = cutRows(Float64Array.from(rows.flat()), 1, rows.length);
    equations.accumulate(csr, 0, cutTargets(targets, 1), cut, ridge);
    const problem: BallProblem = {
      matrix: equations.matrix,
      linear: equations.vector,
      width,
      radius,
      ridge,
    };
    const move = ballRidgeMoveBound(1, 1, radius, ridge);
    return { problem, distance: reachableDistance(move, rows.length, width, radius) };
  });

const distanceBetween = (a: Float64Array, b: Float64Array) =>
  Math.hypot(...a.map((value, c) => value - b[c]));
const solved = ({ matrix, linear, radius }: BallProblem) => minimizeOnBall(matrix, linear, width, radius);

describe('the distance to an exact minimiser', () => {
  it('is proved small for what the usual solver gives, so that nothing is computed twice', () => {
    fc.assert(
      fc.property(problems, ({ problem, distance }) => {
        expect(distanceToMinimizer(problem, solved(problem))).toBeLessThan(distance / 100);
      }),
      { seed: 1 },
    );
  });

  it('is never understated for a point that is off, inside the ball, on it or outside', () => {
    fc.assert(
      fc.property(
        problems,
        fc.array(coordinate, { minLength: width, maxLength: width }),
        fc.constantFrom(1, 1e-3, 1e-6, 1e-9),
        fc.boolean(),
        ({ problem }, direction, size, project) => {
          const best = solved(problem);
          const off = best.map((value, c) => value + size * direction[c]);
          const length = Math.hypot(...off);
          if (project && length > problem.radius)
            for (let c = 0; c < width; c++) off[c] *= problem.radius / length;
          // What the solver itself is off by is far below the distances that are told apart here.
          expect(distanceToMinimizer(problem, off)).toBeGreaterThanOrEqual(
            distanceBetween(off, best) * 0.999 - 1e-12,
          );
        },
      ),
      { seed: 2, numRuns: 500 },
    );
  });

  it('is reached by descent alone, where the usual solver fails, lies or throws', () => {
    fc.assert(
      fc.property(problems, ({ problem, distance }) => {
        const best = solved(problem);
        expect(distanceBetween(descend(problem, distance), best)).toBeLessThan(distance);
        const lied = minimizeWithin(problem, distance, () => best.map((value) => value + 10 * distance));
        expect(distanceBetween(lied, best)).toBeLessThan(distance);
        const thrown = minimizeWithin(problem, distance, () => {
          throw new Error('no eigenvalues');
        });
        expect(thrown).toEqual(lied);
      }),
      { seed: 3 },
    );
  });
});
