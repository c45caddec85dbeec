import '@hushrec/papers/register';
import { methodById, methods } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import { createRecorder } from '@hushrec/privacy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditMethod } from './audit-method.js';
import { auditOneRun } from './audit-one-run.js';
import { halfTheNoise, plantedFaults, sameNoiseTwice } from './broken-mechanisms.test.data.js';
import { canaryKinds } from './canaries.js';
import { noisyItemMeans } from './noisy-item-means.test.data.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1, kernel: 'scalar' });
});
afterAll(() => engine.close());

// ε = 10 (μ = 2.0004): large enough that 400 runs an arm show a factor 2, small enough to be claimed in
// earnest.
const target = { epsilon: 10, delta: 1e-5, runs: 400, confidence: 1 - 1e-7 };

describe('the audit of a correct mechanism', () => {
  // False alarm: the bound exceeds a true claim with probability at most 1e-7 by Clopper–Pearson; each
  // further check alarms with probability below 1e-7 (5.5 standard deviations, a handful of pairs).
  it('stays below the claim, and close enough to it to be of use', async () => {
    const report = await auditMethod({ ...target, method: noisyItemMeans, engine });
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(report.ok).toBe(true);
    expect(report.claimed).toBeCloseTo(10, 3);
    expect(report.lowerBound).toBeLessThanOrEqual(10);
    // Of use: each of two canaries is expected to show error rates of 0.159. A bound of 4 or less needs both
    // canaries to show 0.207 or more in both arms of 400 runs, 3.8 standard deviations each: probability
    // below 1e-8.
    expect(report.lowerBound).toBeGreaterThan(4);
    expect(report.runs).toBe(1600);
  });
});

describe('the audit of a broken mechanism', () => {
  it.each(plantedFaults)('catches $name', async ({ method, makeRecorder }) => {
    const report = await auditMethod({ ...target, method, engine, ...(makeRecorder && { makeRecorder }) });
    expect(report.ok).toBe(false);
    // Not only by looking inside: an attacker's success alone refutes the claim.
    expect(report.lowerBound).toBeGreaterThan(10);
  });
});

describe('the audit of dpals', () => {
  const settings = { contributionLimit: 4 };
  const short = { ...target, runs: 60, settings, canaries: ['rare-items', 'far-out'] } as const;

  it('finds nothing', async () => {
    const report = await auditMethod({ ...short, method: 'dpals', engine });
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(report.lowerBound).toBeLessThanOrEqual(report.claimed!);
  });

  it.each([
    ['noise at half scale', halfTheNoise],
    ['same noise used twice', sameNoiseTwice],
  ])('finds %s', async (_name, makeRecorder) => {
    const report = await auditMethod({
      ...short,
      runs: 60,
      method: methodById('dpals'),
      engine,
      makeRecorder,
    });
    expect(report.ok).toBe(false);
  });

  it('does not blame a recorder that only observes', async () => {
    const report = await auditMethod({
      ...short,
      method: 'dpals',
      engine,
      makeRecorder: (plan) => createRecorder(plan),
    });
    expect(report.ok).toBe(true);
  });
});

describe('the audit of every method with a guarantee', () => {
  const implicit = { min: 1, max: 1, step: 1 };
  const cases = methods
    .filter(({ protects }) => protects.length > 0)
    .map((method) => ({
      method,
      id: method.id,
      scale: method.feedback.includes('explicit') ? undefined : implicit,
    }));

  // Without noise involved there are no false alarms: the model follows from the releases, and no canary
  // moves a statistic beyond its bound.
  it.each(cases)('finds nothing hidden in $id', async ({ method, scale }) => {
    const report = await auditMethod({
      ...target,
      runs: 2,
      method,
      engine,
      canaries: canaryKinds,
      ...(scale && { scale }),
    });
    const exact = report.checks.filter(({ name }) => /follows from|within their bounds/.test(name));
    expect(exact.length).toBeGreaterThanOrEqual(3);
    expect(exact.filter(({ ok }) => !ok)).toEqual([]);
  });
});

describe('the audit in one run', () => {
  const one = { epsilon: 3, delta: 1e-5, confidence: 1 - 1e-7, canaries: 400 };

  // False alarm: at most 1e-7 by the theorem.
  it('stays below the claim of a correct mechanism', async () => {
    const report = await auditOneRun({ ...one, method: noisyItemMeans, engine });
    expect(report.ok).toBe(true);
    expect(report.lowerBound).toBeLessThanOrEqual(3);
    expect(report).toMatchObject({ runs: 1, canaries: 400, guesses: 200 });
  });

  it('refutes a mechanism whose labels are not clipped', async () => {
    const { method } = plantedFaults.find(({ name }) => name === 'labels unclipped')!;
    const report = await auditOneRun({ ...one, epsilon: 1, delta: 1e-12, method, engine, kind: 'far-out' });
    // All 200 guesses right refutes every ε below 2.48 at this confidence.
    expect(report.correct).toBe(200);
    expect(report.lowerBound).toBeGreaterThan(2.4);
    expect(report.ok).toBe(false);
  });

  it('works on dpals, and says what it cannot do', async () => {
    const report = await auditOneRun({ ...one, canaries: 60, method: 'dpals', engine });
    expect(report.ok).toBe(true);
    await expect(auditOneRun({ ...one, canaries: 4, method: 'private-als', engine })).rejects.toThrow(
      /many runs/,
    );
  });
});
