import { WorkerPool } from '@hushrec/numerics';
import { describe, expect, it } from 'vitest';
import { tightestEpsilon } from '../accounting/tightest.js';
import { calibrate } from '../plan/calibrate.js';
import type { ReleasePlan } from '../plan/release-plan.js';
import type { ReleaseRecorder } from './port.js';
import { createRecorder } from './recorder.js';
import { sensitive } from './sensitive.js';

const plan: ReleasePlan = {
  unit: 'user',
  relation: 'add-remove',
  released: 'sums',
  releases: [
    { name: 'counts', mechanism: { kind: 'gaussian' }, sensitivity: 10, count: 1, share: 0.2 },
    { name: 'rounds', mechanism: { kind: 'gaussian' }, sensitivity: 2, count: 2, share: 0.8 },
  ],
};
const target = { epsilon: 1, delta: 1e-5 };
const calibrated = calibrate(plan, target);
const statistic = (length = 4, sensitivity = 2, fill = 0) =>
  sensitive(new Float64Array(length).fill(fill), 'l2', sensitivity);

async function release(
  recorder: ReleaseRecorder,
  name: string,
  length = 4,
  part = 0,
  fill = 0,
): Promise<Float64Array> {
  const open = recorder.begin(name);
  const value = await open.add(part, statistic(length, name === 'counts' ? 10 : 2, fill), 1 / 1024);
  open.close();
  return value;
}

describe('the recorder', () => {
  it('lets a planned run through and records what it cost, at most the target', async () => {
    const recorder = createRecorder(calibrated);
    await release(recorder, 'counts');
    await release(recorder, 'rounds');
    await release(recorder, 'rounds');
    const record = recorder.finish();
    expect(record.simulation).toBe(false);
    expect(record.releases.map(({ name, count }) => [name, count])).toEqual([
      ['counts', 1],
      ['rounds', 2],
    ]);
    const spent = tightestEpsilon(record.event, 1e-5).epsilon;
    expect(spent).toBeLessThanOrEqual(1);
    expect(spent).toBeGreaterThan(1 - 1e-8);
    expect(record.event).toMatchObject({ kind: 'composed' });
    expect(JSON.stringify(record.event)).toContain('sampler-distance');
  });

  it('records a pure run at the ε of its plan, δ paying for the samplers alone', async () => {
    const pure = calibrate(
      {
        ...plan,
        releases: [
          { name: 'sums', mechanism: { kind: 'laplace' }, sensitivity: 1, count: 1, share: 0.5 },
          {
            name: 'vectors',
            mechanism: { kind: 'k-norm', dimension: 3 },
            sensitivity: 1,
            count: 1,
            share: 0.5,
          },
        ],
      },
      { epsilon: 20, delta: 0 },
    );
    const recorder = createRecorder(pure);
    const sums = recorder.begin('sums');
    await sums.add(0, sensitive(new Float64Array(1000), 'l1', 1), 1);
    sums.close();
    const vectors = recorder.begin('vectors');
    await vectors.add(0, sensitive(new Float64Array(3000), 'l2', 1), 1, { kind: 'vectors' });
    vectors.close();
    const { event } = recorder.finish();
    expect(tightestEpsilon(event, pure.delta).epsilon).toBeLessThanOrEqual(20);
    expect(tightestEpsilon(event, 0).epsilon).toBe(Infinity);
  });

  it('refuses what is not planned, and more than is planned', async () => {
    const recorder = createRecorder(calibrated);
    expect(() => recorder.begin('histogram')).toThrow('not in the plan');
    await release(recorder, 'counts');
    expect(() => recorder.begin('counts')).toThrow('all of them made');
  });

  it('fails a run that differs from its plan', async () => {
    const recorder = createRecorder(calibrated);
    await release(recorder, 'counts');
    await release(recorder, 'rounds');
    expect(() => recorder.finish()).toThrow('"rounds" was planned 2 times and made 1 times');
    recorder.begin('rounds');
    expect(() => recorder.finish()).toThrow('never closed');
  });

  it('makes the charge before anything can be released, and releases nothing when it is refused', async () => {
    const charged: string[] = [];
    let refuse = false;
    const recorder = createRecorder(calibrated, {
      beforeRelease: async ({ name, occurrence }) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (refuse) throw new Error('budget exceeded');
        charged.push(`${name} ${occurrence}`);
      },
    });
    await release(recorder, 'counts');
    expect(charged).toEqual(['counts 0']);
    refuse = true;
    await expect(release(recorder, 'rounds')).rejects.toThrow('budget exceeded');
  });
});

