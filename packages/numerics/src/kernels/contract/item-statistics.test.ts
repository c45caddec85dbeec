import { expect, it } from 'vitest';
import type { ItemStatisticsJob } from '../../engine.js';
import { randomFactors, zeroFactors } from '../../random-factors.js';
import { transposeWithOrder } from '../../transpose.js';
import { forEveryKernel, sparseRows, uniform, uniformArray, widths } from './every-kernel.test.data.js';

/** Position of the first difference, −1 when there is none. */
function firstDifference(actual: Float64Array, expected: Float64Array): number {
  if (actual.length !== expected.length) return Math.min(actual.length, expected.length);
  return actual.findIndex((value, k) => value !== expected[k]);
}

forEveryKernel((kernels) => {
  const byUser = sparseRows(400, 60, 21);
  const { csr: byItem } = transposeWithOrder(byUser);
  const entries = byItem.indices.length;
  const clipped = (d: number) => {
    const users = randomFactors(400, d, 1, uniform(d + 1));
    for (let row = 0; row < 400; row++) {
      const vector = users.data.subarray(row * d, (row + 1) * d);
      const scale = 0.9999999 / Math.max(1, Math.hypot(...vector));
      for (let a = 0; a < d; a++) vector[a] *= scale;
    }
    return users;
  };
  const base = { byItem, vectorBound: 1, targetBound: 5, matrices: true, begin: 0, end: byItem.rowCount };
  const variants: Record<string, Partial<ItemStatisticsJob>> = {
    '12 bits': { vectorBits: 12, targetBits: 12 },
    '15 and 20 bits': { vectorBits: 15, targetBits: 20 },
    'root weights': { vectorBits: 14, targetBits: 16, rootWeights: uniformArray(entries, 0, 1, 2) },
    'root weights above 1, beyond 16-bit lanes': {
      vectorBits: 15,
      targetBits: 20,
      rootWeights: uniformArray(entries, 0, 6, 2),
    },
    'negative targets': { vectorBits: 13, targetBits: 19, targets: uniformArray(entries, -5, 5, 3) },
    'no matrices': { vectorBits: 15, targetBits: 20, matrices: false },
    'a block of items': { vectorBits: 15, targetBits: 20, begin: 7, end: 31 },
  };
  for (const [variant, more] of Object.entries(variants)) {
    it.each(widths)(`gives the same integers as the reference, ${variant}, d = %i`, async (d) => {
      const job = { ...base, users: clipped(d), ...more } as ItemStatisticsJob;
      const expected = await kernels.reference.itemStatistics(job);
      const actual = await kernels.tested.itemStatistics(job);
      expect(firstDifference(actual.vectors, expected.vectors)).toBe(-1);
      expect(firstDifference(actual.matrices, expected.matrices)).toBe(-1);
      expect(actual.vectors.some((value) => value !== 0)).toBe(true);
      expect(actual.vectors.every(Number.isInteger)).toBe(true);
    });
  }

  it('gives the same integers at the very bound, where 16 bits are just enough', async () => {
    const users = zeroFactors(400, 4);
    for (let row = 0; row < 400; row++) users.data[row * 4 + (row % 4)] = row % 3 === 0 ? -1 : 1;
    const job: ItemStatisticsJob = { ...base, users, vectorBits: 15, targetBits: 22 };
    expect(await kernels.tested.itemStatistics(job)).toEqual(await kernels.reference.itemStatistics(job));
  });

  it.each(widths)('sums all users alike, d = %i', async (d) => {
    const job = { users: clipped(d), vectorBound: 1, vectorBits: 15 };
    const actual = await kernels.tested.exactGramian(job);
    expect(firstDifference(actual, await kernels.reference.exactGramian(job))).toBe(-1);
    expect(actual[0]).toBeGreaterThan(0);
  });
});
