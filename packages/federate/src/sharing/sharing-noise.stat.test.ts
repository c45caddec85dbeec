import { RunSecret, freshSecret as randomKey, sensitive } from '@hushrec/privacy';
import { describe, expect, it } from 'vitest';
import { RecordedRelease } from '../../../privacy/src/recorder/release.js';
import { planOfSums } from './one-release.test.data.js';
import { fineGrid, type LineShape, lineOf } from './sharing-line.js';
import { plannedNoise } from './sharing-noise.js';

const plan = planOfSums(2);
const shape: LineShape = {
  name: 'sums',
  occurrence: 0,
  part: 0,
  length: 60_000,
  gridStep: 2 ** -12,
  width: 1,
};
const { effective, step } = fineGrid(lineOf(plan, shape), shape.gridStep);

/** Σz²/σ² has mean n and variance 2n: this is standard normal, up to 10^-3, when σ² is the variance. */
const zOfVariance = (draws: Float64Array, variance: number) =>
  (draws.reduce((sum, z) => sum + z * z, 0) / variance - draws.length) / Math.sqrt(2 * draws.length);

// False alarm: |z| > 6 has probability 2e-9. Power: a variance wrong by 10 % moves z by 17.
describe('shares of planned noise', () => {
  it.each([1, 2, 8])('%d of them together have the planned variance, each its part of it', async (shares) => {
    const draws = await Promise.all(
      Array.from({ length: shares }, () => plannedNoise(plan, shape, shares, randomKey())),
    );
    for (const one of draws) {
      expect(Math.abs(zOfVariance(one, effective ** 2 / shares))).toBeLessThan(6);
      expect(one.every(Number.isInteger)).toBe(true);
    }
    const sum = draws[0].map((_, at) => draws.reduce((total, one) => total + one[at], 0));
    expect(Math.abs(zOfVariance(sum, effective ** 2))).toBeLessThan(6);
    for (const wrong of [0.9, 1.1])
      expect(Math.abs(zOfVariance(sum, effective ** 2 * wrong)), 'a wrong scale is noticed').toBeGreaterThan(
        6,
      );
    const independent = sum.reduce((total, _, at) => total + draws[0][at] * (draws[1]?.[at] ?? 0), 0);
    expect(Math.abs(independent) / ((effective ** 2 / shares) * Math.sqrt(shape.length))).toBeLessThan(6);
  });

  it('beside diagonals of packed triangles: half the variance', async () => {
    const packed = await plannedNoise(plan, { ...shape, width: 3 }, 2, randomKey());
    const diagonal = packed.filter((_, at) => [0, 3, 5].includes(at % 6));
    const beside = packed.filter((_, at) => [1, 2, 4].includes(at % 6));
    expect(Math.abs(zOfVariance(diagonal, effective ** 2 / 2))).toBeLessThan(6);
    expect(Math.abs(zOfVariance(beside, effective ** 2 / 4))).toBeLessThan(6);
    expect(Math.abs(zOfVariance(beside, effective ** 2 / 2))).toBeGreaterThan(6);
  });

  it.each([1, 3])('one share is what one curator adds under the same key (width %d)', async (width) => {
    const key = randomKey();
    const curator = new RecordedRelease(plan.releases[0], {
      secret: Object.assign(new RunSecret({ seed: 1 }), { noiseKey: () => key }),
      occurrence: 0,
      charged: Promise.resolve(),
      count: () => undefined,
    });
    const zeros = sensitive(new Float64Array(600), 'l2', 2);
    const layout = width === 1 ? ({ kind: 'vector' } as const) : ({ kind: 'symmetric', width } as const);
    const released = await curator.add(0, zeros, shape.gridStep, layout);
    const noise = await plannedNoise(plan, { ...shape, length: 600, width }, 1, key);
    expect(noise.map((draw) => draw * step)).toEqual(released);
  });

  it('by exact convolution: two halves are as good as one whole, within the lemma', () => {
    // z₁ + z₂ against one discrete Gaussian of twice the parameter, at every point within 6σ.
    const weights = (variance: number, reach: number) => {
      const raw = Array.from({ length: 2 * reach + 1 }, (_, at) =>
        Math.exp(-((at - reach) ** 2) / (2 * variance)),
      );
      const total = raw.reduce((sum, each) => sum + each, 0);
      return raw.map((each) => each / total);
    };
    const worst = (deviation: number) => {
      const reach = 60;
      const one = weights(deviation ** 2, reach);
      const both = weights(2 * deviation ** 2, reach);
      let most = 0;
      for (let x = -Math.floor(4 * deviation); x <= 4 * deviation; x++) {
        let sum = 0;
        for (let z = -reach; z <= reach; z++) sum += one[z + reach] * (one[x - z + reach] ?? 0);
        most = Math.max(most, Math.abs(sum / both[x + reach] - 1));
      }
      return most;
    };
    for (const deviation of [1, 1.5]) {
      const bound = 4 * Math.exp((-2 * Math.PI ** 2 * deviation ** 2) / 2);
      expect(worst(deviation)).toBeLessThan(bound);
      expect(worst(deviation), 'the lemma is not far off').toBeGreaterThan(bound / 4);
    }
  });
});
