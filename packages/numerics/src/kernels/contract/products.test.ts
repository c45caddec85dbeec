import { expect, it } from 'vitest';
import { randomFactors, zeroFactors } from '../../random-factors.js';
import { forEveryKernel, rowwiseError, sparseRows, uniform, widths } from './every-kernel.test.data.js';

forEveryKernel((kernels) => {
  // float32 sums over at most 128 rows, then float64: 128 · 2⁻²⁴ is 8e-6 of the diagonal.
  it.each(widths)('forms Gramians like the reference, d = %i', async (d) => {
    const rows = randomFactors(5000, d, 1, uniform(d));
    const expected = await kernels.reference.gramian(rows);
    const actual = await kernels.tested.gramian(rows);
    const worst = actual.reduce((most, value, k) => Math.max(most, Math.abs(value - expected[k])), 0);
    expect(worst).toBeLessThan(8e-6 * 5000);
  });

  const sparse = sparseRows(64, 150, 41);
  it.each(widths)('sums bags like the reference, d = %i', async (d) => {
    const table = randomFactors(150, d, 1, uniform(d));
    const expected = zeroFactors(64, d);
    const actual = zeroFactors(64, d);
    await kernels.reference.sumBags({ bags: sparse, table, out: expected });
    await kernels.tested.sumBags({ bags: sparse, table, out: actual });
    // Sums of up to 135 float32 products that may cancel, relative to the largest entry of the row.
    expect(rowwiseError(actual, expected)).toBeLessThan(1e-4);
  });

  it.each(widths)('predicts pairs like the reference, d = %i', async (d) => {
    const rows = randomFactors(64, d, 1, uniform(d));
    const items = randomFactors(150, d, 1, uniform(d + 1));
    const expected = await kernels.reference.predictPairs(rows, items, sparse);
    const actual = await kernels.tested.predictPairs(rows, items, sparse);
    const worst = actual.reduce((most, value, k) => Math.max(most, Math.abs(value - expected[k])), 0);
    expect(worst).toBeLessThan(2e-6 * d);
  });
});
