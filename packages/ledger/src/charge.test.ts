import { calibrate, gaussianEpsilon, PURE_DELTA, tightestEpsilon } from '@hushrec/privacy';
import { describe, expect, it } from 'vitest';
import { type Charge, totalCost } from './charge.js';
import type { Protection } from './entry.js';
import { chargeAgainst } from './protection-change.js';
import { costOf } from './run-cost.js';

const gaussian = { kind: 'gaussian', sensitivity: 1, noise: 4 } as const;
const laplace = { kind: 'laplace', sensitivity: 1, noise: 10 } as const;
const charge = (event: Extract<Charge, { kind: 'event' }>['event']): Charge => ({ kind: 'event', event });

describe('the total of several runs', () => {
  it('composes Gaussian runs exactly', () => {
    const total = totalCost([charge(gaussian), charge({ ...gaussian, noise: 3 })], 1e-5, tightestEpsilon);
    expect(total.accountant).toBe('gaussian-dp');
    expect(total.epsilon).toBeCloseTo(gaussianEpsilon(Math.hypot(1 / 4, 1 / 3), 1e-5), 9);
    expect(total.epsilon).toBeGreaterThanOrEqual(gaussianEpsilon(Math.hypot(1 / 4, 1 / 3), 1e-5));
  });

  it('composes many Laplace runs better than by adding', () => {
    const total = totalCost(Array<Charge>(100).fill(charge(laplace)), 1e-5, tightestEpsilon);
    expect(total.epsilon).toBeLessThan(6);
    expect(total.epsilon).toBeGreaterThan(3);
  });

  it('mixes kinds, and never says less than the larger part', () => {
    const both = totalCost([charge(gaussian), charge(laplace)], 1e-5, tightestEpsilon).epsilon;
    const one = totalCost([charge(gaussian)], 1e-5, tightestEpsilon).epsilon;
    expect(both).toBeGreaterThan(one);
    expect(both).toBeLessThan(one + 0.1 + 1e-6);
  });

  it('lets a run that was asked for ε fit in a grant of exactly ε, whatever the rounding', () => {
    for (let tenth = 1; tenth <= 100; tenth++) {
      const epsilon = tenth / 10;
      for (const kind of ['laplace', 'gaussian'] as const) {
        const plan = calibrate(
          {
            unit: 'user',
            relation: 'add-remove',
            released: 'sums',
            releases: [0.1, 0.2, 0.7].map((share, at) => ({
              name: `line ${at}`,
              mechanism: { kind },
              sensitivity: 1 + at,
              count: 1 + 2 * at,
              share,
            })),
          },
          { epsilon, delta: 1e-6 },
        );
        const events = plan.releases.map(({ event, count }) => ({ kind: 'repeated', event, count }) as const);
        const total = totalCost([charge({ kind: 'composed', events })], plan.delta, tightestEpsilon);
        expect(total.epsilon).toBeLessThanOrEqual(epsilon);
        expect(total.epsilon).toBeGreaterThan(0.999 * epsilon);
      }
    }
  });

  it('reads δ = 0 as the δ that samplers need, and says so', () => {
    const total = totalCost([charge(laplace), charge(laplace)], 0, tightestEpsilon);
    expect(total.delta).toBe(PURE_DELTA);
    expect(total.epsilon).toBeLessThanOrEqual(0.2 + 1e-12);
    expect(totalCost([charge({ kind: 'non-private', because: 'test' })], 0, tightestEpsilon).epsilon).toBe(
      Infinity,
    );
  });
});

describe('tuning', () => {
  it('by repeated runs costs all of them', () => {
    const total = totalCost(
      [costOf({ base: gaussian, tuning: { kind: 'every-run', runs: 9 } })],
      1e-5,
      tightestEpsilon,
    );
    expect(total.epsilon).toBeCloseTo(gaussianEpsilon(3 / 4, 1e-5), 9);
    expect(() => costOf({ base: gaussian, tuning: { kind: 'every-run', runs: 0.5 } })).toThrow(RangeError);
  });

  it('by random stopping costs the published values (Papernot and Steinke 2022), however many runs', () => {
    const base = { kind: 'gaussian', sensitivity: 1, noise: 3.7306316 } as const;
    const cost = (shape: number, mean: number) => {
      const runs = { law: 'negative-binomial', shape, mean } as const;
      const tuned = costOf({ base, tuning: { kind: 'random-stopping', runs, delta: 1e-5 } });
      return totalCost([tuned], 1e-5, tightestEpsilon).epsilon;
    };
    expect(cost(0, 10)).toBeCloseTo(1.917, 2);
    expect(cost(1, 10)).toBeCloseTo(2.311, 2);
    expect(cost(0, 100)).toBeCloseTo(2.287, 2);
  });
});

describe('a run against a budget for another protection', () => {
  const p = (unit: Protection['unit'], relation: Protection['relation']): Protection => ({ unit, relation });
  const userAdd = p('user', 'add-remove');
  const userReplace = p('user', 'replace');
  const presence = p('rating-presence', 'add-remove');
  const presenceReplace = p('rating-presence', 'replace');
  const value = p('rating-value', 'replace');
  const once = charge(gaussian);
  const twice = charge({ ...gaussian, sensitivity: 2 });

  it.each([
    [userAdd, userAdd, once],
    [userAdd, userReplace, twice],
    [userAdd, presence, twice],
    [userAdd, value, twice],
    [userReplace, presence, once],
    [userReplace, value, once],
    [userReplace, userAdd, undefined],
    [presence, value, twice],
    [presence, presenceReplace, twice],
    [presenceReplace, value, once],
    [presenceReplace, presence, undefined],
    [presence, userAdd, undefined],
    [value, userAdd, undefined],
    [value, presence, undefined],
    [value, value, once],
  ])('%o against %o', (from, to, expected) => {
    expect(chargeAgainst(once, from, to)).toEqual(expected);
  });

  it('doubles every kind it has an argument for, inside compositions too, and refuses sampling', () => {
    const pure = { kind: 'pure', mechanism: 'flip', epsilon: 0.5 } as const;
    const nested = charge({
      kind: 'composed',
      events: [
        { kind: 'repeated', event: laplace, count: 3 },
        pure,
        { kind: 'sampler-distance', totalVariation: 1e-40 },
      ],
    });
    expect(chargeAgainst(nested, userAdd, userReplace)).toEqual(
      charge({
        kind: 'composed',
        events: [
          { kind: 'repeated', event: { ...laplace, sensitivity: 2 }, count: 3 },
          { ...pure, epsilon: 1 },
          { kind: 'sampler-distance', totalVariation: 1e-40 },
        ],
      }),
    );
    const sampled = charge({ kind: 'poisson-sampled-gaussian', rate: 0.1, sensitivity: 1, noise: 1 });
    expect(chargeAgainst(sampled, userAdd, userReplace)).toBeUndefined();
  });

  it('doubles a plain guarantee by group privacy', () => {
    const plain: Charge = { kind: 'guarantee', epsilon: 1, delta: 1e-6, because: 'tuning' };
    expect(chargeAgainst(plain, userAdd, userReplace)).toEqual({
      ...plain,
      epsilon: 2,
      delta: expect.closeTo(1e-6 * (1 + Math.E), 12),
    });
  });
});
