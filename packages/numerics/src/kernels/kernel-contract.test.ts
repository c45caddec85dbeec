import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, type EngineOptions } from '../create-engine.js';
import type { Csr, FactorMatrix } from '../csr.js';
import { csrFromTriples } from '../csr-from-triples.js';
import type { Engine, ItemStatisticsJob, SolvePsdJob, SolveRowsJob } from '../engine.js';
import { packedLength } from '../packed-symmetric.js';
import { randomFactors, zeroFactors } from '../random-factors.js';
import { transposeWithOrder } from '../transpose.js';
import { wasmBuildAvailable } from './wasm.js';

/** Fixed linear congruential generator: the cases are the same in every run. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Rows of very different lengths, some empty, some longer than a panel of the kernels. */
function sparseRows(rowCount: number, columnCount: number, seed: number): Csr {
  const random = uniform(seed);
  const rows: number[] = [];
  const columns: number[] = [];
  const values: number[] = [];
  for (let row = 0; row < rowCount; row++) {
    const density = row % 7 === 3 ? 0 : row === 0 ? 0.9 : 0.3 * random() ** 2;
    for (let column = 0; column < columnCount; column++) {
      if (random() >= density) continue;
      rows.push(row);
      columns.push(column);
      values.push(Math.round(random() * 9 + 1) / 2);
    }
  }
  return csrFromTriples(rowCount, columnCount, rows, columns, values);
}

const uniformArray = (length: number, low: number, high: number, seed: number) => {
  const random = uniform(seed);
  return Float32Array.from({ length }, () => low + (high - low) * random());
};

/** Largest difference relative to the largest entry of the row it is in. */
function rowwiseError(actual: FactorMatrix, expected: FactorMatrix): number {
  let worst = 0;
  for (let row = 0; row < expected.rowCount; row++) {
    let scale = 0;
    let difference = 0;
    for (let k = row * expected.width; k < (row + 1) * expected.width; k++) {
      if (!Number.isFinite(actual.data[k])) return Infinity;
      scale = Math.max(scale, Math.abs(expected.data[k]));
      difference = Math.max(difference, Math.abs(actual.data[k] - expected.data[k]));
    }
    worst = Math.max(worst, scale === 0 ? difference : difference / scale);
  }
  return worst;
}

/** Position of the first difference, −1 when there is none. */
function firstDifference(actual: Float64Array, expected: Float64Array): number {
  if (actual.length !== expected.length) return Math.min(actual.length, expected.length);
  return actual.findIndex((value, k) => value !== expected[k]);
}

const widths = [1, 3, 4, 8, 13, 32, 64];
const implementations: { readonly options: EngineOptions; readonly skip?: string }[] = [
  { options: { kernel: 'scalar', threads: 2 } },
  { options: { kernel: 'simd', threads: 1 } },
  { options: { kernel: 'simd', threads: 2 } },
  wasmBuildAvailable('relaxed-simd')
    ? { options: { kernel: 'relaxed-simd', threads: 1 } }
    : { options: { kernel: 'relaxed-simd', threads: 1 }, skip: 'this host has no relaxed SIMD' },
];

let reference: Engine;
/** What the reference makes of rows longer than a panel; once, because it takes long. */
let longRows: FactorMatrix | undefined;
beforeAll(async () => {
  reference = await createEngine({ kernel: 'scalar', threads: 1 });
});
afterAll(() => reference.close());

