import { createEngine } from '@hushrec/numerics';
import { adversarialPeople, type Person, ratingsOf, without } from '@hushrec/testing';
import { expect, it } from 'vitest';
import { solveOwn } from './own-vectors.js';

const noCoins = () => {
  throw new Error('Nobody tosses coins here.');
};

it('nobody’s absence moves anyone else’s vector, given the same item vectors', async () => {
  const itemCount = 12;
  const engine = await createEngine({ threads: 1 });
  const people = adversarialPeople(itemCount, 4);
  const items = {
    rowCount: itemCount,
    width: 3,
    data: Float32Array.from({ length: itemCount * 3 }, (_, k) => Math.sin(k)),
  };
  const question = {
    items,
    feedback: 'explicit',
    offset: 3,
    ridge: 1,
    ridgeExponent: 0.5,
    interceptRidge: 2,
    unobservedWeight: 0,
  } as const;
  const solve = async (some: readonly Person[]) => {
    const { byUser: rows } = ratingsOf(some, itemCount);
    const { factors } = await solveOwn(
      { rows, coins: noCoins, engine, keep: (_name, _of, make) => make() },
      question,
    );
    return factors.data;
  };
  const all = await solve(people);
  const fewer = await solve(without(people, 3));
  expect([...fewer]).toEqual([...all.subarray(0, 9), ...all.subarray(12)]);
  await engine.close();
});
