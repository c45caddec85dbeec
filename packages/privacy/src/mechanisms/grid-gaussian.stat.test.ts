import { describe, expect, it } from 'vitest';
import { freshSecret } from '../random/run-secret.js';
import { SIX_SIGMA, zOfSecondMoment } from '../samplers/goodness-of-fit.test.data.js';
import { addGaussianNoise } from './gaussian-part.js';
import { effectiveSigma, gridGaussianStream, gridSigmaFor } from './grid-gaussian.js';

/** The numbers with noise of `effective` steps; of a symmetric layout when a width is given. */
async function noised(values: Float64Array, effective: number, width = 1): Promise<Float64Array> {
  const out = new Float64Array(values.length);
  const stream = gridGaussianStream(freshSecret(), effective, width);
  await addGaussianNoise({ values, out, perStep: 1, step: 1, stream });
  return out;
}

// False alarm: |z| > 6 has probability about 2e-9 for correct noise, in each comparison below.
describe('Gaussian noise on the grid', () => {
  it('adds the variance that rounding takes from the guarantee', () => {
    expect(effectiveSigma(gridSigmaFor(1024))).toBeGreaterThanOrEqual(1024);
    expect(gridSigmaFor(1024) / 1024).toBeLessThan(1 + 4e-6);
    expect(effectiveSigma(2)).toBe(0);
  });

  it('moves integers by integers of the asked spread', async () => {
    const noise = (await noised(new Float64Array(200_000).fill(12345), 2000)).map((value) => value - 12345);
    expect(noise.every(Number.isInteger)).toBe(true);
    expect(Math.abs(zOfSecondMoment(noise, 2000 ** 2, 3 * 2000 ** 4))).toBeLessThan(SIX_SIGMA);
    expect(Math.abs(zOfSecondMoment(noise, 2060 ** 2, 3 * 2060 ** 4))).toBeGreaterThan(SIX_SIGMA);
  });

  it('has half the variance off the diagonal of symmetric matrices, in the right places', async () => {
    const [width, count] = [5, 20_000];
    const triangle = 15;
    const triangles = await noised(new Float64Array(count * triangle), 3000, width);
    const diagonalAt = new Set([0, 5, 9, 12, 14]);
    for (let place = 0; place < triangle; place++) {
      const sigma = diagonalAt.has(place) ? 3000 : 3000 * Math.SQRT1_2;
      const noise = Float64Array.from({ length: count }, (_, k) => triangles[k * triangle + place]);
      expect(Math.abs(zOfSecondMoment(noise, sigma ** 2, 3 * sigma ** 4))).toBeLessThan(SIX_SIGMA);
      // Power: exchanging diagonal and off-diagonal changes the variance by a factor 2.
      expect(Math.abs(zOfSecondMoment(noise, 1.5 * sigma ** 2, 3 * (1.5 * sigma ** 2) ** 2))).toBeGreaterThan(
        SIX_SIGMA,
      );
    }
  });
});
