import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RatingMatrix } from '../rating-matrix.js';
import { ratingMatrixFromTriples } from '../rating-triples.js';
import { splitHoldout } from './holdout.js';
import { splitKFold } from './k-fold.js';
import { splitLeaveOneOut } from './leave-one-out.js';
import type { NamedRatings } from './split-values.js';
import { splitStrongGeneralization } from './strong-generalization.js';

/** What of a person's ratings is used depends on her alone: precondition 4 of docs/hush-proof.md. */

interface Row {
  readonly person: string;
  readonly item: string;
  readonly time: number;
}

/** Parts by "person item"; a rating that is in none is not there. */
type Parts = Map<string, string>;

function add(parts: Parts, part: string, { byUser }: RatingMatrix, data: NamedRatings, users?: Uint32Array) {
  for (let row = 0; row < byUser.rowCount; row++)
    for (let k = byUser.offsets[row]; k < byUser.offsets[row + 1]; k++) {
      const rating = `${data.userIds[users?.[row] ?? row]} ${data.itemIds[byUser.indices[k]]}`;
      expect(parts.has(rating)).toBe(false);
      parts.set(rating, part);
    }
}

/** The parts of each protocol, and those ratings that it leaves out because nobody trains on their items. */
const protocols: Readonly<Record<string, (data: NamedRatings, seed: number) => Parts>> = {
  holdout: (data, seed) => {
    const split = splitHoldout(data, { seed, validation: 0.3, test: 0.3 });
    const parts: Parts = new Map();
    for (const part of ['train', 'validation', 'test'] as const) add(parts, part, split[part], data);
    return parts;
  },
  'k-fold': (data, seed) => {
    const folds = splitKFold(data, { seed, folds: 3 });
    const parts: Parts = new Map();
    for (let index = 0; index < 3; index++) add(parts, `fold ${index}`, folds.fold(index).test, data);
    return parts;
  },
  'leave-one-out by time': (data, seed) => {
    const { train, test, chosenBy } = splitLeaveOneOut(data, { seed });
    expect(chosenBy).toBe('time');
    const parts: Parts = new Map();
    add(parts, 'train', train, data);
    add(parts, 'test', test, data);
    return parts;
  },
  'leave-one-out at random': ({ ratings, ...ids }, seed) => {
    const { times: _, ...timeless } = ratings;
    const data = { ...ids, ratings: timeless };
    const { train, test } = splitLeaveOneOut(data, { seed });
    const parts: Parts = new Map();
    add(parts, 'train', train, data);
    add(parts, 'test', test, data);
    return parts;
  },
  'strong-generalization': (data, seed) => {
    const split = splitStrongGeneralization(data, {
      seed,
      heldOutUsers: 0.3,
      targetShare: 0.4,
      minRatings: 2,
    });
    const parts: Parts = new Map();
    add(parts, 'train', split.train, data, split.trainUsers);
    for (const stage of ['validation', 'test'] as const)
      for (const part of ['history', 'target'] as const)
        add(parts, `${stage} ${part}`, split[stage][part], data, split[stage].users);
    return parts;
  },
};

/** Rows as a data set in which people and items are numbered as they come. */
function dataOf(rows: readonly Row[]): NamedRatings {
  const userIds = [...new Set(rows.map(({ person }) => person))];
  const itemIds = [...new Set(rows.map(({ item }) => item))];
  return {
    userIds,
    itemIds,
    ratings: ratingMatrixFromTriples({
      userCount: userIds.length,
      itemCount: itemIds.length,
      scale: { min: 1, max: 5, step: 1 },
      users: rows.map(({ person }) => userIds.indexOf(person)),
      items: rows.map(({ item }) => itemIds.indexOf(item)),
      ratings: rows.map(() => 3),
      times: rows.map(({ time }) => time),
    }),
  };
}

const ids = (others: readonly string[]) =>
  fc.oneof(
    fc.nat(30).map(String),
    fc.constantFrom(...others),
    fc.string({ minLength: 1, maxLength: 3 }).map((text) => text.replaceAll(' ', '_')),
  );
const anyRows = fc
  .uniqueArray(
    fc.record({
      person: ids(['!', 'ann', 'Ωμέγα']),
      item: ids(['007', 'zebra', '\u0000', '😀', '\uffff']),
      time: fc.nat(3), // ties are frequent
    }),
    { minLength: 2, maxLength: 80, selector: ({ person, item }) => `${person} ${item}` },
  )
  .filter((rows) => new Set(rows.map(({ person }) => person)).size > 1);

/** Whoever is to leave: the first, the last, or anyone. */
const anyone = fc.oneof(fc.constant(0), fc.constant(-1), fc.nat());

describe.each(Object.entries(protocols))('%s', (_, partsOf) => {
  const numRuns = 300;

  it('gives every person the same parts with and without any other', () => {
    fc.assert(
      fc.property(anyRows, anyone, fc.nat(), (rows, which, seed) => {
        const people = [...new Set(rows.map(({ person }) => person))].sort();
        const leaving = people.at(which < 0 ? which : which % people.length);
        const others = rows.filter(({ person }) => person !== leaving);
        const [all, rest] = [partsOf(dataOf(rows), seed), partsOf(dataOf(others), seed)];
        for (const { person, item } of others) {
          const rating = `${person} ${item}`;
          const [before, after] = [all.get(rating), rest.get(rating)];
          // Held-out people are not asked about items that nobody trains on: none of it is trained on.
          if (after === undefined && before !== 'train') continue;
          expect(before, rating).toBe(after);
        }
      }),
      { numRuns },
    );
  });

  it('takes no notice of the order of rows, people and items', () => {
    const anyOrder = anyRows.chain((rows) =>
      fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
    );
    fc.assert(
      fc.property(anyOrder, fc.nat(), ([rows, shuffled], seed) => {
        expect(partsOf(dataOf(shuffled), seed)).toEqual(partsOf(dataOf(rows), seed));
      }),
      { numRuns },
    );
  });
});

/** Units of one rating: a holdout and folds decide about each rating by itself, the others do not. */
describe.each(['holdout', 'k-fold'])('%s', (protocol) => {
  it('gives every rating the same part with and without any other', () => {
    fc.assert(
      fc.property(anyRows, fc.nat(), fc.nat(), (rows, which, seed) => {
        const others = rows.filter((_, at) => at !== which % rows.length);
        const all = protocols[protocol](dataOf(rows), seed);
        for (const [rating, part] of protocols[protocol](dataOf(others), seed))
          expect(all.get(rating)).toBe(part);
      }),
      { numRuns: 300 },
    );
  });
});
