import { describe, expect, it } from 'vitest';
import { crossingOf, decreasing } from './crossing.js';

const half = () => 0.5;

describe('crossingOf', () => {
  it('interpolates in log ε between the points around the baseline', () => {
    const points = [
      { epsilon: 1, differences: [0.3, 0.1] },
      { epsilon: 4, differences: [-0.1, -0.3] },
    ];
    // Means +0.2 and −0.2: half-way in log ε is √(1·4) = 2.
    expect(crossingOf(points, half).epsilon).toBeCloseTo(2, 12);
  });

  it('says so when the baseline is never reached', () => {
    expect(crossingOf([{ epsilon: 1, differences: [0.1] }], half).epsilon).toBeNull();
  });

  it('is not misled by a noisy dip before the curve has come down', () => {
    const points = [0.5, -0.01, 0.4, -0.2].map((difference, at) => ({
      epsilon: 2 ** at,
      differences: [difference],
    }));
    const { epsilon } = crossingOf(points, half);
    expect(epsilon).toBeGreaterThan(4);
  });

  it('gives an interval that contains the estimate when runs differ', () => {
    let state = 1;
    const random = () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    const spread = [-0.05, 0.05, 0.02, -0.02, 0.01];
    const points = [0.2, 0.05, -0.1].map((centre, at) => ({
      epsilon: 2 ** at,
      differences: spread.map((s) => centre + s),
    }));
    const { epsilon, low, high } = crossingOf(points, random);
    expect(low!).toBeLessThan(epsilon!);
    expect(high!).toBeGreaterThan(epsilon!);
  });
});

describe('decreasing', () => {
  it('pools what increases and leaves the rest', () => {
    expect(decreasing([3, 1, 2, 0])).toEqual([3, 1.5, 1.5, 0]);
    expect(decreasing([1, 2, 3])).toEqual([2, 2, 2]);
  });
});
