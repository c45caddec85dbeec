import { expect, it } from 'vitest';
import type { FactorMatrix } from '../../csr.js';
import { csrFromTriples } from '../../csr-from-triples.js';
import type { SolveRowsJob } from '../../engine.js';
import { randomFactors, zeroFactors } from '../../random-factors.js';
import {
  forEveryKernel,
  rowwiseError,
  sparseRows,
  uniform,
  uniformArray,
  widths,
} from './every-kernel.test.data.js';

/** What the reference makes of rows longer than a panel; once, because it takes long. */
let longRows: FactorMatrix | undefined;

forEveryKernel((kernels, options) => {
  const rows = sparseRows(90, 170, 11);
  const entries = rows.indices.length;
  const variants: Record<string, (d: number) => Partial<SolveRowsJob>> = {
    'one ridge': () => ({}),
    weights: () => ({ weights: uniformArray(entries, 0.2, 3, 5) }),
    'other targets': () => ({ targets: uniformArray(entries, -1, 1, 6) }),
    'a ridge for each row': () => ({ ridge: uniformArray(rows.rowCount, 0.05, 2, 7) }),
    'a ridge for each dimension': (d) => ({ ridgeShape: uniformArray(d, 0.1, 2, 8) }),
    'unobserved pairs': (d) => {
      const gramian = new Float64Array(d * d);
      const x = uniformArray(3 * d, -1, 1, 9);
      for (let k = 0; k < 3; k++)
        for (let a = 0; a < d; a++)
          for (let c = 0; c < d; c++) gramian[a * d + c] += x[k * d + a] * x[k * d + c];
      return { unobservedWeight: 0.3, gramian };
    },
  };
  // float32 with about 10 bits lost to the condition number (≤ 10³ here); 24 − 10 bits are 6e-5.
  for (const [variant, more] of Object.entries(variants)) {
    it.each(widths)(`agrees with the reference, ${variant}, d = %i`, async (d) => {
      const fixed = randomFactors(170, d, 1 / Math.sqrt(d), uniform(d));
      const job = { rows, fixed, ridge: 0.1, ...more(d) };
      const expected = zeroFactors(rows.rowCount, d);
      const actual = zeroFactors(rows.rowCount, d);
      actual.data.fill(Number.NaN);
      await kernels.reference.solveRows({ ...job, out: expected });
      await kernels.tested.solveRows({ ...job, out: actual });
      expect(rowwiseError(actual, expected)).toBeLessThan(6e-5);

      // Two right-hand sides at once give the bytes of one after the other.
      const once = zeroFactors(rows.rowCount, d);
      const ofOnes = zeroFactors(rows.rowCount, d);
      ofOnes.data.fill(Number.NaN);
      await kernels.tested.solveRows({ ...job, out: once, ofOnes });
      expect(once.data).toEqual(actual.data);
      const targets = new Float32Array(entries).fill(1);
      await kernels.tested.solveRows({ ...job, targets, out: actual });
      expect(ofOnes.data).toEqual(actual.data);
    });
  }

  it('reaches the exact solution by conjugate gradients in as many steps as dimensions', async () => {
    const d = 8;
    const fixed = randomFactors(170, d, 1, uniform(3));
    const expected = zeroFactors(rows.rowCount, d);
    const actual = zeroFactors(rows.rowCount, d);
    await kernels.reference.solveRows({ rows, fixed, ridge: 1, out: expected });
    await kernels.tested.solveRows({ rows, fixed, ridge: 1, out: actual, solver: 'cg', cgSteps: 2 * d });
    expect(rowwiseError(actual, expected)).toBeLessThan(1e-4);
  });

  it('takes the same conjugate-gradient steps as the reference', async () => {
    const d = 13;
    const fixed = randomFactors(170, d, 1, uniform(3));
    const start = randomFactors(rows.rowCount, d, 0.3, uniform(4));
    const expected = { ...start, data: start.data.slice() };
    const actual = { ...start, data: start.data.slice() };
    const job = { rows, fixed, ridge: 0.5, solver: 'cg', ...variants['unobserved pairs'](d) } as const;
    await kernels.reference.solveRows({ ...job, out: expected });
    await kernels.tested.solveRows({ ...job, out: actual });
    expect(rowwiseError(actual, expected)).toBeLessThan(1e-4);
  });

  // A panel of 1 MiB has room for 512 vectors of this width, and one row has more.
  it.skipIf(options.kernel === 'scalar')(
    'takes conjugate-gradient steps on rows that are longer than their panel',
    async () => {
      const d = 512;
      const lengths = [531, 9, 512];
      const long = csrFromTriples(
        lengths.length,
        531,
        lengths.flatMap((length, row) => Array<number>(length).fill(row)),
        lengths.flatMap((length) => [...Array(length).keys()]),
        [...uniformArray(1052, 0.5, 5, 12)],
      );
      const fixed = randomFactors(531, d, 1 / Math.sqrt(d), uniform(3));
      const start = randomFactors(lengths.length, d, 0.3, uniform(4));
      const weights = uniformArray(1052, 0.2, 3, 5);
      const job = { rows: long, fixed, weights, ridge: 0.5, solver: 'cg' } as const;
      const actual = { ...start, data: start.data.slice() };
      await kernels.tested.solveRows({ ...job, ...variants['unobserved pairs'](d), out: actual });
      if (longRows === undefined) {
        longRows = { ...start, data: start.data.slice() };
        await kernels.reference.solveRows({ ...job, ...variants['unobserved pairs'](d), out: longRows });
      }
      expect(rowwiseError(actual, longRows)).toBeLessThan(1e-4);
    },
  );

  it('refuses a singular system with advice', async () => {
    const fixed = zeroFactors(170, 4);
    await expect(
      kernels.tested.solveRows({ rows, fixed, ridge: 0, out: zeroFactors(rows.rowCount, 4) }),
    ).rejects.toThrow(/ridge above 0/);
  });

  it.each([3, 8, 24])(
    'gives rows whose system is singular NaN where that is asked for, and others what they had, d = %i',
    async (d) => {
      const fixed = randomFactors(170, d, 1 / Math.sqrt(d), uniform(d));
      // Beside such a vector nothing of the others is left in float64: whoever has it fails.
      fixed.data.fill(1e18, 0, d);
      const fails = (row: number) =>
        rows.indices.subarray(rows.offsets[row], rows.offsets[row + 1]).includes(0);
      const job = { rows, fixed, ridge: 1e-3 };
      const [out, ofOnes] = [zeroFactors(rows.rowCount, d), zeroFactors(rows.rowCount, d)];
      await expect(kernels.tested.solveRows({ ...job, out, ofOnes })).rejects.toThrow(/ridge above 0/);
      await kernels.tested.solveRows({ ...job, out, ofOnes, unsolvable: 'nan' });
      const others = { ...fixed, data: fixed.data.slice().fill(0.1, 0, d) };
      const [expected, expectedOfOnes] = [zeroFactors(rows.rowCount, d), zeroFactors(rows.rowCount, d)];
      await kernels.tested.solveRows({ ...job, fixed: others, out: expected, ofOnes: expectedOfOnes });
      let failed = 0;
      for (let row = 0; row < rows.rowCount; row++) {
        const part = ({ data }: FactorMatrix) => [...data.subarray(row * d, (row + 1) * d)];
        const nothing = Array<number>(d).fill(Number.NaN);
        expect(part(out)).toEqual(fails(row) ? nothing : part(expected));
        expect(part(ofOnes)).toEqual(fails(row) ? nothing : part(expectedOfOnes));
        if (fails(row)) failed++;
      }
      expect(failed).toBeGreaterThan(0);
      expect(failed).toBeLessThan(rows.rowCount / 2);
    },
  );

  it('works again after a failed job', async () => {
    const fixed = randomFactors(170, 4, 1, uniform(3));
    const out = zeroFactors(rows.rowCount, 4);
    await kernels.tested.solveRows({ rows, fixed, ridge: 1, out });
    expect(out.data.every(Number.isFinite)).toBe(true);
  });
});