describe('the record of a line', () => {
  it('carries the coarsest grid of its releases, whichever came first', async () => {
    for (const steps of [
      [2 ** -4, 2 ** -20],
      [2 ** -20, 2 ** -4],
    ]) {
      const recorder = createRecorder(calibrated);
      await release(recorder, 'counts');
      for (const step of steps) {
        const open = recorder.begin('rounds');
        await open.add(0, statistic(), step);
        open.close();
      }
      const { event } = recorder.finish().releases[1];
      const noise = calibrated.releases[1].noise;
      expect(event.kind === 'gaussian' && event.gridSigma! < noise / 2 ** -19).toBe(true);
      expect(event.kind === 'gaussian' && event.gridSigma! < 4096).toBe(true);
    }
  });
});

describe('noise', () => {
  const keyed = (options: Parameters<typeof createRecorder>[1]) => createRecorder(calibrated, options);
  const key = Uint8Array.from({ length: 32 }, (_, i) => 7 * i + 3);

  it('differs between runs, and between parts and occurrences of one run', async () => {
    const [a, b] = [createRecorder(calibrated), createRecorder(calibrated)];
    expect(await release(a, 'rounds', 64)).not.toEqual(await release(b, 'rounds', 64));
    const open = a.begin('rounds');
    const one = await open.add(1, statistic(64), 1 / 1024);
    const two = await open.add(2, statistic(64), 1 / 1024);
    expect(one).not.toEqual(two);
  });

  it('is the same bytes again when a run is resumed with its key, plan, data and job', async () => {
    const options = { key, identity: 'data', job: 'job' };
    const first = await release(keyed(options), 'counts', 64);
    expect(await release(keyed(options), 'counts', 64)).toEqual(first);
    expect(await release(keyed({ ...options, identity: 'other' }), 'counts', 64)).not.toEqual(first);
    expect(await release(keyed({ ...options, job: 'other' }), 'counts', 64)).not.toEqual(first);
    const otherPlan = createRecorder(calibrate(plan, { ...target, delta: 1.0001e-5 }), options);
    const noise = await release(otherPlan, 'counts', 64);
    expect(noise.some((x, i) => x === first[i] && x !== 0)).toBe(false);
  });

  it('is the same bytes whether threads draw it or not', async () => {
    const pool = new WorkerPool(2);
    const options = { key, identity: 'data', job: 'job' };
    const here = await release(keyed(options), 'counts', 200_000);
    expect(await release(keyed({ ...options, threads: pool }), 'counts', 200_000)).toEqual(here);
    await pool.close();
  });

  it('is independent when the same step is run on other numbers, so that a difference reveals nothing', async () => {
    const options = { key, identity: 'data', job: 'job' };
    const before = await release(keyed(options), 'counts', 64, 0, 0);
    const after = await release(keyed(options), 'counts', 64, 0, 1024);
    const differences = new Set(after.map((x, i) => x - before[i]));
    expect(differences.size).toBeGreaterThan(32);
  });

  it('can be recomputed from a seed, and then the record says simulation', async () => {
    const [a, b, c] = [keyed({ seed: 0 }), keyed({ seed: 0 }), keyed({ seed: 1 })];
    expect(a.simulation).toBe(true);
    const first = await release(a, 'counts', 64);
    expect(await release(b, 'counts', 64)).toEqual(first);
    expect(await release(c, 'counts', 64)).not.toEqual(first);
    expect(() => keyed({ seed: 1, key })).toThrow('not both');
  });

  it('is absent without privacy, and the record has no finite ε', async () => {
    const recorder = createRecorder(calibrate(plan, { epsilon: Infinity, delta: 0 }));
    expect(await release(recorder, 'counts', 3, 0, 2048)).toEqual(Float64Array.of(2, 2, 2));
    await release(recorder, 'rounds');
    await release(recorder, 'rounds');
    expect(tightestEpsilon(recorder.finish().event, 1e-5).epsilon).toBe(Infinity);
  });
});
