import { numbered } from '@hushrec/ratings';
import { ratingsOf } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { leaveOneOutTask, rankingQuality } from './leave-one-out-rank.js';

const ratings = ratingsOf(
  Array.from({ length: 20 }, (_, user) => {
    const items = Array.from({ length: 10 }, (_, at) => user + 13 * at);
    return { name: `${user}`, items, ratings: items.map(() => 1) };
  }),
  300,
);
const task = leaveOneOutTask(numbered(ratings), 1);

describe('leave-one-out ranking', () => {
  it('draws 99 distinct candidates that the user never had', () => {
    for (let user = 0; user < 20; user++) {
      const drawn = task.candidates.subarray(user * 99, (user + 1) * 99);
      expect(new Set(drawn).size).toBe(99);
      const own = ratings.byUser.indices.subarray(
        ratings.byUser.offsets[user],
        ratings.byUser.offsets[user + 1],
      );
      expect(drawn.some((item) => own.includes(item))).toBe(false);
    }
  });

  it('refuses a catalogue that leaves too few candidates instead of searching for ever', () => {
    const all = Array.from({ length: 120 }, (_, item) => item);
    const everything = ratingsOf([{ name: 'one', items: all, ratings: all.map(() => 1) }], 120);
    expect(() => leaveOneOutTask(numbered(everything), 1)).toThrow('fewer than 99');
  });

  it('gives 1 to an oracle, 0 to a model that says nothing, and the hand-worked gain in between', () => {
    const oracle = rankingQuality(task, (user) => (item) => Number(item === task.target[user]));
    expect(oracle.sampled).toEqual({ hitRate: 1, ndcg: 1 });
    expect(oracle.full).toEqual({ hitRate: 1, ndcg: 1 });
    const silent = rankingQuality(task, () => () => 0);
    expect(silent.sampled.hitRate).toBe(0);
    // Second place everywhere: one candidate above the held-out item, gain 1/log₂3.
    const second = rankingQuality(task, (user) => (item) => {
      if (item === task.candidates[user * 99]) return 2;
      return Number(item === task.target[user]);
    });
    expect(second.sampled.ndcg).toBeCloseTo(1 / Math.log2(3), 12);
  });
});
