import { describe, expect, it } from 'vitest';
import { logNormalCdf } from './log-normal-cdf.js';
import { normalQuantile } from './normal-quantile.js';

describe('quantiles of the normal law', () => {
  it('are those of tables', () => {
    expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 12);
    expect(normalQuantile(1e-9)).toBeCloseTo(-5.997807015007686, 9);
    expect(normalQuantile(1e-12)).toBeCloseTo(-7.034483825301131, 9);
    expect(normalQuantile(0.5)).toBeCloseTo(0, 15);
  });

  it('lead back to their probability, far into the tail', () => {
    for (const p of [1e-300, 1e-100, 1e-30, 1e-8, 0.01, 0.3])
      expect(logNormalCdf(normalQuantile(p)) / Math.log(p)).toBeCloseTo(1, 12);
  });

  it('are infinite at the ends, and there are none beyond', () => {
    expect([normalQuantile(0), normalQuantile(1)]).toEqual([-Infinity, Infinity]);
    for (const p of [-1e-9, 1 + 1e-9, Number.NaN]) expect(() => normalQuantile(p)).toThrow(RangeError);
  });
});
