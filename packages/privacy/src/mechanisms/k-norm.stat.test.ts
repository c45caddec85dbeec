import { describe, expect, it } from 'vitest';
import { freshSecret } from '../random/run-secret.js';
import { WordStream } from '../random/word-stream.js';
import { SIX_SIGMA } from '../samplers/goodness-of-fit.test.data.js';
import { addKNorm, kNormScale } from './k-norm.js';

// False alarm: |z| > 6 has probability about 2e-9 for a correct mechanism, in each test below.
describe.each([1, 2, 8, 33])('K-norm noise in %i dimensions', (p) => {
  // Power: a scale wrong by 3 % moves z by 0.03·√(np) = 13 or more.
  const n = Math.ceil(200_000 / p);
  const b = 3000;
  const noise = new Float64Array(n * p);
  const stream = new WordStream(freshSecret());
  for (let k = 0; k < n; k++) addKNorm(noise, k * p, p, b, stream);
  const lengths = Float64Array.from({ length: n }, (_, k) =>
    Math.sqrt(noise.subarray(k * p, (k + 1) * p).reduce((sum, x) => sum + x * x, 0)),
  );

  it('has a Gamma(p, b) length: E‖z‖ = pb, variance pb²', () => {
    const total = lengths.reduce((sum, length) => sum + length, 0);
    const z = (claimed: number) => (total - n * p * claimed) / (claimed * Math.sqrt(n * p));
    expect(Math.abs(z(b))).toBeLessThan(SIX_SIGMA);
    expect(Math.abs(z(b * 1.03))).toBeGreaterThan(SIX_SIGMA);
    expect(Math.abs(z(b * 0.97))).toBeGreaterThan(SIX_SIGMA);
    const squares = lengths.reduce((sum, length) => sum + length * length, 0);
    // E‖z‖² = p(p+1)b², E‖z‖⁴ = p(p+1)(p+2)(p+3)b⁴.
    const second = p * (p + 1) * b * b;
    const fourth = second * (p + 2) * (p + 3) * b * b;
    expect(Math.abs(squares - n * second) / Math.sqrt(n * (fourth - second ** 2))).toBeLessThan(SIX_SIGMA);
  });

  it('has a uniform direction: no coordinate and no sign is favoured', () => {
    for (let i = 0; i < p; i++) {
      let sum = 0;
      let squares = 0;
      for (let k = 0; k < n; k++) {
        // The zero vector has no direction; it counts as favouring none.
        const cosine = lengths[k] === 0 ? 0 : noise[k * p + i] / lengths[k];
        sum += cosine;
        squares += cosine * cosine;
      }
      expect(Math.abs(sum) / Math.sqrt(n / p)).toBeLessThan(SIX_SIGMA);
      // cos² ~ Beta(½, (p−1)/2): mean 1/p, variance 2(p−1)/(p²(p+2)).
      const deviation = Math.sqrt((n * 2 * (p - 1)) / (p * p * (p + 2)));
      expect(Math.abs(squares - n / p)).toBeLessThanOrEqual(SIX_SIGMA * deviation + 1e-3 * n);
    }
  });

  it('lies on the grid', () => {
    expect(noise.every(Number.isInteger)).toBe(true);
  });
});

describe('kNormScale', () => {
  it('pays for floating point with a little more noise, and refuses an ε below its precision', () => {
    expect(kNormScale(1, 10, 8)).toBeGreaterThan(10);
    expect(kNormScale(1, 10, 8)).toBeLessThan(10 * (1 + 1e-8));
    expect(() => kNormScale(1, 1e12, 8)).toThrow('below the precision');
  });
});
