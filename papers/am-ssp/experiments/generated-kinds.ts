import { type RatingMatrix, SeededRandom } from '@hushrec/ratings';

/** A generated set of people of several kinds, who say of which kind they are. */
export interface GeneratedKinds {
  readonly ratings: RatingMatrix;
  /** The kind of each person. */
  readonly kindOf: Uint32Array;
}

/**
 * Ratings from 1 to 5 of people of some kinds: person i is of kind i mod kinds, as item j is, likes items of
 * her own kind (4.2 on average, others 2.6), and has a taste of her own in two directions beside it. Items
 * are rated by popularity 1/√rank. She says her kind, and one thing of four that has nothing to do with
 * anything.
 */
export function generateKinds(size: {
  readonly people: number;
  readonly items: number;
  readonly perPerson: number;
  readonly kinds: number;
  readonly seed: number;
}): GeneratedKinds {
  const { people, items, perPerson, kinds } = size;
  const random = new SeededRandom(size.seed);
  const directions = Array.from({ length: items }, () => [0.4 * random.normal(), 0.4 * random.normal()]);
  const offsets = new Uint32Array(people + 1);
  const [indices, values, said]: [number[], number[], number[]] = [[], [], []];
  const kindOf = Uint32Array.from({ length: people }, (_, person) => person % kinds);
  for (let person = 0; person < people; person++) {
    const own = [random.normal(), random.normal()];
    const level = 0.3 * random.normal();
    // The smallest of u^√rank-like keys: without replacement, in proportion to popularity.
    const keys = Array.from({ length: items }, (_, item) => ({
      item,
      key: -Math.log(random.uniform()) * Math.sqrt(item + 1),
    }));
    const rated = keys.sort((a, b) => a.key - b.key).slice(0, perPerson);
    for (const { item } of rated.sort((a, b) => a.item - b.item)) {
      const [first, second] = directions[item];
      const taste = own[0] * first + own[1] * second + level + 0.5 * random.normal();
      const stars = (item % kinds === kindOf[person] ? 4.2 : 2.6) + taste;
      indices.push(item);
      values.push(Math.max(1, Math.min(5, Math.round(stars))));
    }
    offsets[person + 1] = indices.length;
    said.push(kindOf[person], kinds + Math.floor(4 * random.uniform()));
  }
  const names = [
    ...Array.from({ length: kinds }, (_, kind) => `kind ${kind}`),
    ...['north', 'south', 'east', 'west'],
  ];
  return {
    kindOf,
    ratings: {
      userCount: people,
      itemCount: items,
      scale: { min: 1, max: 5, step: 1 },
      byUser: {
        rowCount: people,
        columnCount: items,
        offsets,
        indices: Uint32Array.from(indices),
        values: Float32Array.from(values),
      },
      about: {
        names,
        byUser: {
          rowCount: people,
          columnCount: names.length,
          offsets: Uint32Array.from({ length: people + 1 }, (_, person) => 2 * person),
          indices: Uint32Array.from(said),
          values: new Float32Array(said.length).fill(1),
        },
      },
    },
  };
}
