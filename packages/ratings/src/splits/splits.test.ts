import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateCatalogue } from '../generate/catalogue.js';
import { likedItems } from '../liked-items.js';
import type { RatingMatrix } from '../rating-matrix.js';
import { ratingMatrixFromTriples } from '../rating-triples.js';
import { splitHoldout } from './holdout.js';
import { splitKFold } from './k-fold.js';
import { splitGivenOne, splitLeaveOneOut } from './leave-one-out.js';
import { popularityBuckets } from './popularity-buckets.js';
import { numbered } from './split-values.js';
import { splitStrongGeneralization } from './strong-generalization.js';

const named = generateCatalogue({ users: 200, items: 60, ratings: 4000, seed: 1 });
const data = named.ratings;

/** "user item rating time" of every entry: sets that can be compared. */
function entries({ byUser, times }: RatingMatrix, nameOf: (row: number) => number = (row) => row): string[] {
  const result: string[] = [];
  for (let row = 0; row < byUser.rowCount; row++)
    for (let k = byUser.offsets[row]; k < byUser.offsets[row + 1]; k++)
      result.push(`${nameOf(row)} ${byUser.indices[k]} ${byUser.values[k]} ${times?.[k]}`);
  return result;
}

describe('splitHoldout', () => {
  it('puts every rating in exactly one part, with its time', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { train, validation, test } = splitHoldout(named, { seed });
        const all = [train, validation, test].flatMap((part) => entries(part));
        expect(all.sort()).toEqual(entries(data).sort());
      }),
      { numRuns: 10 },
    );
  });

  it('is made again by its record, and by no other seed', () => {
    const { record, test } = splitHoldout(named, { seed: 4, test: 0.2 });
    expect(record).toEqual({ protocol: 'holdout', seed: 4, validation: 0.1, test: 0.2 });
    expect(splitHoldout(named, { seed: 4, test: 0.2 }).test).toEqual(test);
    expect(splitHoldout(named, { seed: 5, test: 0.2 }).test).not.toEqual(test);
  });

  it('refuses shares that leave nothing to train on', () => {
    expect(() => splitHoldout(named, { seed: 1, validation: 0.5, test: 0.5 })).toThrow(RangeError);
    expect(() => splitHoldout(named, { seed: 1, test: Number.NaN })).toThrow(RangeError);
  });
});

describe('splitKFold', () => {
  it('tests every rating exactly once', () => {
    const folds = splitKFold(named, { seed: 2, folds: 7 });
    const tested = [];
    for (let index = 0; index < 7; index++) {
      const { train, test } = folds.fold(index);
      expect(test.byUser.values.length).toBeGreaterThan(0);
      expect([...entries(train), ...entries(test)].sort()).toEqual(entries(data).sort());
      tested.push(...entries(test));
    }
    expect(tested.sort()).toEqual(entries(data).sort());
    expect(() => folds.fold(7)).toThrow(RangeError);
    expect(() => splitKFold(named, { seed: 2, folds: 1 })).toThrow(RangeError);
  });
});

describe('leave one out', () => {
  const small = (times?: number[]) => numbered(unnamed(times));
  const unnamed = (times?: number[]) =>
    ratingMatrixFromTriples({
      userCount: 3,
      itemCount: 4,
      scale: { min: 1, max: 5, step: 1 },
      users: [0, 0, 0, 1, 2, 2],
      items: [0, 1, 3, 2, 0, 1],
      ratings: [1, 2, 3, 4, 5, 1],
      ...(times && { times }),
    });

  it('takes the latest by time, ties by item, and leaves users with one rating whole', () => {
    const { train, test, chosenBy } = splitLeaveOneOut(small([5, 9, 9, 1, 8, 7]), { seed: 1 });
    expect(chosenBy).toBe('time');
    expect(entries(test)).toEqual(['0 3 3 9', '2 0 5 8']);
    expect(entries(train)).toEqual(['0 0 1 5', '0 1 2 9', '1 2 4 1', '2 1 1 7']);
  });

  it('breaks ties by the ids alone, however items are numbered', () => {
    const { userIds, ratings } = small([5, 5, 5, 1, 8, 8]);
    const heldOut = (itemIds: string[]) =>
      Array.from(
        splitLeaveOneOut({ ratings, userIds, itemIds }, { seed: 1 }).test.byUser.indices,
        (item) => itemIds[item],
      );
    expect(heldOut(['9', '10', '2', '1'])).toEqual(['10', '10']);
    expect(heldOut(['9', '10', 'x', '1'])).toEqual(['10', '10']);
    expect(heldOut(['b', 'a', 'x', '1'])).toEqual(['b', 'b']);
  });

  it('takes a random one without times and says so', () => {
    const { test, chosenBy, record } = splitLeaveOneOut(small(), { seed: 1 });
    expect(chosenBy).toBe('random');
    expect(record['chosenBy']).toBe('random');
    expect(test.byUser.values.length).toBe(2);
    const chosen = new Set<number>();
    for (let seed = 0; seed < 60; seed++)
      chosen.add(splitLeaveOneOut(small(), { seed }).test.byUser.indices[0]);
    expect([...chosen].sort()).toEqual([0, 1, 3]);
  });

  it('takes given pairs and refuses one that is not there', () => {
    const { train, test } = splitGivenOne(unnamed(), Int32Array.of(1, -1, 0));
    expect(entries(test)).toEqual(['0 1 2 undefined', '2 0 5 undefined']);
    expect(train.byUser.values.length).toBe(4);
    expect(() => splitGivenOne(unnamed(), Int32Array.of(2, -1, 0))).toThrow(/not in the data set/);
  });
});

