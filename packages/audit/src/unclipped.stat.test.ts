import { type Method, methodById } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import { type ReleaseRecorder, sensitive } from '@hushrec/privacy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revealToMechanism } from '../../privacy/src/released.js';
import { auditMethod } from './audit-method.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1, kernel: 'scalar' });
});
afterAll(() => engine.close());

/** The method as if a clip had been forgotten: it is a thousand times wider, while plan and noise stay as they were. */
function withoutClips(id: string, clips: readonly string[]): Method {
  const method = methodById(id);
  return {
    ...method,
    train: (input) =>
      method.train({
        ...input,
        recorder: believing(input.recorder),
        settings: {
          ...input.settings,
          ...Object.fromEntries(clips.map((clip) => [clip, Number(input.settings[clip]) * 1000])),
        },
      }),
  };
}

/** Hands on statistics under the sensitivity of the plan, as code without the clip would. */
function believing(recorder: ReleaseRecorder): ReleaseRecorder {
  return {
    plan: recorder.plan,
    simulation: recorder.simulation,
    finish: () => recorder.finish(),
    begin(name) {
      const open = recorder.begin(name);
      const planned = recorder.plan.releases.find((line) => line.name === name)!.sensitivity;
      return {
        name,
        noise: open.noise,
        close: () => open.close(),
        flip: (...rest) => open.flip(...rest),
        select: (...rest) => open.select(...rest),
        thresholdedLaplace: (...rest) => open.thresholdedLaplace(...rest),
        add: (part, statistic, ...rest) =>
          open.add(part, sensitive(revealToMechanism(statistic), statistic.norm, planned), ...rest),
      };
    },
  };
}

const everyone = { samplingRate: 1 };
const cases = [
  { id: 'dpals', clips: ['clipNorm', 'targetBound'], settings: { contributionLimit: 4 } },
  { id: 'dp-cmf', clips: ['clipNorm', 'targetBound'], settings: { contributionLimit: 4 } },
  { id: 'am-ssp', clips: ['clipNorm', 'targetBound'], settings: { contributionLimit: 4, innerSteps: 5 } },
  { id: 'am-dpsgd', clips: ['gradientBound'], settings: everyone },
  { id: 'dp-sgd', clips: ['gradientBound'], settings: everyone },
];

describe('the audit of user-level methods', () => {
  const request = { epsilon: 3, delta: 1e-5, confidence: 1 - 1e-7, canaries: ['far-out'] } as const;

  // False alarm: the bound exceeds a true claim with probability at most 1e-7 (Clopper–Pearson); the shift is compared
  // without noise.
  it.each(cases)('finds nothing in $id', async ({ id, settings }) => {
    const report = await auditMethod({ ...request, runs: 10, method: id, settings, engine });
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(report.lowerBound).toBeLessThanOrEqual(request.epsilon);
  });

  // Power: the canary then moves the sums by far more than their noise, so that guesses do not fail. With no error in 60 runs an
  // arm both error rates are below 0.25 at this confidence, which shows μ ≥ 1.3: ε above 5.
  it.each(cases)('shows more than is claimed when $id forgets to clip', async ({ id, clips, settings }) => {
    const report = await auditMethod({
      ...request,
      runs: 60,
      method: withoutClips(id, clips),
      settings,
      engine,
    });
    expect(report.ok).toBe(false);
    expect(report.lowerBound).toBeGreaterThan(request.epsilon);
  });
});
