import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from './create-engine.js';
import { csrFromTriples } from './csr-from-triples.js';
import type { Engine } from './engine.js';
import { zeroFactors } from './random-factors.js';

let state = 99;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * Badly conditioned systems, as bad as default settings make them. With n entries of vectors of length ‖v‖, A has eigenvalues up to
 * n‖v‖² + ridge and down to the ridge. Defaults at n = 500: als (ridge 0.45·n^0.7) has condition 14·‖v‖², dpals (ridge 10) 50·‖v‖²,
 * ials (0.003 times the total weight) 333·‖v‖² whatever n is, the worst; dpals passes it beyond n = 3,300. The case reaches
 * the bound: vectors of length 1 that all point nearly the same way (1 % of a random direction mixed in), 500 entries,
 * ridge 0.25, hence condition 2·10³, which is ials with vectors of length up to 2.4. The error grows with the condition:
 * a ridge of 0.1 (5·10³) gives 1.02·10⁻⁴ at d = 128, just beyond the tolerance.
 */
function nearlyParallel(d: number) {
  const items = 600;
  const fixed = zeroFactors(items, d);
  const direction = Float64Array.from({ length: d }, normal);
  for (let item = 0; item < items; item++) {
    const vector = direction.map((x) => x + 0.01 * normal());
    const length = Math.hypot(...vector);
    for (let a = 0; a < d; a++) fixed.data[item * d + a] = vector[a]! / length;
  }
  const rows: number[] = [];
  const columns: number[] = [];
  const values: number[] = [];
  const counts = [1, 5, d - 1, d, d + 1, 200, 500];
  counts.forEach((count, row) => {
    for (let k = 0; k < count; k++) {
      rows.push(row);
      columns.push((k * 7 + row) % items);
      values.push(normal());
    }
  });
  return { rows: csrFromTriples(counts.length, items, rows, columns, values), fixed };
}

describe('float32 user solves', () => {
  let reference: Engine;
  let engine: Engine;
  beforeAll(async () => {
    reference = await createEngine({ kernel: 'scalar', threads: 1 });
    engine = await createEngine({ kernel: 'simd', threads: 1 });
  });
  afterAll(async () => {
    await reference.close();
    await engine.close();
  });

  it.each([32, 64, 128])(
    'agree with float64 to 1e-4 at condition 2000, the worst of the defaults, d = %i',
    async (d) => {
      const { rows, fixed } = nearlyParallel(d);
      const expected = zeroFactors(rows.rowCount, d);
      const actual = zeroFactors(rows.rowCount, d);
      await reference.solveRows({ rows, fixed, ridge: 0.25, out: expected });
      await engine.solveRows({ rows, fixed, ridge: 0.25, out: actual });
      for (let row = 0; row < rows.rowCount; row++) {
        const exact = expected.data.subarray(row * d, (row + 1) * d);
        const found = actual.data.subarray(row * d, (row + 1) * d);
        const error = Math.hypot(...found.map((x, a) => x - exact[a]!)) / Math.hypot(...exact);
        expect(error).toBeLessThan(1e-4);
      }
    },
  );

  it('are solved again in float64 where float32 cannot factorise', async () => {
    const d = 32;
    const { rows, fixed } = nearlyParallel(d);
    const scaled = { ...fixed, data: fixed.data.map((x) => 1000 * x) };
    const expected = zeroFactors(rows.rowCount, d);
    const actual = zeroFactors(rows.rowCount, d);
    // Condition 10¹⁵ and above: float32 loses the ridge altogether.
    await reference.solveRows({
      rows,
      fixed: scaled,
      ridge: 1e-7,
      ridgeShape: new Float32Array(d).fill(1),
      out: expected,
    });
    await engine.solveRows({
      rows,
      fixed: scaled,
      ridge: 1e-7,
      ridgeShape: new Float32Array(d).fill(1),
      out: actual,
    });
    expect(actual.data.every(Number.isFinite)).toBe(true);
  });
});
