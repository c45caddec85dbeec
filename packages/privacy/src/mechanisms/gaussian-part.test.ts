import { WorkerPool } from '@hushrec/numerics';
import { afterAll, describe, expect, it } from 'vitest';
import { WordStream } from '../random/word-stream.js';
import { discreteGaussian } from '../samplers/discrete-gaussian.js';
import { gaussianStream } from '../samplers/gaussian-stream.js';
import { addGaussianNoise, type GaussianPart } from './gaussian-part.js';

/**
 * The sampler of either place needs a different number of words: 2^33.2 has one narrow level more than
 * 2^32.7.
 */
const sigmas = [2 ** 33.2, 2 ** 32.7] as const;
const key = new Uint8Array(32).fill(2);

function part(width: number, count: number): GaussianPart {
  const length = (count * width * (width + 1)) / 2;
  return {
    values: Float64Array.from({ length }, (_, k) => (k * 7919) % 1009),
    out: new Float64Array(length),
    perStep: 4,
    step: 2 ** -30,
    stream: gaussianStream(key, sigmas[0], width, sigmas[1]),
  };
}

/** The definition: entry after entry, from one stream of words. */
function byDefinition({
  values,
  perStep,
  step,
  stream: { width, wordsPerDraw },
}: GaussianPart): Float64Array {
  let [row, column] = [0, 0];
  return values.map((value, k) => {
    const sampler = discreteGaussian(sigmas[row === column ? 0 : 1]);
    if (++column === width) column = row = (row + 1) % width;
    return (value * perStep + sampler.draw(new WordStream(key, k * wordsPerDraw))) * step;
  });
}

describe('noise of a part', () => {
  it.each([
    [1, 5000],
    [2, 2000],
    [3, 1500],
    [5, 500],
    [64, 3],
    // One triangle is more than a batch of the kernel.
    [128, 1],
  ])('is laid out as it is defined: width %i, %i of them', async (width, count) => {
    const job = part(width, count);
    await addGaussianNoise(job);
    expect(job.out).toEqual(byDefinition(job));
  });

  const pools = [1, 2, 4].map((size) => new WorkerPool(size));
  afterAll(() => Promise.all(pools.map((pool) => pool.close())));

  // 400,000 entries of 5 words: ties (2^-17 a word) are among them, and the fixed key makes sure of it.
  it.each([
    [1, 400_000],
    [16, 3000],
  ])(
    'has the same bytes in 1, 2 and 4 threads and without any: width %i, %i of them',
    async (width, count) => {
      const here = part(width, count);
      await addGaussianNoise(here);
      for (const pool of pools) {
        const there = part(width, count);
        await addGaussianNoise(there, pool);
        expect(Buffer.compare(Buffer.from(there.out.buffer), Buffer.from(here.out.buffer))).toBe(0);
      }
    },
  );
});
