import { expect, it } from 'vitest';
import type { SolvePsdJob } from '../../engine.js';
import { packedLength } from '../../packed-symmetric.js';
import { zeroFactors } from '../../random-factors.js';
import { forEveryKernel, rowwiseError, uniform, uniformArray, widths } from './every-kernel.test.data.js';

forEveryKernel((kernels) => {
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
      await kernels.reference.solvePsd({ ...job, ...more(d), matrices: job.matrices.slice(), out: expected });
      await kernels.tested.solvePsd({ ...job, ...more(d), matrices: job.matrices.slice(), out: actual });
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
      await kernels.reference.solvePsd({ ...job, matrices: job.matrices.slice(), out: expected });
      await kernels.tested.solvePsd({ ...job, matrices: job.matrices.slice(), out: actual });
      expect(rowwiseError(actual, expected)).toBeLessThan(tolerance);
    }
  });

  it('keeps negative eigenvalues when told so, and then refuses an indefinite system', async () => {
    const job = { ...systems(8, 9), project: false, out: zeroFactors(11, 8) };
    await expect(kernels.tested.solvePsd(job)).rejects.toThrow(/not positive definite/);
  });

  it('refuses NaN in a matrix', async () => {
    const job = { ...systems(8, 3), out: zeroFactors(11, 8) };
    job.matrices[5] = Number.NaN;
    await expect(kernels.tested.solvePsd(job)).rejects.toThrow(/NaN/);
  });

  it.each([Number.NaN, Infinity, -Infinity])(
    'refuses %d in vectors and ridges, and names them',
    async (bad) => {
      for (const input of ['vectors', 'ridge'] as const) {
        const job = { ...systems(8, 3), out: zeroFactors(11, 8) };
        job[input][2] = bad;
        await expect(kernels.tested.solvePsd(job)).rejects.toMatchObject({ name: 'JobValueError', input });
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
    await kernels.tested.solvePsd({
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
    await kernels.reference.solvePsd({ ...job, ...at, matrices: job.matrices.slice(), out: expected });
    await kernels.tested.solvePsd({ ...job, ...at, matrices: job.matrices.slice(), out: together });
    for (let k = 0; k < count; k++) {
      await kernels.tested.solvePsd({
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
