import { csrFromTriples } from '@hushrec/numerics';
import { describe, expect, it } from 'vitest';
import { splitHoldout } from './holdout.js';
import { splitLeaveOneOut } from './leave-one-out.js';
import { numbered, SplitValues } from './split-values.js';
import { splitStrongGeneralization } from './strong-generalization.js';

// The seeds are fixed, so these cannot fail by chance on unchanged code. For a seed drawn at random each
// threshold is exceeded with probability 5e-7: chi-square with 1, 2 and 15 degrees of freedom above 25.3,
// 29 and 58. Where a test has power against an error, the error is planted beside it.
const bounds = { 1: 25.3, 2: 29, 15: 58 } as const;

/** Everyone has rated everything: ids are numbers in a row, as like one another as ids get. */
function everything(people: number, items: number) {
  const users = Uint32Array.from({ length: people * items }, (_, k) => Math.floor(k / items));
  const columns = Uint32Array.from({ length: people * items }, (_, k) => k % items);
  return numbered({
    userCount: people,
    itemCount: items,
    scale: { min: 1, max: 1, step: 1 },
    byUser: csrFromTriples(people, items, users, columns),
  });
}

const chiSquare = (counts: readonly number[], shares: readonly number[]) => {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.reduce((sum, count, at) => sum + (count - total * shares[at]) ** 2 / (total * shares[at]), 0);
};
const even = (cells: number) => new Array<number>(cells).fill(1 / cells);

describe('draws of a split', () => {
  const data = everything(400, 400);
  const draws = new SplitValues(data, 'holdout', 7).ofRatings(data.ratings);

  it('fill sixteen cells evenly', () => {
    const counts = new Array<number>(16).fill(0);
    for (const draw of draws) counts[Math.floor(16 * draw)]++;
    expect(chiSquare(counts, even(16))).toBeLessThan(bounds[15]);
    const skewed = counts.map((count, cell) => count + (cell === 0 ? 800 : 0));
    expect(chiSquare(skewed, even(16)), 'a cell 8 % too full is noticed').toBeGreaterThan(bounds[15]);
  });

  it('are unrelated for one person’s items, one item’s people, the corners of a rectangle, and two seeds', () => {
    const at = (user: number, item: number) => draws[400 * user + item];
    const other = new SplitValues(data, 'holdout', 8).ofRatings(data.ratings);
    const relations: Record<string, (user: number, item: number) => readonly number[]> = {
      'one person': (user, item) => [at(user, item), at(user, item ^ 1)],
      'one item': (user, item) => [at(user, item), at(user ^ 1, item)],
      'a rectangle': (u, i) => [at(u, i), at(u ^ 1, i), at(u, i ^ 1), at(u ^ 1, i ^ 1)],
      'two seeds': (user, item) => [at(user, item), other[400 * user + item]],
    };
    for (const [name, relation] of Object.entries(relations)) {
      // Whether an odd number of the draws lies below one half: even odds if they are unrelated.
      const counts = [0, 0];
      for (let user = 0; user < 400; user += 2)
        for (let item = 0; item < 400; item += 2)
          counts[relation(user, item).filter((draw) => draw < 0.5).length % 2]++;
      expect(chiSquare(counts, even(2)), name).toBeLessThan(bounds[1]);
      const tied = [counts[0] + 800, counts[1] - 800];
      expect(chiSquare(tied, even(2)), '2 % of pairs tied together are noticed').toBeGreaterThan(bounds[1]);
    }
  });

  it('make a holdout of 80, 10 and 10 %', () => {
    const split = splitHoldout(data, { seed: 3 });
    const sizes = [split.train, split.validation, split.test].map(({ byUser }) => byUser.values.length);
    expect(chiSquare(sizes, [0.8, 0.1, 0.1])).toBeLessThan(bounds[2]);
    expect(chiSquare(sizes, [0.79, 0.1, 0.11]), 'a share of 11 % is noticed').toBeGreaterThan(bounds[2]);
  });
});

it('leave-one-out holds out every item of a person equally often', () => {
  const { test } = splitLeaveOneOut(everything(32_000, 16), { seed: 5 });
  const counts = new Array<number>(16).fill(0);
  for (const item of test.byUser.indices) counts[item]++;
  expect(chiSquare(counts, even(16))).toBeLessThan(bounds[15]);
});

it('strong generalization trains on 80 % of the people, whichever of their ratings are asked', () => {
  const split = splitStrongGeneralization(everything(32_000, 16), { seed: 5 });
  const sizes = [split.trainUsers, split.validation.users, split.test.users].map(({ length }) => length);
  expect(chiSquare(sizes, [0.8, 0.1, 0.1])).toBeLessThan(bounds[2]);
  const counts = new Array<number>(16).fill(0);
  for (const item of split.test.target.byUser.indices) counts[item]++;
  expect(split.test.target.byUser.indices.length).toBe(3 * split.test.users.length);
  expect(chiSquare(counts, even(16))).toBeLessThan(bounds[15]);
});
