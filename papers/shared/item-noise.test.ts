import { ItemNoise, noiseToSignal, trainModel } from '@hushrec/factorize';
import { createEngine } from '@hushrec/numerics';
import { generateCatalogue, popularityBuckets } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import '@hushrec/papers/register';

const part = (release: string, number: number, noise: number, values: number[]) => ({
  release,
  part: number,
  noise,
  values: Float64Array.from(values),
  layout: { kind: 'vector' as const },
});

describe('noise over signal by group of items', () => {
  it('subtracts the noise that is known', () => {
    const seen = new ItemNoise(4);
    seen.watch(part('round 1', 0, 1, [9, 9, 9, 9, 9, 9, 9, 9]));
    seen.watch(part('round 2', 0, 1, [2, 2, 0, 0])); // items 0 and 1, two values each
    seen.watch(part('round 2', 1, 1, [3, 1, 1, 1]));
    const [first, second] = noiseToSignal(seen.last!, Uint8Array.of(0, 0, 1, 1), 2);
    expect(first).toBeCloseTo(Math.sqrt(4 / (8 - 4)), 12);
    expect(second).toBeCloseTo(Math.sqrt(4 / (12 - 4)), 12);
  });

  it('does not keep memory that is used again for the next block', () => {
    const seen = new ItemNoise(2);
    const block = part('vectors', 0, 1, [2, 2]);
    seen.watch(block);
    block.values.fill(3);
    seen.watch({ ...block, part: 1 });
    const [first, second] = noiseToSignal(seen.last!, Uint8Array.of(0, 1), 2);
    expect([first, second]).toEqual([Math.sqrt(2 / (8 - 2)), Math.sqrt(2 / (18 - 2))]);
  });

  it('does not take single values for vectors once there were some, and says when noise is all there is', () => {
    const seen = new ItemNoise(2);
    expect(seen.last).toBeUndefined();
    seen.watch(part('vectors', 0, 1, [1, 0, 5, 5]));
    seen.watch(part('counts', 0, 1, [100, 100]));
    const [rare, frequent] = noiseToSignal(seen.last!, Uint8Array.of(0, 1), 2);
    expect(rare).toBeNull();
    expect(frequent).toBeCloseTo(Math.sqrt(2 / 48), 12);
  });

  it.each(['hush', 'dpals', 'am-ssp', 'dp-sgd'])('falls with popularity and with ε: %s', async (method) => {
    const { ratings } = generateCatalogue({ users: 600, items: 60, ratings: 12_000, seed: 3 });
    const { bucketOf } = popularityBuckets(ratings, 3);
    const engine = await createEngine({ threads: 1 });
    try {
      const at = async (epsilon: number) => {
        const seen = new ItemNoise(ratings.itemCount);
        await trainModel({
          method,
          ratings,
          engine,
          epsilon,
          delta: 1e-5,
          seed: 1,
          hooks: { released: seen.watch },
        });
        return noiseToSignal(seen.last!, bucketOf, 3);
      };
      const [much, little] = [await at(1e3), await at(1e5)];
      expect(little[2]!).toBeLessThan(little[0]!);
      expect(little[2]!).toBeLessThan(much[2]!);
    } finally {
      await engine.close();
    }
  });
});
