import { ratingsOf } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { blocksOfPeople, evenCuts, peopleBetween } from './cut-shares.js';

/** People with so many ratings each. */
const rowsOf = (...sizes: number[]) =>
  ratingsOf(
    sizes.map((size, user) => ({
      name: `person ${user}`,
      items: Array.from({ length: size }, (_, item) => item),
      ratings: Array.from({ length: size }, () => 1 + user),
    })),
    8,
  ).byUser;

describe('people cut into groups', () => {
  it('keep their entries, and begin at 0', () => {
    const { rowCount, offsets, indices, values } = peopleBetween(rowsOf(2, 3, 1, 4), 1, 3);
    expect(rowCount).toBe(2);
    expect([...offsets]).toEqual([0, 3, 4]);
    expect([...indices]).toEqual([0, 1, 2, 0]);
    expect([...values]).toEqual([2, 2, 2, 3]);
  });

  it('are cut into blocks of so many entries, or one person with more', () => {
    const blocks = (entries: number, ...sizes: number[]) =>
      [...blocksOfPeople(rowsOf(...sizes), entries)].map(({ begin, end }) => [begin, end]);
    expect(blocks(4, 2, 2, 1, 3, 8, 1)).toEqual([
      [0, 2],
      [2, 4],
      [4, 5],
      [5, 6],
    ]);
    expect(blocks(100, 2, 2, 1)).toEqual([[0, 3]]);
    expect(blocks(4)).toEqual([]);
  });

  it('are cut evenly, everyone once', () => {
    expect(evenCuts(rowsOf(2, 2, 2, 2), 2)).toEqual([0, 2, 4]);
    expect(evenCuts(rowsOf(8, 1, 1, 1), 2)).toEqual([0, 1, 4]);
    expect(evenCuts(rowsOf(1, 1), 1)).toEqual([0, 2]);
  });
});
