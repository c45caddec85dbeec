import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  choleskyInPlace,
  choleskySolve,
  invertPositiveDefinite,
  NotPositiveDefiniteError,
  solvePositiveDefinite,
} from './cholesky.js';
import { packedLength, unpackSymmetric } from './packed-symmetric.js';
import { projectPositiveSemidefinite } from './psd-projection.js';
import { EigenError, symmetricEigen } from './symmetric-eigen.js';

const entry = fc.double({ min: -10, max: 10, noNaN: true });
const symmetricMatrix = fc.integer({ min: 1, max: 9 }).chain((width) =>
  fc.array(entry, { minLength: packedLength(width), maxLength: packedLength(width) }).map((packed) => ({
    width,
    matrix: unpackSymmetric(Float64Array.from(packed), width),
  })),
);

function product(a: Float64Array, b: Float64Array, width: number): Float64Array {
  const out = new Float64Array(width * width);
  for (let r = 0; r < width; r++)
    for (let k = 0; k < width; k++)
      for (let c = 0; c < width; c++) out[r * width + c] += a[r * width + k] * b[k * width + c];
  return out;
}

/** Upper triangle of a full d × d matrix, by rows. */
const packedOf = (full: Float64Array, width: number) =>
  full.filter((_, at) => at % width >= Math.floor(at / width));

const largestDifference = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let most = 0;
  for (let k = 0; k < a.length; k++) most = Math.max(most, Math.abs(a[k] - b[k]));
  return most;
};

describe('packed symmetric matrices', () => {
  it('come back from packing', () => {
    fc.assert(
      fc.property(symmetricMatrix, ({ matrix, width }) => {
        expect(unpackSymmetric(packedOf(matrix, width), width)).toEqual(matrix);
      }),
    );
  });
});

describe('symmetric eigen-decomposition', () => {
  // Backward stability: the residual is a small multiple of machine precision times the norm (≤ 10·9 here).
  it('reproduces the matrix with orthonormal vectors and ascending values', () => {
    fc.assert(
      fc.property(symmetricMatrix, ({ matrix, width }) => {
        const { values, vectors } = symmetricEigen(matrix, width);
        const rebuilt = new Float64Array(width * width);
        for (let k = 0; k < width; k++) {
          if (k > 0) expect(values[k]).toBeGreaterThanOrEqual(values[k - 1]);
          for (let a = 0; a < width; a++)
            for (let c = 0; c < width; c++)
              rebuilt[a * width + c] += values[k] * vectors[k * width + a] * vectors[k * width + c];
        }
        expect(largestDifference(rebuilt, matrix)).toBeLessThan(1e-12);
        for (let k = 0; k < width; k++)
          for (let m = 0; m <= k; m++) {
            let dot = 0;
            for (let a = 0; a < width; a++) dot += vectors[k * width + a] * vectors[m * width + a];
            expect(Math.abs(dot - (k === m ? 1 : 0))).toBeLessThan(1e-13);
          }
      }),
    );
  });

  it('knows the spectrum of the second-difference matrix, 2 − 2 cos(kπ/(d+1))', () => {
    const width = 40;
    const matrix = new Float64Array(width * width);
    for (let a = 0; a < width; a++) {
      matrix[a * width + a] = 2;
      if (a > 0) matrix[a * width + a - 1] = matrix[(a - 1) * width + a] = -1;
    }
    const { values } = symmetricEigen(matrix, width);
    for (let k = 0; k < width; k++) {
      expect(values[k]).toBeCloseTo(2 - 2 * Math.cos(((k + 1) * Math.PI) / (width + 1)), 12);
    }
  });

  it('ends where the rank is far below the width and most of it is rounding', () => {
    const width = 64;
    const matrix = new Float64Array(width * width);
    // Five people who are almost alike.
    for (let person = 1; person <= 5; person++) {
      const u = Float64Array.from(
        { length: width },
        (_, a) => Math.sin(a + 1) + 1e-3 * Math.sin(person * (a + 1) ** 2),
      );
      for (let a = 0; a < width; a++) for (let c = 0; c < width; c++) matrix[a * width + c] += u[a] * u[c];
    }
    expect(largestDifference(projectPositiveSemidefinite(matrix, width), matrix)).toBeLessThan(1e-12);
  });

  it('refuses NaN instead of looping', () => {
    expect(() => symmetricEigen(Float64Array.of(1, Number.NaN, Number.NaN, 1), 2)).toThrow(EigenError);
  });
});