for (const { options, skip } of implementations) {
  const name = `${options.kernel} kernels, ${options.threads} thread(s)${skip === undefined ? '' : ` (${skip})`}`;
  describe.skipIf(skip !== undefined)(name, () => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await createEngine(options);
    });
    afterAll(() => engine?.close());

    describe('solveRows', () => {
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
          await reference.solveRows({ ...job, out: expected });
          await engine.solveRows({ ...job, out: actual });
          expect(rowwiseError(actual, expected)).toBeLessThan(6e-5);

          // Two right-hand sides at once give the bytes of one after the other.
          const once = zeroFactors(rows.rowCount, d);
          const ofOnes = zeroFactors(rows.rowCount, d);
          ofOnes.data.fill(Number.NaN);
          await engine.solveRows({ ...job, out: once, ofOnes });
          expect(once.data).toEqual(actual.data);
          const targets = new Float32Array(entries).fill(1);
          await engine.solveRows({ ...job, targets, out: actual });
          expect(ofOnes.data).toEqual(actual.data);
        });
      }

      it('reaches the exact solution by conjugate gradients in as many steps as dimensions', async () => {
        const d = 8;
        const fixed = randomFactors(170, d, 1, uniform(3));
        const expected = zeroFactors(rows.rowCount, d);
        const actual = zeroFactors(rows.rowCount, d);
        await reference.solveRows({ rows, fixed, ridge: 1, out: expected });
        await engine.solveRows({ rows, fixed, ridge: 1, out: actual, solver: 'cg', cgSteps: 2 * d });
        expect(rowwiseError(actual, expected)).toBeLessThan(1e-4);
      });

      it('takes the same conjugate-gradient steps as the reference', async () => {
        const d = 13;
        const fixed = randomFactors(170, d, 1, uniform(3));
        const start = randomFactors(rows.rowCount, d, 0.3, uniform(4));
        const expected = { ...start, data: start.data.slice() };
        const actual = { ...start, data: start.data.slice() };
        const job = { rows, fixed, ridge: 0.5, solver: 'cg', ...variants['unobserved pairs'](d) } as const;
        await reference.solveRows({ ...job, out: expected });
        await engine.solveRows({ ...job, out: actual });
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
          await engine.solveRows({ ...job, ...variants['unobserved pairs'](d), out: actual });
          if (longRows === undefined) {
            longRows = { ...start, data: start.data.slice() };
            await reference.solveRows({ ...job, ...variants['unobserved pairs'](d), out: longRows });
          }
          expect(rowwiseError(actual, longRows)).toBeLessThan(1e-4);
        },
      );

      it('refuses a singular system with advice', async () => {
        const fixed = zeroFactors(170, 4);
        await expect(
          engine.solveRows({ rows, fixed, ridge: 0, out: zeroFactors(rows.rowCount, 4) }),
        ).rejects.toThrow(/ridge above 0/);
      });

      it('works again after a failed job', async () => {
        const fixed = randomFactors(170, 4, 1, uniform(3));
        const out = zeroFactors(rows.rowCount, 4);
        await engine.solveRows({ rows, fixed, ridge: 1, out });
        expect(out.data.every(Number.isFinite)).toBe(true);
      });
    });

    describe('gramian', () => {
      // float32 sums over at most 128 rows, then float64: 128 · 2⁻²⁴ is 8e-6 of the diagonal.
      it.each(widths)('agrees with the reference, d = %i', async (d) => {
        const rows = randomFactors(5000, d, 1, uniform(d));
        const expected = await reference.gramian(rows);
        const actual = await engine.gramian(rows);
        const worst = actual.reduce((most, value, k) => Math.max(most, Math.abs(value - expected[k])), 0);
        expect(worst).toBeLessThan(8e-6 * 5000);
      });
    });

    describe('itemStatistics', () => {
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
          const expected = await reference.itemStatistics(job);
          const actual = await engine.itemStatistics(job);
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
        expect(await engine.itemStatistics(job)).toEqual(await reference.itemStatistics(job));
      });

      it.each(widths)('sums all users alike, d = %i', async (d) => {
        const job = { users: clipped(d), vectorBound: 1, vectorBits: 15 };
        const actual = await engine.exactGramian(job);
        expect(firstDifference(actual, await reference.exactGramian(job))).toBe(-1);
        expect(actual[0]).toBeGreaterThan(0);
      });
    });

    describe('solvePsd', () => {
      /**
       * Low-rank Gram matrices plus symmetric noise: some definite, about half of the others' spectrum
       * negative.
       */
      function systems(d: number, count: number): Omit<SolvePsdJob, 'out'> {
        const random = uniform(d * 7);
        const matrices = new Float64Array(count * packedLength(d));
        const vectors = Float64Array.from({ length: count * d }, () => random() - 0.5);
        for (let k = 0; k < count; k++) {
          const noise = k % 3 === 0 ? 0.001 : 3;
          let at = k * packedLength(d);
          const x = Float64Array.from({ length: (k % 3 === 0 ? 2 * d : 3) * d }, () => random() - 0.5);
          for (let a = 0; a < d; a++)
            for (let c = a; c < d; c++) {
              let sum = noise * (random() - 0.5);
              for (let r = 0; r < x.length; r += d) sum += x[r + a] * x[r + c];
              matrices[at++] = sum;
            }
        }
        const ridge = Float64Array.from({ length: count }, (_, k) => 0.01 + 0.1 * k);
        return { width: d, count, matrices, vectors, ridge, begin: 2 };
      }
      const semidefinite = (d: number) => {
        const full = new Float64Array(d * d);
        const x = uniformArray(d, -1, 1, 12);
        for (let a = 0; a < d; a++)
          for (let c = 0; c < d; c++) full[a * d + c] = x[a] * x[c] + (a === c ? 0.2 : 0);
        return full;
      };
      /** Relative error of eigenvalue work in float32 at the worst condition it is used for. */
      const inFloat32 = 5e-5;
      const variants: Record<string, (d: number) => Partial<SolvePsdJob>> = {
        alone: () => ({}),
        'with a common matrix': (d) => ({ common: semidefinite(d) }),
        'with a matrix for each': (d) => {
          const added = new Float64Array(9 * packedLength(d));
          for (let k = 0; k < 9; k++)
            for (let a = 0, at = 0; a < d; at += d - a, a++) added[k * packedLength(d) + at] = k + 0.1;
          return { added, common: semidefinite(d) };
        },
      };
      for (const [variant, more] of Object.entries(variants)) {
        it.each(widths)(`agrees with the reference, ${variant}, d = %i`, async (d) => {
          const expected = zeroFactors(11, d);
          const actual = zeroFactors(11, d);
          const job = systems(d, 9);
          await reference.solvePsd({ ...job, ...more(d), matrices: job.matrices.slice(), out: expected });
          await engine.solvePsd({ ...job, ...more(d), matrices: job.matrices.slice(), out: actual });
          // Conditions up to 10⁴. Results are stored as float32, whose rounding is the tolerance of what is
          // float64 until then.
          expect(rowwiseError(actual, expected)).toBeLessThan(variant === 'alone' ? inFloat32 : 3e-7);
          expect(expected.data.some((value) => value !== 0)).toBe(true);
        });
      }

      // ‖A‖_F / ridge = 128 is where kernels may change from float32 to float64.
      it.each([
        [127, inFloat32],
        [129, 3e-7],
      ])('solves systems of any spectrum where ‖A‖ is %d ridges, to %d', async (condition, tolerance) => {
        for (const d of widths) {
          const job = systems(d, 9);
          for (let k = 0; k < job.count; k++) {
            let square = 0;
            let at = k * packedLength(d);
            for (let a = 0; a < d; a++)
              for (let c = a; c < d; c++, at++) square += (a === c ? 1 : 2) * job.matrices[at] ** 2;
            job.ridge[k] = Math.sqrt(square) / condition;
          }
          const expected = zeroFactors(11, d);
          const actual = zeroFactors(11, d);
          await reference.solvePsd({ ...job, matrices: job.matrices.slice(), out: expected });
          await engine.solvePsd({ ...job, matrices: job.matrices.slice(), out: actual });
          expect(rowwiseError(actual, expected)).toBeLessThan(tolerance);
        }
      });

      it('keeps negative eigenvalues when told so, and then refuses an indefinite system', async () => {
        const job = { ...systems(8, 9), project: false, out: zeroFactors(11, 8) };
        await expect(engine.solvePsd(job)).rejects.toThrow(/not positive definite/);
      });

      it('refuses NaN in a matrix', async () => {
        const job = { ...systems(8, 3), out: zeroFactors(11, 8) };
        job.matrices[5] = Number.NaN;
        await expect(engine.solvePsd(job)).rejects.toThrow(/NaN/);
      });

      it.each([Number.NaN, Infinity, -Infinity])(
        'refuses %d in vectors and ridges, and names them',
        async (bad) => {
          for (const input of ['vectors', 'ridge'] as const) {
            const job = { ...systems(8, 3), out: zeroFactors(11, 8) };
            job[input][2] = bad;
            await expect(engine.solvePsd(job)).rejects.toMatchObject({ name: 'JobValueError', input });
          }
        },
      );

      it('solves diagonal, zero and tiny matrices', async () => {
        const d = 5;
        const matrices = new Float64Array(3 * packedLength(d));
        for (let a = 0, at = 0; a < d; at += d - a, a++) {
          matrices[at] = a - 2;
          matrices[2 * packedLength(d) + at] = 1e-170 * (a - 2);
        }
        const vectors = new Float64Array(3 * d).fill(1);
        const out = zeroFactors(3, d);
        await engine.solvePsd({
          width: d,
          count: 3,
          matrices,
          vectors,
          ridge: Float64Array.of(1, 2, 1),
          out,
          begin: 0,
        });
        expect([...out.data.subarray(0, d)]).toEqual([1, 1, 1, 0.5, Math.fround(1 / 3)]);
        expect([...out.data.subarray(d, 2 * d)]).toEqual([0.5, 0.5, 0.5, 0.5, 0.5]);
        expect([...out.data.subarray(2 * d)]).toEqual([1, 1, 1, 1, 1]);
      });

      // Several systems share an eigenvalue iteration; these leave it early, late, or fall apart on the way.
      it.each(widths)('solves a system alike in any company, d = %i', async (d) => {
        const count = 43;
        const length = packedLength(d);
        const job = systems(d, count);
        const kinds: ((value: number, a: number, c: number) => number)[] = [
          (value) => value,
          (value, a, c) => (a === c ? value - 0.3 : 0),
          (value, a, c) => (a >> 2 === c >> 2 ? value : 0), // blocks
          (value, a, c) => (Math.abs(a - c) < 2 ? value * 1e-3 ** (a % 5) : 0), // small beside large
          (value) => value * 1e150,
          (value) => value * 1e-150,
          (_, a, c) => (a === c ? -1 : a + c === d - 1 ? 2 : 0), // many equal eigenvalues
          () => 0,
        ];
        for (let k = 0; k < count; k++) {
          let at = k * length;
          for (let a = 0; a < d; a++)
            for (let c = a; c < d; c++, at++) job.matrices[at] = kinds[k % 8](job.matrices[at], a, c);
          // Systems of any size have solutions that float32 can hold.
          const size = k % 8 === 4 ? 1e150 : k % 8 === 5 ? 1e-150 : 1;
          job.ridge[k] *= size;
          for (let a = k * d; a < (k + 1) * d; a++) job.vectors[a] *= size;
          if (k % 8 === 7) job.vectors.fill(k === 7 ? 0 : -0, k * d, (k + 1) * d);
        }
        const expected = zeroFactors(count, d);
        const together = zeroFactors(count, d);
        const alone = zeroFactors(count, d);
        const at = { begin: 0 };
        await reference.solvePsd({ ...job, ...at, matrices: job.matrices.slice(), out: expected });
        await engine.solvePsd({ ...job, ...at, matrices: job.matrices.slice(), out: together });
        for (let k = 0; k < count; k++) {
          await engine.solvePsd({
            width: d,
            count: 1,
            matrices: job.matrices.slice(k * length, (k + 1) * length),
            vectors: job.vectors.slice(k * d, (k + 1) * d),
            ridge: job.ridge.slice(k, k + 1),
            out: alone,
            begin: k,
          });
        }
        expect(together.data).toEqual(alone.data);
        expect(rowwiseError(together, expected)).toBeLessThan(inFloat32);
      });
    });

    describe('topK', () => {
      const exclude = sparseRows(75, 333, 31);
      it.each(widths)('finds the same items as the reference, d = %i', async (d) => {
        const rows = randomFactors(75, d, 1, uniform(d));
        const items = randomFactors(333, d, 1, uniform(d + 9));
        const itemBias = uniformArray(333, -0.1, 0.1, 4);
        const job = { rows, items, itemBias, exclude, k: 20 };
        const expected = await reference.topK(job);
        const actual = await engine.topK(job);
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
            for (let at = 0; at < items.data.length; at++)
              items.data[at] = Math.round(4 * items.data[at]) / 4;
            for (let at = 0; at < rows.data.length; at++) rows.data[at] = Math.round(4 * rows.data[at]) / 4;
            const expected = await reference.topK({ rows, items, k });
            const actual = await engine.topK({ rows, items, k });
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
        [
          'one entry that dwarfs the others',
          (row: number, x: number) => (row % 3 === 0 && x > 0.9 ? 1e4 : x),
        ],
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
            const all = await engine.topK({ rows, items, k: 1100, ...bias });
            const few = await engine.topK({ rows, items, k: 6, ...bias });
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
        const { indices } = await engine.topK({ rows, items, k: 7 });
        expect([...indices.subarray(0, 7)]).toEqual([0, 1, 2, 3, 4, -1, -1]);
      });
    });

    describe('sparse products', () => {
      const sparse = sparseRows(64, 150, 41);
      it.each(widths)('sums bags like the reference, d = %i', async (d) => {
        const table = randomFactors(150, d, 1, uniform(d));
        const expected = zeroFactors(64, d);
        const actual = zeroFactors(64, d);
        await reference.sumBags({ bags: sparse, table, out: expected });
        await engine.sumBags({ bags: sparse, table, out: actual });
        // Sums of up to 135 float32 products that may cancel, relative to the largest entry of the row.
        expect(rowwiseError(actual, expected)).toBeLessThan(1e-4);
      });

      it.each(widths)('predicts pairs like the reference, d = %i', async (d) => {
        const rows = randomFactors(64, d, 1, uniform(d));
        const items = randomFactors(150, d, 1, uniform(d + 1));
        const expected = await reference.predictPairs(rows, items, sparse);
        const actual = await engine.predictPairs(rows, items, sparse);
        const worst = actual.reduce((most, value, k) => Math.max(most, Math.abs(value - expected[k])), 0);
        expect(worst).toBeLessThan(2e-6 * d);
      });
    });
  });
}
