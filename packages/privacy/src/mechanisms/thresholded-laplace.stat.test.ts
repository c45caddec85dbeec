import { describe, expect, it } from 'vitest';
import { freshSecret } from '../random/run-secret.js';
import { WordStream } from '../random/word-stream.js';
import { countsOf, SIX_SIGMA, zOfFit } from '../samplers/goodness-of-fit.test.data.js';
import { ThresholdedLaplace } from './thresholded-laplace.js';

const cells = { columns: Uint32Array.of(0, 3, 4, 19), values: Float64Array.of(0, 25, -60, 7) };
const [columnCount, t, k, rows] = [20, 10, 12, 20_000];
const tail = (n: number) => Math.exp(-n / t) / (1 + Math.exp(-1 / t));

// False alarm: |z| > 6 has probability about 2e-9 for a correct mechanism; 22 such tests below.
describe('ThresholdedLaplace', () => {
  const mechanism = new ThresholdedLaplace(t, k);
  const stream = new WordStream(freshSecret());
  const released = Array.from({ length: rows }, () => mechanism.release(cells, columnCount, stream));

  it('keeps every cell with the probability of the dense computation', () => {
    const survivors = new Float64Array(columnCount);
    for (const { columns } of released) for (const column of columns) survivors[column]++;
    for (let column = 0; column < columnCount; column++) {
      const at = cells.columns.indexOf(column);
      const value = at < 0 ? 0 : cells.values[at];
      // P(x ≥ n) of the discrete Laplace law, from the tail on its side of 0.
      const above = (n: number) => (n > 0 ? tail(n) : 1 - tail(1 - n));
      const p = above(k - value) + above(k + value);
      expect(Math.abs(survivors[column] - rows * p) / Math.sqrt(rows * p * (1 - p))).toBeLessThan(SIX_SIGMA);
      if (at < 0)
        expect(Math.abs(survivors[column] - rows * p * 1.2) / Math.sqrt(rows * p)).toBeGreaterThan(SIX_SIGMA);
    }
  });

  it('gives survivors of empty cells the tail of the noise', () => {
    const values = released.flatMap(({ columns, values: row }) => row.filter((_, i) => columns[i] === 10));
    const law = Array.from(
      { length: 200 },
      (_, i) => [k + i, 0.5 * (1 - Math.exp(-1 / t)) * Math.exp(-i / t)] as const,
    );
    const both = [...law.map(([x, p]) => [-x, p] as const), ...law];
    expect(zOfFit(countsOf(values), values.length, both)).toBeLessThan(SIX_SIGMA);
  });

  it('lists columns in order, each once, none beyond the last', () => {
    for (const { columns, values } of released.slice(0, 500)) {
      expect(columns.every((column, i) => column < columnCount && (i === 0 || column > columns[i - 1]))).toBe(
        true,
      );
      expect(values.every((value) => Math.abs(value) >= k)).toBe(true);
    }
  });

  it('works on rows without empty cells and without any cells', () => {
    const full = { columns: Uint32Array.of(0, 1), values: Float64Array.of(1000, -1000) };
    expect(mechanism.release(full, 2, stream).columns).toEqual([0, 1]);
    expect(
      mechanism.release({ columns: new Uint32Array(0), values: new Float64Array(0) }, 0, stream).columns,
    ).toEqual([]);
  });

  it('refuses a threshold below one grid step', () => {
    expect(() => new ThresholdedLaplace(t, 0)).toThrow(RangeError);
  });
});
