import {
  calibrate,
  createRecorder,
  type ReleasePlan,
  type ReleaseRecorder,
  sensitive,
} from '@hushrec/privacy';
import { describe, expect, it } from 'vitest';
import { logLikelihoodRatio } from './log-likelihood-ratio.js';
import { observing, replaying, TranscriptMismatchError } from './transcript.js';
import { whitenedShift } from './whitened-shift.js';

const plan = (mechanism: ReleasePlan['releases'][number]['mechanism'], sensitivity = 2): ReleasePlan => ({
  unit: 'user',
  relation: 'add-remove',
  released: 'numbers',
  releases: [{ name: 'x', mechanism, sensitivity, count: 1, share: 1 }],
});
const target = { epsilon: 1, delta: 1e-5 };

/** Observes one release of `a`, then replays it on `a` and on `b`. */
async function compare(
  release: (recorder: ReleaseRecorder, data: 'a' | 'b') => Promise<unknown>,
  planned: ReleasePlan,
) {
  const calibrated = calibrate(planned, target);
  const { recorder, transcript } = observing(createRecorder(calibrated));
  const seen = await release(recorder, 'a');
  const replays = await Promise.all(
    (['a', 'b'] as const).map(async (data) => {
      const { recorder: replayed, exact } = replaying(calibrated, transcript);
      expect(await release(replayed, data)).toEqual(seen);
      return exact;
    }),
  );
  const [a, b] = replays as [(typeof replays)[0], (typeof replays)[0]];
  return {
    seen,
    noise: calibrated.releases[0].noise,
    ratio: logLikelihoodRatio(calibrated, transcript, a, b),
    reverse: logLikelihoodRatio(calibrated, transcript, b, a),
    shift: whitenedShift(calibrated, a, b),
  };
}

const add =
  (
    values: { a: number[]; b: number[] },
    norm: 'l1' | 'l2',
    layout?: Parameters<ReturnType<ReleaseRecorder['begin']>['add']>[3],
  ) =>
  async (recorder: ReleaseRecorder, data: 'a' | 'b') => {
    const open = recorder.begin('x');
    const out = await open.add(0, sensitive(Float64Array.from(values[data]), norm, 2), 1, layout);
    open.close();
    return out;
  };

describe('the likelihood ratio of a transcript', () => {
  it('is that of the Gaussian law', async () => {
    const values = { a: [3, 0, 5], b: [3, 1, 4] };
    const { seen, noise, ratio, reverse, shift } = await compare(
      add(values, 'l2'),
      plan({ kind: 'gaussian' }),
    );
    const [, y, z] = seen as [number, number, number];
    const logDensity = (exact: [number, number]) =>
      -((y - exact[0]) ** 2 + (z - exact[1]) ** 2) / (2 * noise ** 2);
    expect(ratio).toBeCloseTo(logDensity([0, 5]) - logDensity([1, 4]), 9);
    expect(reverse).toBeCloseTo(-ratio, 12);
    expect(shift).toBeCloseTo(Math.SQRT2 / noise, 9);
  });

  it('counts off-diagonal entries of symmetric matrices twice', async () => {
    const values = { a: [0, 1, 0], b: [0, 0, 0] };
    const layout = { kind: 'symmetric', width: 2 } as const;
    const { seen, noise, ratio, shift } = await compare(
      add(values, 'l2', layout),
      plan({ kind: 'gaussian' }),
    );
    const y = (seen as Float64Array)[1];
    expect(ratio).toBeCloseTo((y ** 2 - (y - 1) ** 2) / noise ** 2, 9);
    expect(shift).toBeCloseTo(Math.SQRT2 / noise, 9);
  });

  it('is that of the Laplace law, and never beyond ε', async () => {
    const values = { a: [10, 0], b: [9, 1] };
    const { seen, noise, ratio, shift } = await compare(add(values, 'l1'), plan({ kind: 'laplace' }));
    const [x, y] = seen as [number, number];
    const size = Math.abs(x - 9) + Math.abs(y - 1) - Math.abs(x - 10) - Math.abs(y);
    expect(ratio).toBeCloseTo(size / noise, 9);
    expect(Math.abs(ratio)).toBeLessThanOrEqual(1 + 1e-9);
    expect(shift).toBeCloseTo(1, 9);
  });

  it('is that of the K-norm law, and never beyond ε', async () => {
    const values = { a: [2, 0, 0], b: [0, 0, 0] };
    const { seen, noise, ratio, shift } = await compare(
      add(values, 'l2'),
      plan({ kind: 'k-norm', dimension: 3 }),
    );
    const [x, y, z] = seen as [number, number, number];
    expect(ratio).toBeCloseTo((Math.hypot(x, y, z) - Math.hypot(x - 2, y, z)) / noise, 6);
    expect(Math.abs(ratio)).toBeLessThanOrEqual(1 + 1e-9);
    expect(shift).toBeCloseTo(1, 9);
  });

  it('is that of randomised response', async () => {
    const bits = { a: [1, 0, 1], b: [0, 0, 1] };
    const { seen, noise, ratio, shift } = await compare(
      async (recorder, data) => {
        const open = recorder.begin('x');
        const out = await open.flip(0, sensitive(Uint8Array.from(bits[data]), 'l1', 1));
        open.close();
        return out;
      },
      plan({ kind: 'pure', mechanism: 'randomised response' }, 1),
    );
    expect(ratio).toBeCloseTo(((seen as Uint8Array)[0] === 1 ? 1 : -1) / noise, 12);
    expect(shift).toBeCloseTo(1, 9);
  });

  it('is within ε for thresholded cells', async () => {
    const cells = { a: [5, 1], b: [5, 2] };
    const { ratio, shift } = await compare(
      async (recorder, data) => {
        const open = recorder.begin('x');
        const row = { columns: Uint32Array.of(3, 7), values: Float64Array.from(cells[data]) };
        const out = await open.thresholdedLaplace(0, sensitive(row, 'l1', 2), {
          gridStep: 1,
          columnCount: 20,
          threshold: 3,
          clampTo: 8,
        });
        open.close();
        return out;
      },
      plan({ kind: 'laplace' }),
    );
    expect(Math.abs(ratio)).toBeLessThanOrEqual(0.5 + 1e-9);
    expect(shift).toBeCloseTo(0.5, 9);
  });
});

describe('a replay', () => {
  it('refuses what was never released', async () => {
    const calibrated = calibrate(plan({ kind: 'gaussian' }), target);
    const { recorder } = replaying(calibrated, new Map());
    await expect(add({ a: [1], b: [1] }, 'l2')(recorder, 'a')).rejects.toThrow(TranscriptMismatchError);
  });

  it('refuses a release of another length', async () => {
    const calibrated = calibrate(plan({ kind: 'gaussian' }), target);
    const { recorder, transcript } = observing(createRecorder(calibrated));
    await add({ a: [1], b: [1, 2] }, 'l2')(recorder, 'a');
    const replayed = replaying(calibrated, transcript).recorder;
    await expect(add({ a: [1], b: [1, 2] }, 'l2')(replayed, 'b')).rejects.toThrow(TranscriptMismatchError);
  });
});
