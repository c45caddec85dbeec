import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pldAccountant } from '../accounting/pld.js';
import { rdpAccountant } from '../accounting/rdp.js';
import { tightestEpsilon } from '../accounting/tightest.js';
import { zcdpAccountant } from '../accounting/zcdp.js';
import type { PrivacyEvent } from '../event.js';
import { type Accounting, calibrate, PURE_DELTA } from './calibrate.js';
import { ReleasePlanError } from './check-plan.js';
import type { CalibratedPlan, PlannedMechanism, PlannedRelease, ReleasePlan } from './release-plan.js';

const line = (mechanism: PlannedMechanism, share: number, count = 1, sensitivity = 1): PlannedRelease => ({
  name: `${mechanism.kind} ${share} ${count}`,
  mechanism,
  sensitivity,
  count,
  share,
});
const plan = (...releases: PlannedRelease[]): ReleasePlan => ({
  unit: 'user',
  relation: 'add-remove',
  released: 'item vectors',
  releases,
});
const cost = ({ releases }: CalibratedPlan): PrivacyEvent => ({
  kind: 'composed',
  events: releases.map(({ event, count }) => ({ kind: 'repeated', event, count })),
});
const gaussian = { kind: 'gaussian' } as const;
const laplace = { kind: 'laplace' } as const;

