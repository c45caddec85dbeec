import { expect, it } from 'vitest';
import { randomFactors, zeroFactors } from '../../random-factors.js';
import { forEveryKernel, sparseRows, uniform, uniformArray, widths } from './every-kernel.test.data.js';

forEveryKernel((kernels) => {
  const exclude = sparseRows(75, 333, 31);
  it.each(widths)('finds the same items as the reference, d = %i', async (d) => {
    const rows = randomFactors(75, d, 1, uniform(d));
    const items = randomFactors(333, d, 1, uniform(d + 9));
    const itemBias = uniformArray(333, -0.1, 0.1, 4);
    const job = { rows, items, itemBias, exclude, k: 20 };
    const expected = await kernels.reference.topK(job);
    const actual = await kernels.tested.topK(job);
    let worst = 0;
    let excluded = 0;
    for (let at = 0; at < expected.scores.length; at++) {
      worst = Math.max(worst, Math.abs(actual.scores[at] - expected.scores[at]));
      const row = Math.floor(at / 20);
      const seen = exclude.indices.subarray(exclude.offsets[row], exclude.offsets[row + 1]);
      if (seen.includes(actual.indices[at])) excluded++;
    }
    expect(worst).toBeLessThan(1e-5 * Math.sqrt(d));
    expect(excluded).toBe(0);
    // Two items may change places only where rounding makes their scores equal.
    const moved = actual.indices.filter((item, at) => item !== expected.indices[at]).length;
    expect(moved).toBeLessThanOrEqual(2);
  });

  it.each([1, 3, 4, 5, 31, 33, 100])(
    'finds the best k = %i, sorted, whatever the order of arrival',
    async (k) => {
      const d = 4;
      const rows = randomFactors(9, d, 1, uniform(k));
      for (const seed of [1, 2, 3]) {
        const items = randomFactors(301, d, 1, uniform(seed));
        // Coarse numbers: sums are exact in float32, and many scores are equal.
        for (let at = 0; at < items.data.length; at++) items.data[at] = Math.round(4 * items.data[at]) / 4;
        for (let at = 0; at < rows.data.length; at++) rows.data[at] = Math.round(4 * rows.data[at]) / 4;
        const expected = await kernels.reference.topK({ rows, items, k });
        const actual = await kernels.tested.topK({ rows, items, k });
        expect(actual.indices).toEqual(expected.indices);
        expect(actual.scores).toEqual(expected.scores);
      }
    },
  );

  // With k = all items nothing is screened out, so a short list must be the beginning of the long one, to
  // the bit.
  it.each([
    ['plain', (_: number, x: number) => x],
    ['nearly equal items', (_: number, x: number) => 1 + 1e-6 * x],
    ['rows and items of very different size', (row: number, x: number) => x * 10 ** ((row % 13) - 6)],
    ['sizes beyond 16-bit steps', (row: number, x: number) => x * [1, 1e-30, 1e18, 0, 1e-13][row % 5]],
    ['one entry that dwarfs the others', (row: number, x: number) => (row % 3 === 0 && x > 0.9 ? 1e4 : x)],
    [
      'NaN and infinity here and there',
      (row: number, x: number) => (x > 0.98 ? (row % 2 ? NaN : Infinity) : x),
    ],
  ])('misses no item that belongs to the list: %s', async (_, change) => {
    for (const d of [3, 8, 33, 128]) {
      const random = uniform(d + 77);
      const make = (count: number) => {
        const factors = randomFactors(count, d, 1, random);
        return { ...factors, data: factors.data.map((x, at) => change(Math.floor(at / d), x)) };
      };
      const [rows, items] = [make(13), make(1100)];
      const itemBias = uniformArray(1100, -3, 3, 4).map((bias, item) =>
        item % 50 === 0 ? 100 * bias : bias,
      );
      for (const bias of [{}, { itemBias }]) {
        const all = await kernels.tested.topK({ rows, items, k: 1100, ...bias });
        const few = await kernels.tested.topK({ rows, items, k: 6, ...bias });
        for (let row = 0; row < 13; row++) {
          const [from, to] = [row * 1100, row * 1100 + 6];
          expect(few.indices.subarray(row * 6, row * 6 + 6)).toEqual(all.indices.subarray(from, to));
          expect(few.scores.subarray(row * 6, row * 6 + 6)).toEqual(all.scores.subarray(from, to));
        }
      }
    }
  });

  it('breaks ties by the smaller column and fills up with −1', async () => {
    const rows = zeroFactors(3, 4);
    const items = zeroFactors(5, 4);
    const { indices } = await kernels.tested.topK({ rows, items, k: 7 });
    expect([...indices.subarray(0, 7)]).toEqual([0, 1, 2, 3, 4, -1, -1]);
  });
});
