import { describe, expect, it } from 'vitest';
import { calibrate } from '../plan/calibrate.js';
import type { PlannedMechanism, PlannedRelease } from '../plan/release-plan.js';
import type { OpenRelease } from './port.js';
import { createRecorder } from './recorder.js';
import { type SensitivityNorm, sensitive } from './sensitive.js';

function opened(
  mechanism: PlannedMechanism,
  more: Partial<PlannedRelease> = {},
  epsilon = 1,
): OpenRelease & { readonly noise: number } {
  const releases = [{ name: 'it', mechanism, sensitivity: 1, count: 1, share: 1, ...more }];
  const plan = calibrate(
    { unit: 'user', relation: 'add-remove', released: 'it', releases },
    { epsilon, delta: 1e-5 },
  );
  return createRecorder(plan, { seed: 1 }).begin('it');
}
const numbers = (values: readonly number[], sensitivity = 1, norm: SensitivityNorm = 'l2') =>
  sensitive(Float64Array.from(values), norm, sensitivity);
const gaussian = { kind: 'gaussian' } as const;
const laplace = { kind: 'laplace' } as const;

describe('a release refuses', () => {
  it.each([
    [
      'a larger sensitivity than planned',
      () => opened(gaussian).add(0, numbers([1], 1.001), 1),
      'sensitivity-too-large',
    ],
    [
      'a sensitivity above the planned one by the last digit',
      () => opened(gaussian).add(0, numbers([1], 1 + 2 ** -52), 1),
      'sensitivity-too-large',
    ],
    ['the wrong norm', () => opened(gaussian).add(0, numbers([1], 1, 'l1'), 1), 'wrong-norm'],
    ['the wrong norm for Laplace', () => opened(laplace).add(0, numbers([1]), 1), 'wrong-norm'],
    ['numbers off the grid', () => opened(gaussian).add(0, numbers([0.5]), 1), 'not-on-grid'],
    ['NaN', () => opened(gaussian).add(0, numbers([Number.NaN]), 1), 'not-on-grid'],
    ['infinity', () => opened(laplace).add(0, numbers([Infinity], 1, 'l1'), 1), 'not-on-grid'],
    ['numbers too large to stay exact', () => opened(gaussian).add(0, numbers([2 ** 53]), 1), 'not-on-grid'],
    ['a grid without a step', () => opened(gaussian).add(0, numbers([1]), 0), 'bad-grid'],
    [
      'half a triangle',
      () => opened(gaussian).add(0, numbers([1, 2]), 1, { kind: 'symmetric', width: 2 }),
      'bad-layout',
    ],
    [
      'a symmetric layout for Laplace',
      () => opened(laplace).add(0, numbers([1], 1, 'l1'), 1, { kind: 'symmetric', width: 1 }),
      'bad-layout',
    ],
    [
      'vectors of another dimension',
      () => opened({ kind: 'k-norm', dimension: 3 }).add(0, numbers([1, 2]), 1),
      'bad-layout',
    ],
    [
      'vectors of their own for Gaussian noise',
      () => opened(gaussian).add(0, numbers([1]), 1, { kind: 'vectors' }),
      'bad-layout',
    ],
    [
      'bits of a Laplace line',
      () => opened(laplace).flip(0, sensitive(Uint8Array.of(1), 'l1', 1)),
      'wrong-mechanism',
    ],
    [
      'bits that are not',
      () => opened({ kind: 'pure', mechanism: 'x' }).flip(0, sensitive(Uint8Array.of(2), 'l1', 1)),
      'not-on-grid',
    ],
    [
      'sums of a pure line',
      () => opened({ kind: 'pure', mechanism: 'x' }).add(0, numbers([1], 1, 'l1'), 1),
      'wrong-mechanism',
    ],
    [
      'columns out of order',
      () =>
        opened(laplace).thresholdedLaplace(
          0,
          sensitive({ columns: Uint32Array.of(2, 1), values: new Float64Array(2) }, 'l1', 1),
          { gridStep: 1, columnCount: 5, threshold: 1, clampTo: 1 },
        ),
      'bad-layout',
    ],
  ] as const)('%s', async (_, attempt, reason) => {
    await expect(attempt()).rejects.toMatchObject({ name: 'ReleaseRefusedError', reason, release: 'it' });
  });

  it('the same part twice, and anything after closing', async () => {
    const open = opened(gaussian);
    await open.add(3, numbers([1]), 1);
    await expect(open.add(3, numbers([1]), 1)).rejects.toMatchObject({ reason: 'part-used-twice' });
    await expect(open.add(-1, numbers([1]), 1)).rejects.toMatchObject({ reason: 'part-used-twice' });
    open.close();
    await expect(open.add(4, numbers([1]), 1)).rejects.toMatchObject({ reason: 'closed' });
    expect(() => open.close()).toThrow('closed already');
  });

  it('a second selection, which would cost ε again', async () => {
    const open = opened({ kind: 'pure', mechanism: 'x' });
    await open.select(0, numbers([1, 2], 1, 'linf'), 1);
    await expect(open.select(1, numbers([1, 2], 1, 'linf'), 1)).rejects.toThrow('selects once');
  });

  it('without showing the numbers', async () => {
    await expect(opened(gaussian).add(0, numbers([123456.5]), 1)).rejects.not.toThrow('123456');
  });
});

