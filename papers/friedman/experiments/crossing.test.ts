import { describe, expect, it } from 'vitest';
import { crossingNear, slopeOver } from './crossing.js';
import { findCrossing } from './find-crossing.js';
import type { FoldRequest } from './fold-runner.js';

/** A repeatable generator of U(0, 1). */
function stream(): () => number {
  let state = 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

describe('crossingNear', () => {
  it('steps from a point along the slope in log ε', () => {
    // Mean +0.2 at ε = 1, falling by 0.4 from ln 1 to ln 4: half-way is √(1·4) = 2.
    const point = { epsilon: 1, differences: [[0.3], [0.1]] };
    expect(crossingNear(point, -0.4 / Math.log(4), stream()).epsilon).toBeCloseTo(2, 12);
  });

  it('has an interval as wide as the folds differ, however alike the runs of one fold are', () => {
    const spread = [-0.05, 0.05, 0.02, -0.02, 0.01, -0.01];
    const once = { epsilon: 1, differences: spread.map((each) => [each]) };
    const often = { epsilon: 1, differences: spread.map((each) => Array<number>(100).fill(each)) };
    const { epsilon, low, high } = crossingNear(once, -0.1, stream());
    expect(low!).toBeLessThan(epsilon!);
    expect(high!).toBeGreaterThan(epsilon!);
    expect(crossingNear(often, -0.1, stream()).high).toBeCloseTo(high!, 9);
  });

  it('refuses a curve that does not fall', () => {
    expect(() => crossingNear({ epsilon: 1, differences: [[0.1]] }, 0, stream())).toThrow('falling');
  });
});

describe('slopeOver', () => {
  it('is the slope of a straight line in ln ε', () => {
    const points = [1, 2, 4, 8].map((epsilon) => ({ epsilon, differences: [[3 - 0.7 * Math.log(epsilon)]] }));
    expect(slopeOver(points)).toBeCloseTo(-0.7, 12);
  });
});

describe('findCrossing', () => {
  /** Error 1/ε^power above 0.9, plus a little noise that depends on ε, fold and run only. */
  const runnerOf = (power: number, noise: number, asked: number[] = []) => ({
    errors: async ({ epsilon, folds, runs }: FoldRequest) => {
      asked.push(epsilon);
      return folds.flatMap((fold) =>
        Array.from({ length: runs }, (_, run) => ({
          fold,
          rmse: 0.9 + epsilon ** -power + noise * Math.sin(1e4 * epsilon + 31 * fold + 7 * run),
        })),
      );
    },
  });
  const folds = Array.from({ length: 10 }, (_, fold) => fold);
  const search = (target: number, power: number, start: number) => ({
    method: 'any',
    settings: {},
    baseline: folds.map(() => 0.9 + target ** -power),
    runs: 5,
    folds,
    scouts: 4,
    start,
    least: 0.05,
    most: 100,
  });

  it.each([0.1, 0.7, 3, 20, 90])('finds ε = %f from any start, also with noise', async (target) => {
    for (const start of [0.06, 2, 100]) {
      const found = await findCrossing(runnerOf(1, 0.02 / target), search(target, 1, start), stream());
      expect(Math.abs(Math.log(found.epsilon! / target))).toBeLessThan(Math.log(1.05));
      expect(found.points.at(-1)!.differences.map((runs) => runs.length)).toEqual(folds.map(() => 5));
    }
  });

  it('says so when the baseline is not reached, with the distance left', async () => {
    const found = await findCrossing(runnerOf(1, 0), search(1000, 1, 5), stream());
    expect(found.epsilon).toBeNull();
    expect(found.lastDifference).toBeCloseTo(0.01 - 0.001, 12);
  });

  it('refuses a range that begins beyond the crossing', async () => {
    await expect(findCrossing(runnerOf(1, 0), search(0.01, 1, 1), stream())).rejects.toThrow('below');
  });
});
