import { LEAST_GRID_SIGMA } from '@hushrec/privacy/recorder-parts';
import { describe, expect, it } from 'vitest';
import { planOfSums } from './one-release.test.data.js';
import { fineGrid, largestSum, lineOf, SharingError, squaredNorm } from './sharing-line.js';

const plan = planOfSums(3);
const shape = { name: 'sums', occurrence: 0, part: 0, length: 4, gridStep: 1, width: 1 };

describe('lines that are shared', () => {
  it.each([0.01, 0.5, 1, 30, 1e6])('draw noise of %s on a grid fine enough for it, and no finer', (noise) => {
    const { step, perStep, effective } = fineGrid({ noise }, 1);
    expect(step * perStep).toBe(1);
    expect(effective).toBe(noise / step);
    expect(effective).toBeGreaterThanOrEqual(LEAST_GRID_SIGMA);
    if (perStep > 1) expect(effective / 2).toBeLessThan(LEAST_GRID_SIGMA);
  });

  it('keep the grid of the statistic where there is no noise', () => {
    expect(fineGrid({ noise: 0 }, 0.25)).toEqual({ step: 0.25, perStep: 1, effective: 0 });
  });

  it('have room for everyone’s largest contribution and ten standard deviations of all noise', () => {
    const { step, effective } = fineGrid(lineOf(plan, shape), 1);
    const room = largestSum(plan, shape, 100, 2);
    expect(room).toBeGreaterThanOrEqual((100 * 3) / step + 20 * effective);
    expect(room).toBeLessThan(1.2 * ((100 * 3) / step + 20 * effective));
  });

  it('must be in the plan', () => {
    expect(() => lineOf(plan, { name: 'others' })).toThrow('Release "others": it is not in the plan.');
    expect({ ...new SharingError('others', 'no.') }).toEqual({
      name: 'SharingError',
      kind: 'usage',
      release: 'others',
    });
  });

  it('have the length of the full matrix where triangles are packed', () => {
    expect(squaredNorm(Float64Array.of(1, 2, 3), 1)).toBe(14);
    // [[1, 2], [2, 3]] and [[4, 5], [5, 6]].
    expect(squaredNorm(Float64Array.of(1, 2, 3, 4, 5, 6), 2)).toBe(1 + 8 + 9 + 16 + 50 + 36);
  });
});
