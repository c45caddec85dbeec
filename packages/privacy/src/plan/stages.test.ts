import { describe, expect, it } from 'vitest';
import { gaussianEpsilon } from '../accounting/gaussian-curve.js';
import { createRecorder } from '../recorder/recorder.js';
import { sensitive } from '../recorder/sensitive.js';
import { calibrate } from './calibrate.js';
import { ReleasePlanError } from './check-plan.js';
import type { PlannedRelease, ReleasePlan } from './release-plan.js';
import { squaredMu } from './stages.js';

const line = (name: string, share: number, more: Partial<PlannedRelease> = {}): PlannedRelease => ({
  name,
  mechanism: { kind: 'gaussian' },
  sensitivity: 2,
  count: 1,
  share,
  ...more,
});
const plan: ReleasePlan = {
  unit: 'user',
  relation: 'add-remove',
  released: 'sums',
  releases: [line('counts', 0.1)],
  later: {
    stages: 2,
    lines: 2,
    numbers: 20,
    rule: 'shares follow from counts',
    allowed: [
      { name: 'effects', sensitivity: 2, count: 1, numbers: 10 },
      { name: 'rounds', sensitivity: 3, count: 4, numbers: 5 },
    ],
  },
};
const target = { epsilon: 1, delta: 1e-6 };
const staged = () => createRecorder(calibrate(plan, target), { seed: 1 });
const release = async (recorder: ReturnType<typeof staged>, name: string, numbers = 4) => {
  const open = recorder.begin(name);
  await open.add(0, sensitive(new Float64Array(numbers), 'l2', 2), 2 ** -10);
  open.close();
};

describe('a plan in stages', () => {
  it('spends the whole total over its stages, and never more', async () => {
    const recorder = staged();
    await release(recorder, 'counts');
    recorder.stage([line('effects', 0.3)]);
    await release(recorder, 'effects');
    recorder.stage([line('rounds', 0.6, { count: 3 })]);
    for (let round = 0; round < 3; round++) await release(recorder, 'rounds');
    const { plan: made } = recorder.finish();
    const spent = squaredMu(made.releases);
    const { mu } = made.total!;
    expect(spent).toBeLessThanOrEqual(mu ** 2);
    expect(spent).toBeGreaterThan(mu ** 2 * (1 - 1e-9));
    expect(gaussianEpsilon(mu, target.delta)).toBeLessThanOrEqual(1);
    expect(made.epsilon).toBe(1);
  });

  it('states the total also where less was used', async () => {
    const recorder = staged();
    await release(recorder, 'counts');
    expect(recorder.finish().plan).toMatchObject({ epsilon: 1, delta: 1e-6 });
  });

  it.each<[string, readonly PlannedRelease[], RegExp]>([
    ['outside the envelope', [line('moments', 0.1)], /not in the declared envelope/],
    ['again', [line('counts', 0.1)], /in the plan already/],
    ['with more sensitivity', [line('effects', 0.1, { sensitivity: 2.1 })], /the envelope allows 2/],
    ['more often', [line('rounds', 0.1, { count: 5 })], /the envelope allows 4/],
    ['with other noise', [line('effects', 0.1, { mechanism: { kind: 'laplace' } })], /plain Gaussian/],
    ['with a paper’s claim', [line('effects', 0.1, { proved: { sensitivity: 1 } })], /plain Gaussian/],
    ['with nothing', [line('effects', 0)], /share 0/],
    ['with NaN', [line('effects', Number.NaN)], /share NaN/],
  ])('refuses lines %s, and then the stage does not exist', (_, lines, message) => {
    const recorder = staged();
    expect(() => recorder.stage(lines)).toThrow(message);
    expect(() => recorder.begin('effects')).toThrow(/not in the plan/);
    recorder.stage([line('effects', 0.9)]);
    expect(recorder.plan.releases.at(-1)!.name).toBe('effects');
  });

  it.each([
    [0.3, 0.601],
    [1, 1],
    [0.901, 1e-9],
  ])('gives shares of %f and %f no more than what is left, in proportion', (first, second) => {
    const recorder = staged();
    recorder.stage([line('effects', first), line('rounds', second)]);
    const { releases, total } = recorder.plan;
    const spent = squaredMu(releases);
    expect(spent).toBeLessThanOrEqual(total!.mu ** 2);
    expect(spent).toBeGreaterThan(total!.mu ** 2 * (1 - 1e-8));
    const [, effects, rounds] = releases.map(({ sensitivity, noise }) => (sensitivity / noise) ** 2);
    expect(effects / rounds).toBeCloseTo(first / second, 6 - Math.round(Math.log10(first / second)));
    expect(() => recorder.stage([])).not.toThrow();
  });

  it('refuses a stage for which nothing is left', () => {
    const recorder = staged();
    recorder.stage([line('effects', 0.9)]);
    expect(() => recorder.stage([line('rounds', 0.1)])).toThrow(/Nothing is left/);
  });

  it('refuses a third stage of two, and a stage of a plan that has none', () => {
    const recorder = staged();
    recorder.stage([line('effects', 0.1)]);
    recorder.stage([]);
    expect(() => recorder.stage([line('rounds', 0.1)])).toThrow(/all were made/);
    const single = createRecorder(
      calibrate({ ...plan, later: undefined as never, releases: [line('a', 1)] }, target),
    );
    expect(() => single.stage([line('b', 0.1)])).toThrow(ReleasePlanError);
  });

  it('refuses more numbers than the envelope declares, for one release and in all', async () => {
    const recorder = staged();
    recorder.stage([line('effects', 0.1), line('rounds', 0.1, { count: 4 })]);
    await expect(release(recorder, 'rounds', 6)).rejects.toThrow(/beyond the declared envelope/);
    const other = staged();
    other.stage([line('effects', 0.1), line('rounds', 0.1, { count: 4 })]);
    await release(other, 'effects', 10);
    await release(other, 'rounds', 5);
    await release(other, 'rounds', 5);
    await expect(release(other, 'rounds', 1)).rejects.toThrow(/21 in all/);
  });

  it('cannot be calibrated with other noise, other accounting, or a first stage that spends everything', () => {
    const bad = (releases: readonly PlannedRelease[]) => () => calibrate({ ...plan, releases }, target);
    expect(bad([line('a', 1)])).toThrow(/first stage/);
    expect(bad([line('a', 0.1, { mechanism: { kind: 'laplace' } })])).toThrow(/plain Gaussian/);
    expect(() => calibrate(plan, { ...target, accounting: 'rdp' })).toThrow(/accounted exactly/);
    expect(() => calibrate(plan, { epsilon: 1, delta: 0 })).toThrow(/δ = 0/);
  });

  it('has no noise without a target', () => {
    const recorder = createRecorder(calibrate(plan, { epsilon: Infinity, delta: 0 }));
    recorder.stage([line('effects', 0.9)]);
    expect(recorder.plan.releases.map(({ noise }) => noise)).toEqual([0, 0]);
  });
});