describe('a release', () => {
  it('does not change the statistic it was given', async () => {
    const values = Float64Array.of(1, 2, 3);
    await opened(gaussian).add(0, sensitive(values, 'l2', 1), 1);
    expect([...values]).toEqual([1, 2, 3]);
  });

  it('puts the same numbers in its place when it is told to, ties included', async () => {
    const values = Float64Array.from({ length: 300_000 }, (_, k) => k % 1000);
    const apart = await opened(gaussian).add(0, sensitive(values.slice(), 'l2', 1), 2 ** -30);
    const options = { overwrite: true };
    const inPlace = await opened(gaussian).add(
      0,
      sensitive(values, 'l2', 1),
      2 ** -30,
      { kind: 'vector' },
      options,
    );
    expect(inPlace).toBe(values);
    expect(inPlace).toEqual(apart);
  });

  it('refines a coarse grid, so that whole counts get fine noise', async () => {
    const open = opened(gaussian);
    const out = await open.add(0, numbers(new Array<number>(100).fill(5)), 1);
    expect(out.some((value) => !Number.isInteger(value))).toBe(true);
    const event = open.close();
    expect(event.kind === 'gaussian' && event.gridSigma! >= 1024).toBe(true);
  });

  it('leaves no trace of the value in low-order bits: outputs are whole steps of a grid fixed by the plan', async () => {
    for (const mechanism of [gaussian, laplace, { kind: 'k-norm', dimension: 50 } as const]) {
      const norm = mechanism.kind === 'laplace' ? 'l1' : 'l2';
      const outputs = await Promise.all(
        [0, 1, 2 ** 30].map((value) =>
          opened(mechanism).add(0, numbers(new Array<number>(50).fill(value), 1, norm), 2 ** -16),
        ),
      );
      for (const out of outputs) expect(out.every((value) => Number.isInteger(value * 2 ** 17))).toBe(true);
    }
  });

  it('scales noise to the sensitivity of each part on a perPart line', async () => {
    const open = opened({ kind: 'k-norm', dimension: 2 }, { perPart: true });
    const length = 2 * 4000;
    const sensitivities = Float64Array.from({ length: 4000 }, (_, k) =>
      k % 2 === 0 ? 1 : k % 4 === 1 ? 8 : 0,
    );
    const out = await open.add(0, sensitive(new Float64Array(length), 'l2', 8), 2 ** -12, {
      kind: 'vectors',
      sensitivities,
    });
    const size = (wanted: number) => {
      let sum = 0;
      let vectors = 0;
      for (let k = 0; k < 4000; k++) {
        if (sensitivities[k] !== wanted) continue;
        sum += Math.hypot(out[2 * k], out[2 * k + 1]);
        vectors++;
      }
      return sum / vectors;
    };
    // E‖z‖ = 2b, b = sensitivity at ε = 1; deviation of the mean of 1,000 is 2.3 %: 6 of them are 14 %.
    expect(size(0)).toBe(0);
    expect(Math.abs(size(1) / 2 - 1)).toBeLessThan(0.14);
    expect(Math.abs(size(8) / 16 - 1)).toBeLessThan(0.14);
  });

  it('selects, flips and thresholds without noise when there is no privacy', async () => {
    const pure = { kind: 'pure', mechanism: 'x' } as const;
    expect(await opened(pure, {}, Infinity).select(0, numbers([1, 7, 3], 1, 'linf'), 1)).toBe(1);
    expect([...(await opened(pure, {}, Infinity).flip(0, sensitive(Uint8Array.of(1, 0), 'l1', 1)))]).toEqual([
      1, 0,
    ]);
    const cells = { columns: Uint32Array.of(1, 4, 6), values: Float64Array.of(8, -4, 2) };
    const kept = await opened(laplace, {}, Infinity).thresholdedLaplace(0, sensitive(cells, 'l1', 1), {
      gridStep: 0.5,
      columnCount: 10,
      threshold: 1,
      clampTo: 3,
    });
    expect([[...kept.columns], [...kept.values]]).toEqual([
      [1, 4],
      [3, -2],
    ]);
  });

  it('selects, flips and thresholds with noise otherwise', async () => {
    const pure = { kind: 'pure', mechanism: 'x' } as const;
    expect(await opened(pure).select(0, numbers([0, 1000, 0], 1, 'linf'), 1)).toBe(1);
    const flipped = await opened(pure).flip(0, sensitive(new Uint8Array(1000), 'l1', 1));
    expect(flipped.reduce((sum, bit) => sum + bit, 0)).toBeGreaterThan(150);
    const empty = { columns: new Uint32Array(0), values: new Float64Array(0) };
    const open = opened(laplace);
    const kept = await open.thresholdedLaplace(0, sensitive(empty, 'l1', 1), {
      gridStep: 2 ** -10,
      columnCount: 1000,
      threshold: 1,
      clampTo: 2,
    });
    expect(kept.columns.length).toBeGreaterThan(200);
    expect(kept.values.every((value) => Math.abs(value) > 1 && Math.abs(value) <= 2)).toBe(true);
    expect(open.close()).toMatchObject({ kind: 'laplace', gridScale: 1024 });
  });
});
