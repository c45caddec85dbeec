import { randomFactors } from '@hushrec/numerics';
import { SeededRandom } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { clearestDirection } from './clearest-direction.js';

const [items, width, noise] = [400, 4, 0.5];
const shares = Float64Array.from({ length: items }, (_, item) => 1 / (item + 20));

/** A round of which everything is known: what is said of items is given, and noise is added to it. */
function round(
  seed: number,
  said: (vector: Float32Array, item: number, k: number) => number,
  claimed = noise,
) {
  const seeded = new SeededRandom(seed);
  const random = () => seeded.uniform();
  const vectors = randomFactors(items, width, 1, random);
  const errors = randomFactors(items, width, noise, random);
  const values = Float64Array.from(errors.data, (error, at) => {
    const item = Math.floor(at / width);
    return error + said(vectors.data.subarray(item * width, (item + 1) * width), item, at % width);
  });
  const moment = new Float64Array(width * width);
  for (let k = 0; k < width; k++) moment[k * width + k] = 100;
  const sums = {
    vectors: { width, values, variances: new Float64Array(values.length).fill(claimed ** 2) },
    moment,
    momentNoise: 0,
    samplingVariance: 0,
    leastEigenvalue: 0.001,
  };
  return clearestDirection(sums, shares, vectors);
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const seeds = Array.from({ length: 200 }, (_, seed) => seed + 1);

describe('the clearest direction of a round', () => {
  // The largest of four standard normals has the mean 1.03 and the standard deviation 0.70, so the mean of
  // 200 has 0.05: false alarms at 1.03 ± 0.3 have a chance below 10⁻⁷. (χ² of few items that weigh most is
  // skewed and the fit takes five terms, which moves the mean by less than 0.1.)
  it('is no clearer than the largest of four errors where there is noise alone', () => {
    const found = mean(seeds.map((seed) => round(seed, () => 0)));
    expect(Math.abs(found - 1.03)).toBeLessThan(0.3);
  });

  it('would be if the noise were a tenth larger than is said', () => {
    expect(mean(seeds.map((seed) => round(seed, () => 0, noise / 1.1)))).toBeGreaterThan(1.6);
  });

  it('hears neither popularity nor what items echo of themselves', () => {
    const echo = (vector: Float32Array, item: number, k: number) =>
      300 * shares[item] * (1 + 2 * vector[k] - 0.7 * vector[(k + 1) % width]);
    const found = mean(seeds.map((seed) => round(seed, echo)));
    expect(Math.abs(found - 1.03)).toBeLessThan(0.3);
  });

  // Deviations of 6√ρ_j in one direction: 36 √(Σρ_j²/2)/0.25 = 22.2 standard errors, of which the fit of five
  // terms takes about a tenth; the mean of 200 has a standard error of 0.1.
  it('hears tastes, and how clear they are', () => {
    const taste = (_: Float32Array, item: number, k: number) =>
      k === 2 ? 6 * Math.sqrt(shares[item]) * (item % 2 ? 1 : -1) : 0;
    const found = mean(seeds.map((seed) => round(seed, taste)));
    expect(found).toBeGreaterThan(19);
    expect(found).toBeLessThan(22.2);
  });

  it('is found where all items are alike', () => {
    const sums = {
      vectors: { width: 1, values: Float64Array.of(1, 2, 3), variances: new Float64Array(3).fill(1) },
      moment: Float64Array.of(1),
      momentNoise: 0,
      samplingVariance: 0,
      leastEigenvalue: 0.001,
    };
    const alike = { rowCount: 3, width: 1, data: new Float32Array(3) };
    expect(clearestDirection(sums, Float64Array.of(0.1, 0.2, 0.3), alike)).toBeLessThan(0);
  });
});
