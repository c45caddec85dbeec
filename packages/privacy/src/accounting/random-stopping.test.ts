import { describe, expect, it } from 'vitest';
import { stoppingParameter, tuningEpsilon } from './random-stopping.js';

describe('tuning by random stopping', () => {
  // dp_accounting, δ = 1e-5: base σ, mean number of runs, ε for shape 0 and shape 1.
  it.each([
    [3.7306316, 10, 1.917, 2.311],
    [3.7306316, 100, 2.287, 2.914],
    [0.89186826, 10, 8.333, 9.502],
    [0.89186826, 100, 9.855, 11.997],
  ])(
    'of σ = %f, %i runs on average, costs %f (logarithmic) or %f (geometric)',
    (sigma, mean, logarithmic, geometric) => {
      const cost = (shape: number) =>
        tuningEpsilon(1 / sigma, { law: 'negative-binomial', shape, mean }, 1e-5);
      expect(Math.abs(cost(0) - logarithmic)).toBeLessThan(6e-4);
      expect(Math.abs(cost(1) - geometric)).toBeLessThan(1.1e-3);
    },
  );

  it('with a Poisson number of runs costs less than published, since the base δ is exact here and not from RDP', () => {
    expect(tuningEpsilon(1 / 3.7306316, { law: 'poisson', mean: 10 }, 1e-5)).toBeLessThan(2.534);
    expect(tuningEpsilon(1 / 0.89186826, { law: 'poisson', mean: 100 }, 1e-5)).toBeLessThan(57.1);
    expect(tuningEpsilon(1 / 0.89186826, { law: 'poisson', mean: 100 }, 1e-5)).toBeGreaterThan(12);
  });

  it('finds the parameter with the asked mean', () => {
    expect(stoppingParameter(1, 10)).toBeCloseTo(0.1, 12);
    const gamma = stoppingParameter(0, 100);
    expect((1 / gamma - 1) / Math.log(1 / gamma)).toBeCloseTo(100, 6);
    expect(() => stoppingParameter(-1, 10)).toThrow('shape is -1');
    expect(() => tuningEpsilon(1, { law: 'poisson', mean: 0.5 }, 1e-5)).toThrow('mean number of runs');
  });
});
