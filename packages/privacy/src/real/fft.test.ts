import { describe, expect, it } from 'vitest';
import { fft } from './fft.js';

describe('fft', () => {
  it('is the sum it abbreviates', () => {
    const n = 16;
    const real = Float64Array.from({ length: n }, (_, i) => Math.sin(i * i));
    const imaginary = Float64Array.from({ length: n }, (_, i) => Math.cos(3 * i));
    const expected = Array.from({ length: n }, (_, k) => {
      let re = 0;
      let im = 0;
      for (let j = 0; j < n; j++) {
        const angle = (-2 * Math.PI * j * k) / n;
        re += real[j] * Math.cos(angle) - imaginary[j] * Math.sin(angle);
        im += real[j] * Math.sin(angle) + imaginary[j] * Math.cos(angle);
      }
      return [re, im] as const;
    });
    fft(real, imaginary, false);
    expected.forEach(([re, im], k) => {
      expect(Math.abs(real[k] - re)).toBeLessThan(1e-13);
      expect(Math.abs(imaginary[k] - im)).toBeLessThan(1e-13);
    });
  });

  it('comes back', () => {
    const original = Float64Array.from({ length: 4096 }, (_, i) => Math.exp(-((i - 2000) ** 2) / 1e4));
    const real = original.slice();
    const imaginary = new Float64Array(4096);
    fft(real, imaginary, false);
    fft(real, imaginary, true);
    expect(Math.max(...real.map((x, i) => Math.abs(x - original[i])))).toBeLessThan(1e-15);
  });

  it('refuses lengths that are not powers of two', () => {
    expect(() => fft(new Float64Array(12), new Float64Array(12), false)).toThrow(RangeError);
  });
});
