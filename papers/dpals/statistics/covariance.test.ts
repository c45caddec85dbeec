import { ratingsOf } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import type { PeopleShare } from '../../../packages/statistics/src/people/people.js';
import { replayFrankWolfe, residualCovariance, rowCovariance } from './covariance.js';

describe('covariances of people’s rows', () => {
  it('have the sensitivity of the ball that rows, and residuals, are kept in', () => {
    const question = { offset: 0, rowBound: 3 };
    expect(rowCovariance.shapes(question, 4).covariance).toMatchObject({ length: 10, sensitivity: 9 });
    const path = { nuclearNorm: 4, rounds: 2, path: [], steps: 0 };
    expect(residualCovariance.shapes({ ...question, ...path }, 4).covariance).toMatchObject({
      length: 10,
      sensitivity: 36,
    });
  });

  it('move a row along what was released, and into the ball only where it leaves it', () => {
    const { byUser } = ratingsOf([{ name: 'one', items: [0], ratings: [1] }], 1);
    const path = [{ direction: Float64Array.of(1), strength: 2 }];
    const coefficients = (rowBound: number) =>
      replayFrankWolfe(byUser, path, { offset: 0, rowBound, nuclearNorm: 4, rounds: 2 })[0];
    // The step is ηκ·|residual|/λ̂ = ½ · 4 · 1/2.
    expect(coefficients(10)?.[0]).toBeCloseTo(1, 6);
    // A rating of 1 is a row of ½ in a ball of ½; the step would be ½ too, and stays within.
    expect(coefficients(0.5)?.[0]).toBeCloseTo(0.5, 6);
  });

  it('are those of the steps that are meant, whichever were asked for before', async () => {
    const { byUser: rows } = ratingsOf([{ name: 'one', items: [0, 1], ratings: [1, -2] }], 2);
    const path = [Float64Array.of(1, 0), Float64Array.of(0.6, 0.8)].map((direction) => ({
      direction,
      strength: 2,
    }));
    const question = { offset: 0, rowBound: 10, nuclearNorm: 4, rounds: 4, path };
    /** Covariances after so many steps each, asked for in this order of the same person. */
    const after = async (...asked: readonly number[]) => {
      let kept: unknown;
      const share = {
        rows,
        keep: <T>(_: string, __: object, make: (previous?: T) => T) => {
          kept = make(kept as T | undefined);
          return kept as T;
        },
      } as unknown as PeopleShare;
      return asked.map((steps) => {
        const covariance = new Float64Array(3);
        residualCovariance.add(share, { ...question, steps }, { covariance });
        return [...covariance];
      });
    };
    const [[none], [one], [two]] = [await after(0), await after(1), await after(2)];
    expect(new Set([none, one, two].map(String)).size).toBe(3);
    expect(await after(0, 1, 2)).toEqual([none, one, two]);
    expect(await after(2, 1)).toEqual([two, one]);
  });
});