describe('splitStrongGeneralization', () => {
  const liked = likedItems(data, 4);
  const likes = { ...named, ratings: liked };
  const split = splitStrongGeneralization(likes, { seed: 3, heldOutUsers: 0.48 });

  it('keeps only ratings of 4 and more, as 1', () => {
    expect(liked.scale).toEqual({ min: 1, max: 1, step: 1 });
    expect(liked.byUser.values.length).toBe(data.byUser.values.filter((rating) => rating >= 4).length);
    expect(liked.byUser.values.every((value) => value === 1)).toBe(true);
  });

  it('shares no user between parts and drops users with fewer than five', () => {
    const users = [...split.trainUsers, ...split.validation.users, ...split.test.users];
    expect(new Set(users).size).toBe(users.length);
    const active = users.length;
    const counts = Array.from(
      { length: 200 },
      (_, user) => liked.byUser.offsets[user + 1] - liked.byUser.offsets[user],
    );
    expect(active).toBe(counts.filter((count) => count >= 5).length);
    const all = new Set(entries(liked));
    expect(entries(split.train, (row) => split.trainUsers[row]).filter((entry) => !all.has(entry))).toEqual(
      [],
    );
  });

  it('splits each held-out user 80/20, then drops items that nobody trains on', () => {
    const known = new Set(split.train.byUser.indices);
    expect(known.size).toBeLessThan(60);
    for (const { users, history, target } of [split.validation, split.test]) {
      expect(users.length).toBeGreaterThan(0);
      users.forEach((user, row) => {
        const own = rowOf(liked, user);
        const [seen, wanted] = [rowOf(history, row), rowOf(target, row)];
        const askable = own.filter((item) => known.has(item));
        if (askable.length < 5) {
          expect(wanted).toEqual([]);
          return;
        }
        expect([...seen, ...wanted].sort()).toEqual(askable.sort());
        const lost = own.length - askable.length;
        expect(wanted.length).toBeLessThanOrEqual(Math.floor(0.2 * own.length));
        expect(wanted.length).toBeGreaterThanOrEqual(Math.floor(0.2 * own.length) - lost);
      });
    }
  });

  it.each([0, 0.5, 30, Number.NaN])('refuses to hold out a share of %s', (heldOutUsers) => {
    expect(() => splitStrongGeneralization(likes, { seed: 1, heldOutUsers })).toThrow(RangeError);
  });
});

function rowOf({ byUser }: RatingMatrix, row: number): number[] {
  return Array.from(byUser.indices.subarray(byUser.offsets[row], byUser.offsets[row + 1]));
}

describe('popularityBuckets', () => {
  it('makes groups of equally many items, rarest first', () => {
    const { bucketOf, shareOfRatings } = popularityBuckets(data, 5);
    const counts = new Array<number>(60).fill(0);
    for (const item of data.byUser.indices) counts[item]++;
    for (let bucket = 0; bucket < 5; bucket++) {
      const own = counts.filter((_, item) => bucketOf[item] === bucket);
      expect(own.length).toBe(12);
      expect(shareOfRatings[bucket]).toBeCloseTo(own.reduce((sum, count) => sum + count, 0) / 4000, 12);
      const next = counts.filter((_, item) => bucketOf[item] === bucket + 1);
      if (next.length > 0) expect(Math.max(...own)).toBeLessThanOrEqual(Math.min(...next));
    }
    expect(() => popularityBuckets(data, 61)).toThrow(RangeError);
  });
});
