import { type Method, methodById } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import type { CalibratedPlan, ReleaseRecorder } from '@hushrec/privacy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditMethod } from './audit-method.js';
import { halfTheNoise } from './broken-mechanisms.test.data.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1, kernel: 'scalar' });
});
afterAll(() => engine.close());

// ε = 10 is μ = 2.0004, the most that anyone may move all statistics together.
const target = { epsilon: 10, delta: 1e-5, confidence: 1 - 1e-7, canaries: ['far-out'] } as const;
const hush = methodById('hush');

describe.each(['explicit', 'implicit'])('the audit of hush, %s', (feedback) => {
  const settings = { feedback };

  // False alarm: at most 1e-7 by Clopper–Pearson, and 4e-8 for each further check.
  it('stays below the claim, with a canary that uses 95% of the claimed μ', async () => {
    const report = await auditMethod({ ...target, runs: 100, method: hush, settings, engine });
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(report.lowerBound).toBeLessThanOrEqual(report.claimed!);
    // Power without chance: how far the canary moves the statistics, in units of their noise, is exact, and
    // what a likelihood-ratio attack has to work with. (Attacks that show it by counting need many more runs:
    // docs/hush-proof.md.)
    const moved = report.checks.find(({ name }) => name.includes('moves the statistics'))!;
    expect(Number.parseFloat(moved.detail)).toBeGreaterThan(1.9);
  });

  const caught = async (method: Method, makeRecorder?: (plan: CalibratedPlan) => ReleaseRecorder) => {
    const report = await auditMethod({
      ...target,
      runs: 60,
      method,
      settings,
      engine,
      ...(makeRecorder && { makeRecorder }),
    });
    expect(report.ok).toBe(false);
    return report;
  };

  it('catches noise at half scale', async () => {
    await caught(hush, halfTheNoise);
  });

  it('catches the clips removed, although the noise is that of the plan', async () => {
    const report = await auditMethod({
      ...target,
      runs: 60,
      method: hush,
      settings,
      engine,
      withoutClips: true,
    });
    const moved = report.checks.find(({ name }) => name.includes('moves the statistics'))!;
    expect(moved.ok).toBe(false);
    const law = report.checks.find(({ name }) => name.includes('planned law'))!;
    expect(law.ok).toBe(true);
  });

  it('catches a statistic that is published without a release', async () => {
    const leaky: Method = {
      ...hush,
      train: async (input) => {
        const trained = await hush.train(input);
        if (!('ratings' in input)) throw new Error('expected rows');
        const counts = new Float32Array(input.ratings.itemCount);
        for (const item of input.ratings.byUser.indices) counts[item] += 1;
        return { ...trained, model: { ...trained.model, popularity: counts } as typeof trained.model };
      },
    };
    const report = await caught(leaky);
    expect(report.checks.find(({ name }) => name.includes('follows from'))!.ok).toBe(false);
    expect(report.lowerBound).toBeGreaterThan(2);
  });
});
