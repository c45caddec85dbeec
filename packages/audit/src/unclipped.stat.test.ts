import '@hushrec/papers/register';
import { methods } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditMethod } from './audit-method.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1, kernel: 'scalar' });
});
afterAll(() => engine.close());

const everyone = { samplingRate: 1 };
const cases = [
  { id: 'dpals', settings: { contributionLimit: 4 } },
  { id: 'dp-cmf', settings: { contributionLimit: 4 } },
  { id: 'am-ssp', settings: { contributionLimit: 4, innerSteps: 5 } },
  { id: 'am-dpsgd', settings: everyone },
  { id: 'dp-sgd', settings: everyone },
  { id: 'dp-fw', settings: {} },
  { id: 'dp-svd', settings: {} },
  { id: 'hush', settings: { feedback: 'explicit' } },
];

describe('the audit of user-level methods', () => {
  const request = { epsilon: 3, delta: 1e-5, confidence: 1 - 1e-7, canaries: ['far-out'] } as const;

  // False alarm: the bound exceeds a true claim with probability at most 1e-7 (Clopper–Pearson); the shift is
  // compared without noise.
  it.each(cases)('finds nothing in $id', async ({ id, settings }) => {
    const report = await auditMethod({ ...request, runs: 10, method: id, settings, engine });
    expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
    expect(report.lowerBound).toBeLessThanOrEqual(request.epsilon);
  });

  // Power: the canary then moves the sums by far more than their noise, so that guesses do not fail. With no
  // error in 60 runs an arm both error rates are below 0.25 at this confidence, which shows μ ≥ 1.3: ε above 5.
  it.each(cases)('shows more than is claimed when $id forgets to clip', async ({ id, settings }) => {
    const report = await auditMethod({
      ...request,
      runs: 60,
      method: id,
      withoutClips: true,
      settings,
      engine,
    });
    expect(report.ok).toBe(false);
    expect(report.lowerBound).toBeGreaterThan(request.epsilon);
    expect(report.claimed).toBeCloseTo(request.epsilon, 3);
    for (const { planned, used } of report.widenedClips!) expect(used).toBeCloseTo(1000 * planned);
  });

  it('names clips that are settings, in every method that declares some', () => {
    for (const { clips = [], settings } of methods)
      for (const clip of clips) expect(settings[clip]?.type).toBe('number');
  });

  it('refuses to remove clips that are not declared', async () => {
    const audit = auditMethod({ ...request, runs: 10, method: 'dplcf', engine, withoutClips: true });
    await expect(audit).rejects.toThrow(/clips of dplcf cannot be removed: it declares none/);
  });
});
