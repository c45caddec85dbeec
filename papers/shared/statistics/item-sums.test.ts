import { createEngine, packedLength } from '@hushrec/numerics';
import type { CoinKeys, LineCoins } from '@hushrec/privacy';
import { adversarialPeople, type Person, ratingsOf } from '@hushrec/testing';
import { expect, it } from 'vitest';
import { itemSums, sampledItemSums } from './item-sums.js';

it('sums of a sample are those of the people whose coin is below the rate', async () => {
  const [itemCount, width] = [12, 3];
  const engine = await createEngine({ threads: 1 });
  const people = adversarialPeople(itemCount, 4);
  const question = {
    weighting: { kind: 'adaptive', limit: 0, exponent: 0.25, budget: 1 },
    own: {
      items: {
        rowCount: itemCount,
        width,
        data: Float32Array.from({ length: itemCount * width }, (_, k) => Math.sin(k)),
      },
      feedback: 'explicit',
      offset: 3,
      ridge: 1,
      ridgeExponent: 0.5,
      interceptRidge: 2,
      unobservedWeight: 0,
    },
    clipNorm: 1,
    targetBound: 1,
    gridBits: 12,
    begin: 0,
    end: itemCount,
    rate: 0.5,
    sampled: 'people',
    coins: {} as CoinKeys,
    matrixShare: 0.5,
  } as const;
  // Every other person is in.
  const everyOther = { uniform: (person: number) => (person % 2 === 0 ? 0.4 : 0.6) } as LineCoins;
  const sumOf = async (statistic: typeof itemSums | typeof sampledItemSums, some: readonly Person[]) => {
    const { byUser: rows } = ratingsOf(some, itemCount);
    const into = {
      matrices: new Float64Array(itemCount * packedLength(width)),
      vectors: new Float64Array(itemCount * width),
    };
    const share = {
      rows,
      coins: () => everyOther,
      engine,
      keep: <T>(_: string, __: unknown, make: () => T) => make(),
    };
    await statistic.add(share as never, question, into);
    return into;
  };
  const sampled = await sumOf(sampledItemSums, people);
  expect(sampled).toEqual(
    await sumOf(
      itemSums,
      people.filter((_, at) => at % 2 === 0),
    ),
  );
  expect(sampled.matrices.some((value) => value !== 0)).toBe(true);
  expect(sampled).not.toEqual(await sumOf(itemSums, people));
  await engine.close();
});
