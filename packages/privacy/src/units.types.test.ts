import { describe, expect, it } from 'vitest';
import { gaussianEpsilon, muFor } from './accounting/gaussian-curve.js';
import { tightestEpsilon } from './accounting/tightest.js';
import { calibrate } from './plan/calibrate.js';
import type { ReleasePlan } from './plan/release-plan.js';
import { type Sensitive, sensitive } from './recorder/sensitive.js';
import { delta, epsilon, PrivacyParameterError } from './units.js';

const plan: ReleasePlan = {
  unit: 'user',
  relation: 'add-remove',
  released: 'sums',
  releases: [{ name: 'sums', mechanism: { kind: 'gaussian' }, sensitivity: 1, count: 1, share: 1 }],
};

describe('ε and δ', () => {
  it('are told apart by their types', () => {
    expect(calibrate(plan, { epsilon: epsilon(1), delta: delta(1e-6) })).toEqual(
      calibrate(plan, { epsilon: 1, delta: 1e-6 }),
    );
    // @ts-expect-error: a δ where an ε belongs
    expect(() => calibrate(plan, { epsilon: delta(1e-6), delta: 0.9 })).toThrow(PrivacyParameterError);
    // @ts-expect-error: an ε where a δ belongs
    expect(() => calibrate(plan, { epsilon: 1e-6, delta: epsilon(0.9) })).toThrow(PrivacyParameterError);
  });

  it('keep their types on the way through accountants and plans', () => {
    const planned = calibrate(plan, { epsilon: 1, delta: 1e-6 });
    expect(calibrate(plan, { epsilon: planned.epsilon, delta: planned.delta })).toEqual(planned);
    expect(muFor(planned.epsilon, planned.delta)).toBeGreaterThan(0);
    // @ts-expect-error: a plan's δ where an ε belongs
    expect(() => calibrate(plan, { epsilon: planned.delta, delta: planned.epsilon })).toThrow(/exchanged/);
    // @ts-expect-error: ε and δ in the wrong order
    expect(() => muFor(planned.delta, planned.epsilon)).toThrow(PrivacyParameterError);
    // @ts-expect-error: an ε where an accountant asks for δ
    expect(() => gaussianEpsilon(1, epsilon(2))).toThrow(PrivacyParameterError);
    const event = { kind: 'gaussian', sensitivity: 1, noise: 1 } as const;
    // @ts-expect-error: the same of the best of them
    expect(() => tightestEpsilon(event, epsilon(2))).toThrow(PrivacyParameterError);
  });

  it('are told apart by their size where they are plain numbers', () => {
    expect(() => calibrate(plan, { epsilon: 1e-6, delta: 0.9 })).toThrow(/exchanged/);
    expect(() => calibrate(plan, { epsilon: 1, delta: Number.NaN })).toThrow(PrivacyParameterError);
  });
});

describe('a sensitive value', () => {
  it('cannot be read, or made without a bound, by type', () => {
    const statistic: Sensitive<Float64Array> = sensitive(Float64Array.of(1), 'l2', 1);
    // @ts-expect-error: there is no way to the value
    expect(statistic.value).toBeUndefined();
    // @ts-expect-error: a bound is needed
    expect(() => sensitive(Float64Array.of(1), 'l2')).toThrow(RangeError);
    // @ts-expect-error: plain numbers are not a statistic with a proved bound
    const plain: Sensitive<Float64Array> = Float64Array.of(1);
    expect(plain).toBeDefined();
  });
});
