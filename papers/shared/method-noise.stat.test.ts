import { methodNoise, ratingsOf } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { dpimf } from '../dpimf/methods/dpimf.js';
import { dpmf } from '../dpimf/methods/dpmf.js';
import { inputPerturbation } from '../friedman/methods/input-perturbation.js';
import { privateAls } from '../friedman/methods/private-als.js';
import { privateGlobalEffects } from '../friedman/methods/private-global-effects.js';
import { privateKnn } from '../friedman/methods/private-knn.js';
import { privateSgd } from '../friedman/methods/private-sgd.js';

/** 60 people × 90 items, every third cell rated: enough vectors and coordinates to measure a scale. */
const ratings = ratingsOf(
  Array.from({ length: 60 }, (_, user) => {
    const items = Array.from({ length: 90 }, (_, item) => item).filter((item) => (item + user) % 3 === 0);
    return { name: `${user}`, items, ratings: items.map((item) => 1 + ((item * 7 + user) % 5)) };
  }),
  90,
);

const rank = 4;
const cases = [
  { method: privateGlobalEffects, settings: { unit: 'rating-value' }, laplace: ['item-sums', 'user-sums'] },
  {
    method: privateGlobalEffects,
    settings: {},
    laplace: ['item-sums', 'item-counts', 'user-sums', 'user-counts'],
  },
  { method: inputPerturbation, settings: { unit: 'rating-value', rounds: 1 }, laplace: ['noisy-ratings'] },
  { method: privateSgd, settings: { unit: 'rating-value', rounds: 2 }, laplace: ['noisy-ratings'] },
  { method: privateSgd, settings: { rank }, kNorm: ['user-vectors', 'item-vectors'] },
  {
    method: privateAls,
    settings: { unit: 'rating-value', rank },
    kNorm: ['user-vectors', 'item-vectors'],
  },
  { method: privateAls, settings: { rank }, kNorm: ['user-vectors', 'item-vectors'] },
  { method: privateKnn, settings: { unit: 'rating-value' }, laplace: ['covariance'] },
  { method: privateKnn, settings: {}, laplace: ['covariance', 'mass'] },
  { method: dpmf, settings: { rank }, kNorm: ['user-sums', 'item-sums'] },
  { method: dpimf, settings: { variant: 'optimal', rank }, laplace: ['user-linear', 'item-linear'] },
  { method: dpimf, settings: { variant: 'symmetric', rank }, laplace: ['item-quadratic'] },
] as const;

/**
 * Every method must hand the planned scale to its statistics. Noise over its scale: |Laplace| has mean 1 and
 * variance 1; the length of a K-norm vector is Gamma(d), mean d and variance d.
 * z = (mean − expected)/standard error is normal to good accuracy for n ≥ 60; |z| > 6 has probability below
 * 1e-6 even with the skewness of a Gamma (n·d ≥ 240). Runs are seeded, so a passing test stays passing.
 * Power: z moves by √n·3 % ≥ 6.9 for the largest sample below.
 */
function zOf(noise: Float64Array, width: number, claimedScale: number): number {
  const lengths = Array.from({ length: noise.length / width }, (_, row) =>
    width === 1 ? Math.abs(noise[row]) : Math.hypot(...noise.subarray(row * width, (row + 1) * width)),
  ).map((length) => length / claimedScale);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  return (mean - width) / Math.sqrt(width / lengths.length);
}

describe('noise drawn while training has the planned scale', () => {
  it.each(cases)('$method.id, $settings', async ({ method, settings, ...lines }) => {
    const noise = await methodNoise(method, settings, 2, ratings);
    for (const line of 'laplace' in lines ? lines.laplace : lines.kNorm) {
      const drawn = noise.get(line)!;
      const width = 'laplace' in lines ? 1 : rank;
      expect(drawn.length / width).toBeGreaterThanOrEqual(60);
      expect(Math.abs(zOf(drawn, width, 1)), line).toBeLessThan(6);
    }
  });

  it.each([0.9, 1.1])('and would notice a scale wrong by × %f', async (factor) => {
    // n = 3600 draws: z moves by 0.1·60 = 6 at least, on top of an honest |z| that is below 6 in the opposite
    // direction with the same seed; 2n draws of two rounds make it 8.
    const noise = await methodNoise(privateSgd, { unit: 'rating-value', rounds: 8 }, 2, ratings);
    expect(Math.abs(zOf(noise.get('noisy-ratings')!, 1, factor))).toBeGreaterThan(6);
  });
});
