import { transpose } from '@hushrec/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectRatings, ratingMatrixFromTriples } from './rating-triples.js';

const scale = { min: 1, max: 5, step: 1 };
const row = fc.record({
  user: fc.nat(5),
  item: fc.nat(4),
  rating: fc.integer({ min: 1, max: 5 }),
  time: fc.nat(3),
});

/** The rule in its plainest form: a map from pair to the row that wins. */
function slowCollect(
  rows: readonly { user: number; item: number; rating: number; time: number }[],
  useTime: boolean,
) {
  const kept = new Map<string, (typeof rows)[number]>();
  for (const each of rows) {
    const key = `${each.user} ${each.item}`;
    const before = kept.get(key);
    if (before === undefined || !useTime || each.time >= before.time) kept.set(key, each);
  }
  return [...kept.values()].sort((a, b) => a.user - b.user || a.item - b.item);
}

describe('collectRatings', () => {
  it.each([true, false])('keeps the last rating of a pair (by time: %s), sorted', (useTime) => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 60 }), (rows) => {
        const { matrix, duplicates } = collectRatings({
          userCount: 6,
          itemCount: 5,
          scale,
          users: rows.map(({ user }) => user),
          items: rows.map(({ item }) => item),
          ratings: rows.map(({ rating }) => rating),
          ...(useTime && { times: rows.map(({ time }) => time) }),
        });
        const expected = slowCollect(rows, useTime);
        const { offsets, indices, values } = matrix.byUser;
        const got = [];
        for (let user = 0; user < 6; user++)
          for (let k = offsets[user]; k < offsets[user + 1]; k++)
            got.push({
              user,
              item: indices[k],
              rating: values[k],
              ...(useTime && { time: matrix.times![k] }),
            });
        expect(got).toEqual(
          expected.map(({ user, item, rating, time }) => ({ user, item, rating, ...(useTime && { time }) })),
        );
        expect(duplicates).toBe(rows.length - expected.length);
      }),
    );
  });

  it('refuses indices outside the counts, and arrays of unequal length', () => {
    const one = { userCount: 1, itemCount: 1, scale, users: [0], items: [0], ratings: [3] };
    expect(() => ratingMatrixFromTriples({ ...one, users: [1] })).toThrow(/user index/);
    expect(() => ratingMatrixFromTriples({ ...one, items: [-1] })).toThrow(/item index/);
    expect(() => ratingMatrixFromTriples({ ...one, ratings: [] })).toThrow(/length/);
  });
});

it('transposed it holds the same entries with rows and columns exchanged', () => {
  const matrix = ratingMatrixFromTriples({
    userCount: 3,
    itemCount: 2,
    scale,
    users: [2, 0, 0],
    items: [1, 1, 0],
    ratings: [5, 4, 3],
  });
  const columns = transpose(matrix.byUser);
  expect([...columns.offsets]).toEqual([0, 1, 3]);
  expect([...columns.indices]).toEqual([0, 0, 2]);
  expect([...columns.values]).toEqual([3, 4, 5]);
});
