import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minimizeOnBall } from './ball-constrained-quadratic.js';

const norm = (x: ArrayLike<number>) => Math.hypot(...Array.from(x));
const objective = (matrix: Float64Array, linear: Float64Array, x: ArrayLike<number>) => {
  let value = 0;
  for (let a = 0; a < x.length; a++) {
    value -= 2 * linear[a] * x[a];
    for (let c = 0; c < x.length; c++) value += x[a] * matrix[a * x.length + c] * x[c];
  }
  return value;
};

describe('minimizeOnBall', () => {
  const entry = fc.double({ min: -10, max: 10, noNaN: true });

  it('lies in the ball and beats every point of a dense sample of it', () => {
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 3, maxLength: 3 }),
        fc.array(entry, { minLength: 2, maxLength: 2 }),
        fc.double({ min: 0.1, max: 3, noNaN: true }),
        ([a, b, c], linear, radius) => {
          const matrix = Float64Array.of(a, b, b, c);
          const vector = Float64Array.from(linear);
          const best = minimizeOnBall(matrix, vector, 2, radius);
          expect(norm(best)).toBeLessThanOrEqual(radius * (1 + 1e-14));
          const value = objective(matrix, vector, best);
          for (let angle = 0; angle < 64; angle++) {
            for (const length of [0.25, 0.5, 0.75, 1]) {
              const x = [
                radius * length * Math.cos((angle * Math.PI) / 32),
                radius * length * Math.sin((angle * Math.PI) / 32),
              ];
              expect(value).toBeLessThanOrEqual(objective(matrix, vector, x) + 1e-9 * (1 + Math.abs(value)));
            }
          }
        },
      ),
      { seed: 4 },
    );
  });

  it('finds the hard case: nothing along the lowest direction, the rest too short', () => {
    // H = diag(−1, 2), c = (0, 0.3): at ν = 1, x₂ = 0.1 and the missing length goes along the first axis.
    const best = minimizeOnBall(Float64Array.of(-1, 0, 0, 2), Float64Array.of(0, 0.3), 2, 1);
    expect(best[1]).toBeCloseTo(0.1, 10);
    expect(Math.abs(best[0])).toBeCloseTo(Math.sqrt(1 - 0.01), 10);
  });

  it('is the plain solution when that lies inside', () => {
    const best = minimizeOnBall(Float64Array.of(2, 1, 1, 3), Float64Array.of(1, 1), 2, 10);
    expect(best[0]).toBeCloseTo(0.4, 12);
    expect(best[1]).toBeCloseTo(0.2, 12);
  });
});
