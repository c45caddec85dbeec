import { describe, expect, it } from 'vitest';
import { clipTargets } from './clip-targets.js';

describe('clipTargets', () => {
  it('clips on both sides, turns NaN into 0, and stays strictly inside the bound', () => {
    const { values } = clipTargets(
      Float32Array.of(0.5, 2, -2, 1e9, -1e9, Number.NaN, Infinity, -Infinity, -0.5),
      1,
    );
    expect([...values].map((y) => Math.round(y * 1e5) / 1e5)).toEqual([0.5, 1, -1, 1, -1, 0, 1, -1, -0.5]);
    for (const y of values) expect(Math.abs(y)).toBeLessThan(1);
  });

  it.each([0, -1, Number.NaN, Infinity])('refuses the bound %f', (bound) => {
    expect(() => clipTargets(Float32Array.of(1), bound)).toThrow(/target bound/);
  });
});
