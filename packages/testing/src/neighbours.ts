import type { FactorMatrix } from '@hushrec/numerics';
import type { RatingMatrix } from '@hushrec/ratings';
import fc from 'fast-check';

/** One person's whole data: distinct items, ascending, with their ratings (which may be anything at all). */
export interface Person {
  readonly name: string;
  readonly items: readonly number[];
  readonly ratings: readonly number[];
}

/** Ratings on a 1–5 scale of these people, whatever the numbers are. */
export function ratingsOf(people: readonly Person[], itemCount: number): RatingMatrix {
  const offsets = new Uint32Array(people.length + 1);
  people.forEach((person, user) => {
    offsets[user + 1] = offsets[user] + person.items.length;
  });
  return {
    userCount: people.length,
    itemCount,
    scale: { min: 1, max: 5, step: 1 },
    byUser: {
      rowCount: people.length,
      columnCount: itemCount,
      offsets,
      indices: Uint32Array.from(people.flatMap((person) => person.items)),
      values: Float32Array.from(people.flatMap((person) => person.ratings)),
    },
  };
}

/** The neighbouring data set in which one person never took part. */
export function without(people: readonly Person[], index: number): readonly Person[] {
  return people.filter((_, user) => user !== index);
}

/** Rows of a factor matrix without one of them, in step with `without`. */
export function withoutRow(rows: FactorMatrix, index: number): FactorMatrix {
  const { width } = rows;
  const data = new Float32Array((rows.rowCount - 1) * width);
  data.set(rows.data.subarray(0, index * width));
  data.set(rows.data.subarray((index + 1) * width), index * width);
  return { rowCount: rows.rowCount - 1, width, data };
}

/**
 * People made to break a bound: no ratings, one, exactly k, far more than k, all items; values far outside
 * the scale, not finite, far below the middle (a clip from above only lets these pass), all at one end.
 */
export function adversarialPeople(itemCount: number, k: number): readonly Person[] {
  const first = (count: number) => Array.from({ length: Math.min(count, itemCount) }, (_, item) => item);
  const person = (name: string, count: number, rating: (item: number) => number): Person => {
    const items = first(count);
    return { name, items, ratings: items.map(rating) };
  };
  return [
    person('nothing rated', 0, () => 3),
    person('one rating', 1, () => 5),
    person('exactly k ratings', k, (item) => 1 + (item % 5)),
    person('every item', itemCount, () => 5),
    person('every item, worst', itemCount, () => 1),
    person('huge ratings', itemCount, () => 1e9),
    person('hugely negative ratings', itemCount, () => -1e9),
    person('not a number', itemCount, () => Number.NaN),
    person('infinite', itemCount, (item) => (item % 2 === 0 ? Infinity : -Infinity)),
    person('one absurd rating among sane ones', k, (item) => (item === 0 ? -1e30 : 4)),
    { name: 'one rare item', items: [itemCount - 1], ratings: [5] },
  ];
}

/** Ordinary and odd people for property tests. */
export function arbitraryPeople(itemCount: number): fc.Arbitrary<readonly Person[]> {
  const rating = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 5 }) },
    { weight: 1, arbitrary: fc.constantFrom(1e9, -1e9, Number.NaN, Infinity, -Infinity, 0) },
  );
  const person = fc
    .uniqueArray(fc.tuple(fc.integer({ min: 0, max: itemCount - 1 }), rating), {
      selector: ([item]) => item,
      maxLength: itemCount,
    })
    .map((pairs): Person => {
      const sorted = [...pairs].sort(([a], [b]) => a - b);
      return { name: 'arbitrary', items: sorted.map(([item]) => item), ratings: sorted.map(([, r]) => r) };
    });
  return fc.array(person, { minLength: 1, maxLength: 8 });
}

/** ‖a − b‖₂. */
export function l2Distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] - b[at]) ** 2;
  return Math.sqrt(sum);
}

/**
 * Frobenius norm of the difference of packed upper triangles of full symmetric matrices, one after the other.
 */
export function frobeniusDistance(a: ArrayLike<number>, b: ArrayLike<number>, width: number): number {
  let sum = 0;
  for (let at = 0; at < a.length; ) {
    for (let row = 0; row < width; row++) {
      for (let column = row; column < width; column++, at++) {
        sum += (row === column ? 1 : 2) * (a[at] - b[at]) ** 2;
      }
    }
  }
  return Math.sqrt(sum);
}