describe('calibrate', () => {
  // Per-release σ of T equal Gaussian releases, δ = 1e-5, to the digits published.
  it.each([
    [1, 1, 3.7306316],
    [1, 5, 0.89186826],
    [1, 10, 0.49988862],
    [1, 20, 0.29004142],
    [5, 1, 8.3419459],
    [100, 20, 2.9004142],
  ])('%i releases at ε = %f need σ = %f', (count, epsilon, sigma) => {
    const { releases } = calibrate(plan(line(gaussian, 1, count)), { epsilon, delta: 1e-5 });
    expect(Math.abs(releases[0].noise / sigma - 1)).toBeLessThan(5e-8);
  });

  it('spends the budget and never more, over ε ∈ [0.01, 50], δ ∈ [1e-12, 1e-3] and any split', () => {
    fc.assert(
      fc.property(
        fc.double({ min: Math.log(0.01), max: Math.log(50), noNaN: true }),
        fc.double({ min: Math.log(1e-12), max: Math.log(1e-3), noNaN: true }),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.integer({ min: 1, max: 50 }),
        (logEpsilon, logDelta, share, count) => {
          const target = { epsilon: Math.exp(logEpsilon), delta: Math.exp(logDelta) };
          const both = plan(line(gaussian, share, count, 3), line(gaussian, 1 - share, 1, 0.1));
          const spent = tightestEpsilon(cost(calibrate(both, target)), target.delta).epsilon;
          expect(spent).toBeLessThanOrEqual(target.epsilon);
          expect(spent).toBeGreaterThan(target.epsilon * (1 - 1e-8));
        },
      ),
    );
  });

  it('splits pure plans by ε and keeps δ for the samplers alone', () => {
    const calibrated = calibrate(
      plan(line(laplace, 0.25, 2, 4), line({ kind: 'k-norm', dimension: 5 }, 0.75)),
      {
        epsilon: 2,
        delta: 1e-5,
      },
    );
    expect(calibrated.releases.map(({ noise }) => noise)).toEqual([16, 1 / 1.5]);
    expect(calibrated).toMatchObject({ epsilon: 2, delta: PURE_DELTA, accountant: 'pure' });
    expect(tightestEpsilon(cost(calibrated), 0)).toEqual({ epsilon: 2, accountant: 'pure' });
  });

  it.each([
    [
      'sampled and plain Gaussian',
      [line(gaussian, 0.3), line({ kind: 'poisson-sampled-gaussian', rate: 0.05 }, 0.7, 100)],
    ],
    ['Laplace and Gaussian', [line(gaussian, 0.5), line(laplace, 0.5, 5)]],
  ] as const)('calibrates %s together, on the private side', (_, releases) => {
    const calibrated = calibrate(plan(...releases), { epsilon: 1.5, delta: 1e-6 });
    const spent = pldAccountant.epsilon(cost(calibrated), 1e-6);
    expect(spent).toBeLessThanOrEqual(1.5);
    expect(spent).toBeGreaterThan(1.5 * 0.999);
    expect(calibrated.accountant).toBe('pld');
  });

  it.each([
    ['rdp', rdpAccountant],
    ['zcdp', zcdpAccountant],
  ] as const)(
    'with %s accounting meets the target by that accountant, with more noise',
    (accounting, accountant) => {
      const loose = calibrate(plan(line(gaussian, 1, 3)), { epsilon: 1, delta: 1e-5, accounting });
      const exact = calibrate(plan(line(gaussian, 1, 3)), { epsilon: 1, delta: 1e-5 });
      expect(accountant.epsilon(cost(loose), 1e-5)).toBeLessThanOrEqual(1);
      expect(accountant.epsilon(cost(loose), 1e-5)).toBeGreaterThan(1 - 1e-5);
      expect(loose.releases[0].noise).toBeGreaterThan(1.07 * exact.releases[0].noise);
    },
  );

  it('as published uses the closed form and reports the true, smaller ε', () => {
    const published = calibrate(plan(line(gaussian, 1)), {
      epsilon: 1,
      delta: 1e-5,
      accounting: 'as-published',
    });
    const rho = 1 / (4 * (1 + Math.log(1e5)));
    expect(published.releases[0].noise).toBeCloseTo(1 / Math.sqrt(2 * rho), 12);
    expect(published.epsilon).toBeLessThan(1);
    expect(published.epsilon).toBeGreaterThan(0.5);
    expect(() =>
      calibrate(plan(line(gaussian, 0.5), line(laplace, 0.5)), {
        epsilon: 1,
        delta: 1e-5,
        accounting: 'as-published',
      }),
    ).toThrow(ReleasePlanError);
  });

  it('reports what is proved where a paper claims more, with the noise of the paper', () => {
    const claimed = line(gaussian, 1);
    const half = calibrate(plan({ ...claimed, proved: { sensitivity: 2 } }), { epsilon: 1, delta: 1e-5 });
    expect(half.releases[0].noise).toBeCloseTo(3.7306316, 6);
    expect(half.epsilon).toBeGreaterThan(2);
    const nothing = calibrate(plan({ ...claimed, proved: { nothingBecause: 'the clip does not clip' } }), {
      epsilon: 1,
      delta: 1e-5,
    });
    expect(nothing).toMatchObject({ epsilon: Infinity, accountant: 'none' });
    expect(nothing.releases[0].noise).toBeCloseTo(3.7306316, 6);
    expect(nothing.releases[0].event).toMatchObject({ kind: 'non-private' });
  });

  it('without privacy adds no noise and promises nothing', () => {
    const calibrated = calibrate(plan(line(gaussian, 1)), { epsilon: Infinity, delta: 0 });
    expect(calibrated).toMatchObject({ epsilon: Infinity, accountant: 'none' });
    expect(calibrated.releases[0]).toMatchObject({ noise: 0, event: { kind: 'non-private' } });
    expect(calibrate(plan(), { epsilon: 1, delta: 1e-5 }).releases).toEqual([]);
  });

  it.each([
    [plan(line(gaussian, 0.5)), 'sum to 0.5'],
    [plan(line(gaussian, 0.5), line(gaussian, 0.5)), 'Two lines'],
    [plan(line(gaussian, 1, 0)), 'planned 0 times'],
    [plan(line(gaussian, 1, 1, 0)), 'sensitivity 0'],
    [plan(line({ kind: 'poisson-sampled-gaussian', rate: 2 }, 1)), 'sampling rate 2'],
    [plan(line({ kind: 'k-norm', dimension: 0 }, 1)), 'dimension 0'],
  ])('refuses plans that make no sense', (bad, message) => {
    expect(() => calibrate(bad, { epsilon: 1, delta: 1e-5 })).toThrow(message);
  });

  it('refuses targets that make no sense', () => {
    const one = plan(line(gaussian, 1));
    expect(() => calibrate(one, { epsilon: 0, delta: 1e-5 })).toThrow('epsilon is 0');
    expect(() => calibrate(one, { epsilon: 1, delta: 0 })).toThrow('delta is 0');
    expect(() => calibrate(one, { epsilon: Number.NaN, delta: 1e-5 })).toThrow('epsilon is NaN');
    expect(() => calibrate(one, { epsilon: 1, delta: 1e-5, accounting: 'guess' as Accounting })).toThrow();
  });
});
