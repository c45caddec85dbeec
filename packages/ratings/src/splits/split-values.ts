import { createHash } from 'node:crypto';
import type { RatingMatrix, RatingsWithNames } from '../rating-matrix.js';

/** Ratings with the ids of their people and items: a split goes by ids, never by numbers or order. */
export type NamedRatings = Pick<RatingsWithNames, 'ratings' | 'userIds' | 'itemIds'>;

/** Ratings that have no ids: people and items are called by their numbers. For generated data and tests. */
export function numbered(ratings: RatingMatrix): NamedRatings {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));
  return { ratings, userIds: numbers(ratings.userCount), itemIds: numbers(ratings.itemCount) };
}

/**
 * The draws of a split: a number for each person and for each of her ratings that follows from protocol, seed
 * and ids alone. Nobody else's ratings, no order of rows and no numbering enter it, so a person who joins or
 * leaves changes nothing for the others. The proofs of privacy rest on that (precondition 4 of
 * docs/hush-proof.md).
 *
 * Each id is hashed once (SHA-256, 64 bits of it); the two keys of a rating are added bit by bit and put
 * through four Feistel rounds, whose round function is the finalizer of `SeededRandom`. The seed is public
 * and the draws are no secret: they need to be unbiased and unrelated to tastes, which is less than a
 * cryptographic function of each pair would give, at a hundredth of its cost. O(1) per draw.
 *
 * Whoever divides a part again under the same protocol needs another seed: the same one draws the same
 * numbers.
 */
export class SplitValues {
  readonly #people: Uint32Array;
  readonly #items: Uint32Array;

  constructor({ ratings, userIds, itemIds }: NamedRatings, protocol: string, seed: number) {
    if (!Number.isSafeInteger(seed) || seed < 0)
      throw new RangeError(`seed is ${seed}; expected a whole number from 0 to 2⁵³ − 1.`);
    if (userIds.length !== ratings.userCount || itemIds.length !== ratings.itemCount)
      throw new RangeError(
        `There are ${ratings.userCount} people and ${ratings.itemCount} items, but ids of ${userIds.length} and ${itemIds.length}.`,
      );
    const prefix = `hushrec-split-1 ${protocol} ${seed}`;
    this.#people = keysOf(`${prefix} person `, userIds);
    this.#items = keysOf(`${prefix} item `, itemIds);
  }

  /** Uniform in [0, 1) with 53 bits; different ratings of a person have different numbers but for 2⁻⁵³. */
  ofRating(user: number, item: number): number {
    return drawOf(
      this.#people[2 * user] ^ this.#items[2 * item],
      this.#people[2 * user + 1] ^ this.#items[2 * item + 1],
    );
  }

  /** Uniform in [0, 1), unrelated to the draws of her ratings. */
  ofPerson(user: number): number {
    return drawOf(this.#people[2 * user], this.#people[2 * user + 1]);
  }

  /** The draws of all ratings, in the order of `byUser`. */
  ofRatings({ byUser }: RatingMatrix): Float64Array {
    const values = new Float64Array(byUser.values.length);
    for (let user = 0; user < byUser.rowCount; user++)
      for (let k = byUser.offsets[user]; k < byUser.offsets[user + 1]; k++)
        values[k] = this.ofRating(user, byUser.indices[k]);
    return values;
  }
}

/** The first 64 bits of SHA-256 of each id, two words each. */
function keysOf(prefix: string, ids: readonly string[]): Uint32Array {
  const keys = new Uint32Array(2 * ids.length);
  ids.forEach((id, at) => {
    const digest = createHash('sha256').update(prefix).update(id, 'utf8').digest();
    keys[2 * at] = digest.readUInt32BE(0);
    keys[2 * at + 1] = digest.readUInt32BE(4);
  });
  return keys;
}

function drawOf(left: number, right: number): number {
  let [a, b] = [left, right];
  a ^= mix(b + 0x9e3779b9);
  b ^= mix(a + 0x3c6ef372);
  a ^= mix(b + 0xdaa66d2b);
  b ^= mix(a + 0x78dde6e4);
  return ((a >>> 5) * 67108864 + (b >>> 6)) / 9007199254740992;
}

function mix(word: number): number {
  let z = word | 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return z ^ (z >>> 15);
}
