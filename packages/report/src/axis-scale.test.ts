import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axisScale } from './axis-scale.js';

describe('axisScale', () => {
  it('widens a linear axis to round numbers', () => {
    const scale = axisScale({ label: '' }, [0.862, 1.041], 0, 100, 6);
    expect(scale.ticks).toEqual([0.85, 0.9, 0.95, 1, 1.05]);
    expect([scale.min, scale.max].map((end) => Number(end.toFixed(9)))).toEqual([0.85, 1.05]);
    expect(scale.position(0.95)).toBeCloseTo(50, 9);
  });

  it('places equal ratios at equal distances on a log axis', () => {
    const { position } = axisScale({ label: '', scale: 'log' }, [0.5, 20], 0, 1, 8);
    expect(position(2) - position(1)).toBeCloseTo(position(20) - position(10), 12);
  });

  it('takes a zoomed range as it is', () => {
    const scale = axisScale({ label: '', min: 0.31, max: 0.77 }, [0, 1], 0, 1, 5);
    expect([scale.min, scale.max]).toEqual([0.31, 0.77]);
    expect(scale.ticks.every((tick) => tick >= 0.31 && tick <= 0.77)).toBe(true);
  });

  it.each(['linear', 'log'] as const)('shows every finite value within a %s axis', (kind) => {
    const value = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 20 }), fc.integer({ min: 2, max: 10 }), (values, about) => {
        const scale = axisScale({ label: '', scale: kind }, values, 0, 1, about);
        for (const each of values) {
          expect(scale.position(each)).toBeGreaterThanOrEqual(-1e-9);
          expect(scale.position(each)).toBeLessThanOrEqual(1 + 1e-9);
        }
        expect(scale.ticks.length).toBeGreaterThan(0);
        expect(scale.ticks.length).toBeLessThan(3 * about + 3);
      }),
    );
  });

  it.each([
    ['linear', [123104.42468840368, 123104.42496835945]],
    ['log', [0.09375638046067675, 0.09379691695111951]],
  ] as const)('has ticks on a narrow %s axis', (scale, values) => {
    const { ticks, min, max } = axisScale({ label: '', scale }, values, 0, 1, 2);
    expect(ticks.length).toBeGreaterThanOrEqual(2);
    expect(new Set(ticks).size).toBe(ticks.length);
    for (const tick of ticks) expect(tick >= min * (1 - 1e-9) && tick <= max * (1 + 1e-9)).toBe(true);
  });

  it('shows any two values that lie close together within an axis with ticks', () => {
    const close = fc.tuple(
      fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
      fc.double({ min: -12, max: 0, noNaN: true }),
    );
    fc.assert(
      fc.property(
        close,
        fc.constantFrom('linear', 'log'),
        fc.integer({ min: 2, max: 10 }),
        ([low, power], kind, about) => {
          const scale = axisScale(
            { label: '', scale: kind as 'linear' | 'log' },
            [low, low * (1 + 10 ** power)],
            0,
            1,
            about,
          );
          expect(scale.ticks.length).toBeGreaterThan(0);
          expect(scale.ticks.length).toBeLessThan(3 * about + 3);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('ignores what cannot be shown', () => {
    const scale = axisScale({ label: '', scale: 'log' }, [0, -1, NaN, Infinity, 1, 10], 0, 1, 5);
    expect(scale.min).toBeGreaterThan(0.5);
    expect(scale.max).toBeLessThan(20);
  });
});