describe('projection onto positive semi-definite matrices', () => {
  // The projection P of A is characterised by: P ⪰ 0, P − A ⪰ 0 and P (P − A) = 0.
  it('satisfies the optimality conditions', () => {
    fc.assert(
      fc.property(symmetricMatrix, ({ matrix, width }) => {
        const projected = projectPositiveSemidefinite(matrix, width);
        const removed = projected.map((value, k) => value - matrix[k]);
        expect(symmetricEigen(projected, width).values[0]).toBeGreaterThan(-1e-11);
        expect(symmetricEigen(removed, width).values[0]).toBeGreaterThan(-1e-11);
        expect(
          largestDifference(product(projected, removed, width), new Float64Array(width * width)),
        ).toBeLessThan(1e-10);
      }),
    );
  });
});

describe('Cholesky', () => {
  it('solves positive definite systems', () => {
    fc.assert(
      fc.property(symmetricMatrix, ({ matrix, width }) => {
        const definite = product(matrix, matrix, width);
        for (let a = 0; a < width; a++) definite[a * width + a] += 1;
        const expected = Float64Array.from({ length: width }, (_, a) => a - 1.5);
        const vector = new Float64Array(width);
        for (let a = 0; a < width; a++)
          for (let c = 0; c < width; c++) vector[a] += definite[a * width + c] * expected[c];
        const factor = definite.slice();
        expect(choleskyInPlace(factor, width)).toBe(-1);
        choleskySolve(factor, width, vector);
        // Condition up to about 1 + (10·9)² with the identity added; times 9 dimensions and machine
        // precision.
        expect(largestDifference(vector, expected)).toBeLessThan(1e-9);
      }),
    );
  });

  it.each([
    ['singular', [0, 0, 0, 0]],
    ['indefinite', [1, 2, 2, 1]],
    ['NaN', [Number.NaN, 0, 0, 1]],
  ])('refuses a %s matrix with advice', (_, entries) => {
    expect(() => solvePositiveDefinite(Float64Array.from(entries), 2, new Float64Array(2))).toThrow(
      NotPositiveDefiniteError,
    );
    expect(() => solvePositiveDefinite(Float64Array.from(entries), 2, new Float64Array(2))).toThrow(/ridge/);
  });
});

describe('inverses', () => {
  // Eigenvalues of AAᵀ + I are between 1 and 1 + 9·9·100: with condition κ the product with the inverse is
  // off by a small multiple of κ times machine precision.
  it('are those of positive definite matrices, by their upper triangles', () => {
    fc.assert(
      fc.property(symmetricMatrix, ({ matrix, width }) => {
        const definite = product(matrix, matrix, width);
        for (let a = 0; a < width; a++) definite[a * width + a] += 1;
        const inverse = definite.map((value, at) =>
          at % width < Math.floor(at / width) ? Number.NaN : value,
        );
        expect(invertPositiveDefinite(inverse, width)).toBe(true);
        const unit = product(definite, inverse, width);
        for (let a = 0; a < width; a++) unit[a * width + a] -= 1;
        expect(largestDifference(unit, new Float64Array(width * width))).toBeLessThan(1e-9);
      }),
    );
  });

  it('do not exist for others', () => {
    expect(invertPositiveDefinite(Float64Array.of(1, 2, 2, 1), 2)).toBe(false);
    expect(invertPositiveDefinite(Float64Array.of(Number.NaN), 1)).toBe(false);
  });
});
