import { describe, expect, it } from 'vitest';
import { createEngine } from './create-engine.js';
import { csrFromTriples } from './csr-from-triples.js';
import { randomFactors } from './random-factors.js';
import { type SolveSideJob, solveSide } from './solve-side.js';

const engine = await createEngine({ threads: 1 });
let state = 5;
const uniform = () => {
  state = (state * 16_807) % 2_147_483_647;
  return state / 2_147_483_647;
};
const random = { uniform, normal: () => Array.from({ length: 12 }, uniform).reduce((sum, x) => sum + x, -6) };
const triples = Array.from({ length: 60 }, (_, k) => [k % 6, (k * 7 + Math.floor(k / 6)) % 11] as const);
const unique = [...new Map(triples.map((pair) => [pair.join(), pair])).values()];
const rows = csrFromTriples(
  7,
  11,
  unique.map(([r]) => r),
  unique.map(([, c]) => c),
  unique.map(() => 1 + 4 * random.uniform()),
); // row 6 is empty
const fixed = {
  factors: randomFactors(11, 3, 0.7, () => random.uniform()),
  intercept: Float32Array.from({ length: 11 }, () => random.normal()),
};

/** Gradient of the stated objective in (x, a) at the solution; zero at the minimum. */
function gradientNorm(job: SolveSideJob, r: number, x: Float32Array, a: number): number {
  const begin = rows.offsets[r];
  const end = rows.offsets[r + 1];
  const ridge = job.ridge * (end - begin + (job.ridgeCountOffset ?? 0)) ** job.ridgeExponent;
  const gradient = [...x].map((value) => ridge * value);
  let own = (job.interceptRidge ?? 0) * a;
  for (let k = begin; k < end; k++) {
    const j = rows.indices[k];
    let error = rows.values[k] - job.offset - fixed.intercept[j] - a;
    x.forEach((value, c) => {
      error -= value * fixed.factors.data[j * 3 + c];
    });
    x.forEach((_, c) => {
      gradient[c] -= error * fixed.factors.data[j * 3 + c];
    });
    own -= error;
  }
  return Math.hypot(...gradient, job.interceptRidge === undefined ? 0 : own);
}

describe('solveSide', () => {
  it.each([
    { ridge: 0.5, ridgeExponent: 0, offset: 0 },
    { ridge: 0.1, ridgeExponent: 1, offset: 3, interceptRidge: 2 },
    { ridge: 0.1, ridgeExponent: 0.5, ridgeCountOffset: 4, offset: 3, interceptRidge: 0 },
  ])('minimises the stated objective with %o, and gives empty rows 0', async (settings) => {
    const job = { ...settings, rows, fixed };
    const { factors, intercept } = await solveSide(engine, job);
    for (let r = 0; r < 6; r++) {
      // float32 solves: residual of the normal equations relative to right-hand sides of about 30.
      expect(gradientNorm(job, r, factors.data.slice(r * 3, r * 3 + 3), intercept?.[r] ?? 0)).toBeLessThan(
        2e-4,
      );
    }
    expect(Array.from(factors.data.subarray(18))).toEqual([0, 0, 0]);
    expect(intercept?.[6] ?? 0).toBe(0);
  });
});
