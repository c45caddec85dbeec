import { describe, expect, it } from 'vitest';
import type { PrivacyEvent } from '../event.js';
import { UnknownEventError } from './accountant.js';
import { accountants, everyEpsilon, tightestEpsilon } from './tightest.js';

/** Events every accountant is asked about; each must answer with a bound or refuse. */
const gaussian = (noise: number, count = 1): PrivacyEvent => ({
  kind: 'repeated',
  event: { kind: 'gaussian', sensitivity: 1, noise },
  count,
});
const sampled = (rate: number, noise: number, count: number): PrivacyEvent => ({
  kind: 'repeated',
  event: { kind: 'poisson-sampled-gaussian', rate, sensitivity: 1, noise },
  count,
});
const laplace = (noise: number, count = 1): PrivacyEvent => ({
  kind: 'repeated',
  event: { kind: 'laplace', sensitivity: 1, noise },
  count,
});
const kNorm = (noise: number, count = 1): PrivacyEvent => ({
  kind: 'repeated',
  event: { kind: 'k-norm', sensitivity: 1, noise, dimension: 8 },
  count,
});
const families: readonly (readonly [string, (noise: number, count: number) => PrivacyEvent])[] = [
  ['Gaussian', gaussian],
  ['Poisson-sampled Gaussian', (noise, count) => sampled(0.1, noise, count)],
  ['Laplace', laplace],
  ['K-norm', kNorm],
  [
    'a mixture',
    (noise, count) => ({ kind: 'composed', events: [gaussian(noise, count), laplace(noise, count)] }),
  ],
];
const delta = 1e-6;

describe.each(accountants.map((accountant) => [accountant.id, accountant] as const))(
  'accountant %s',
  (_, accountant) => {
    it('refuses what it does not know, and says so beforehand', () => {
      const unknown = { kind: 'telepathy' } as unknown as PrivacyEvent;
      expect(accountant.knows(unknown)).toBe(false);
      expect(() => accountant.epsilon(unknown, delta)).toThrow(UnknownEventError);
      for (const [, family] of families) {
        const event = family(2, 3);
        if (!accountant.knows(event))
          expect(() => accountant.epsilon(event, delta)).toThrow(UnknownEventError);
      }
    });

    it('charges nothing for nothing', () => {
      expect(accountant.epsilon({ kind: 'composed', events: [] }, delta)).toBe(0);
      expect(
        accountant.epsilon(
          { kind: 'repeated', event: { kind: 'non-private', because: '' }, count: 0 },
          delta,
        ),
      ).toBe(0);
    });

    const known = families.filter(([, family]) => accountant.knows(family(2, 3)));
    describe.each(known)('on %s releases', (_family, family) => {
      const cost = (noise: number, count: number, at = delta) => accountant.epsilon(family(noise, count), at);

      it('charges less for more noise, more for more releases, less for more δ', () => {
        expect(cost(2, 3)).toBeGreaterThan(cost(2.2, 3));
        expect(cost(2, 4)).toBeGreaterThan(cost(2, 3));
        expect(cost(2, 3, 1e-8)).toBeGreaterThanOrEqual(cost(2, 3, 1e-4));
      });

      it('does not care how the composition is written down', () => {
        const event = family(2, 1);
        const nested: PrivacyEvent = {
          kind: 'composed',
          events: [event, { kind: 'repeated', event: { kind: 'composed', events: [event] }, count: 2 }],
        };
        expect(accountant.epsilon(nested, delta)).toBe(cost(2, 3));
      });

      it('never charges less than the tightest one knows to be true', () => {
        for (const noise of [0.7, 3, 20]) {
          for (const count of [1, 10]) {
            const event = family(noise, count);
            expect(accountant.epsilon(event, delta)).toBeGreaterThanOrEqual(
              tightestEpsilon(event, delta).epsilon * (1 - 1e-6),
            );
          }
        }
      });

      it('charges inexact samplers to δ, and refuses when δ cannot pay', () => {
        const withDistance = (totalVariation: number): PrivacyEvent => ({
          kind: 'composed',
          events: [family(2, 3), { kind: 'sampler-distance', totalVariation }],
        });
        expect(accountant.epsilon(withDistance(1e-30), delta)).toBeCloseTo(cost(2, 3), 4);
        expect(accountant.epsilon(withDistance(1e-8), delta)).toBeGreaterThanOrEqual(cost(2, 3));
        expect(accountant.epsilon(withDistance(1e-6), delta)).toBe(Infinity);
      });

      it('gives no finite ε when something was released without protection, or refuses', () => {
        const event: PrivacyEvent = {
          kind: 'composed',
          events: [family(2, 1), { kind: 'non-private', because: 'test' }],
        };
        if (accountant.knows(event)) expect(accountant.epsilon(event, delta)).toBe(Infinity);
        else expect(() => accountant.epsilon(event, delta)).toThrow(UnknownEventError);
      });
    });
  },
);

describe('the tightest accountant', () => {
  it('is exact for Gaussian releases and adds up a single pure one', () => {
    expect(tightestEpsilon(gaussian(5, 10), 1e-5)).toMatchObject({ accountant: 'gaussian-dp' });
    expect(tightestEpsilon(gaussian(5, 10), 1e-5).epsilon).toBeCloseTo(2.594383, 5);
    expect(tightestEpsilon(laplace(1), 0)).toEqual({ epsilon: 1, accountant: 'pure' });
    expect(tightestEpsilon(laplace(1, 2000), 1e-5).accountant).toBe('pld');
  });

  it('says none when anything is unprotected', () => {
    expect(tightestEpsilon({ kind: 'non-private', because: 'test' }, 1e-5)).toEqual({
      epsilon: Infinity,
      accountant: 'none',
    });
  });

  it('lists everyone who knows, for comparison', () => {
    expect(everyEpsilon(gaussian(5, 10), 1e-5).map(({ accountant }) => accountant)).toEqual([
      'gaussian-dp',
      'zcdp',
      'rdp',
      'pld',
    ]);
  });

  it('accounts 1,000 different Gaussian releases in under 50 ms of a processor', () => {
    const plan: PrivacyEvent = {
      kind: 'composed',
      events: Array.from({ length: 1000 }, (_, i) => gaussian(100 + i)),
    };
    tightestEpsilon(plan, 1e-5);
    const times = Array.from({ length: 5 }, () => {
      const start = process.cpuUsage();
      tightestEpsilon(plan, 1e-5);
      return process.cpuUsage(start).user;
    });
    expect(Math.min(...times)).toBeLessThan(50_000);
  });
});
