import { describe, expect, it } from 'vitest';
import { freshSecret } from '../random/run-secret.js';
import { WordStream } from '../random/word-stream.js';
import { SIX_SIGMA } from '../samplers/goodness-of-fit.test.data.js';
import { permuteAndFlip, uniformBelow } from './permute-and-flip.js';
import { randomizedResponse } from './randomized-response.js';

const stream = new WordStream(freshSecret());
const z = (count: number, n: number, p: number) => (count - n * p) / Math.sqrt(n * p * (1 - p));

// False alarm: |z| > 6 has probability about 2e-9 for a correct mechanism, in each comparison below.
describe('randomised response', () => {
  it.each([1, 3])('turns bits over with probability 1/(1 + e^ε), ε = %f', (epsilon) => {
    const n = 1_000_000;
    const bits = Uint8Array.from({ length: n }, (_, i) => i % 2);
    const out = randomizedResponse(bits, epsilon, stream);
    const turned = out.reduce((sum, bit, i) => sum + (bit ^ bits[i]), 0);
    const zAt = (claimed: number) => z(turned, n, 1 / (1 + Math.exp(claimed)));
    expect(Math.abs(zAt(epsilon))).toBeLessThan(SIX_SIGMA);
    // Power: an ε wrong by 3 % moves z by 13 (ε = 1) or 18 (ε = 3).
    expect(Math.abs(zAt(epsilon * 1.03))).toBeGreaterThan(SIX_SIGMA);
    expect(Math.abs(zAt(epsilon * 0.97))).toBeGreaterThan(SIX_SIGMA);
  });
});

describe('permute-and-flip', () => {
  it('chooses with the probabilities of Algorithm 1', () => {
    // Two candidates a gap apart, coin h = e^(−gap/t): the worse one wins if visited first and its coin shows
    // heads.
    const [n, gap, t] = [60_000, 3, 4];
    const scores = Float64Array.of(10, 10 - gap);
    let worse = 0;
    for (let i = 0; i < n; i++) worse += permuteAndFlip(scores, t, stream);
    const p = Math.exp(-gap / t) / 2;
    expect(Math.abs(z(worse, n, p))).toBeLessThan(SIX_SIGMA);
    expect(Math.abs(z(worse, n, p * 1.1))).toBeGreaterThan(SIX_SIGMA);
    expect(Math.abs(z(worse, n, p * 0.9))).toBeGreaterThan(SIX_SIGMA);
  });

  it('is ε-DP: probabilities on neighbouring scores differ by at most e^ε, and come close to it', () => {
    // Exact probabilities for three candidates, by enumerating orders; scores moved by Δ = 1 each, t = 2Δ/ε.
    const epsilon = 1.3;
    const law = (scores: readonly number[]): number[] => {
      const best = Math.max(...scores);
      const heads = scores.map((score) => Math.exp((epsilon * (score - best)) / 2));
      const orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
      ];
      const probabilities = [0, 0, 0];
      for (const order of orders) {
        let reach = 1 / orders.length;
        for (const candidate of order) {
          probabilities[candidate] += reach * heads[candidate];
          reach *= 1 - heads[candidate];
        }
      }
      return probabilities;
    };
    let largest = 0;
    for (const base of [
      [0, 0, 0],
      [3, 1, 0],
      [5, 5, 4],
    ]) {
      for (let bits = 0; bits < 27; bits++) {
        const moved = base.map((score, i) => score + ((Math.floor(bits / 3 ** i) % 3) - 1));
        const [p, q] = [law(base), law(moved)];
        p.forEach((each, i) => {
          largest = Math.max(largest, Math.log(each / q[i]));
        });
      }
    }
    expect(largest).toBeLessThanOrEqual(epsilon + 1e-12);
    expect(largest).toBeGreaterThan(0.7 * epsilon);
  });

  it('visits uniformly', () => {
    const counts = [0, 0, 0];
    for (let i = 0; i < 60_000; i++) counts[uniformBelow(3, stream)]++;
    for (const count of counts) expect(Math.abs(z(count, 60_000, 1 / 3))).toBeLessThan(SIX_SIGMA);
    expect(() => permuteAndFlip(new Float64Array(0), 1, stream)).toThrow(RangeError);
  });
});
