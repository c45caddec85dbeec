import { type ReleaseRecorder, sensitive } from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';
import { onesInBoth } from './ones-in-both.js';

/**
 * What the server holds after every person has flipped each of their bits with probability f = 1/(1 + e^ε) on
 * their own device: one bit row per item, one bit per person. 32 people a word.
 */
export interface FlippedBits {
  readonly people: number;
  readonly items: number;
  readonly wordsPerItem: number;
  readonly words: Int32Array;
  /** f. */
  readonly flipProbability: number;
}

/**
 * Randomised response on the complete 0/1 matrix: each bit is ε-differentially private by itself, in the
 * local model; a whole row of m bits would cost mε. O(people · items) draws and people·items/8 bytes.
 */
export async function flipInteractions(
  ratings: RatingMatrix,
  recorder: ReleaseRecorder,
  name: string,
  tick: (done: number) => Promise<void> = async () => undefined,
): Promise<FlippedBits> {
  const { byUser, userCount, itemCount } = ratings;
  const wordsPerItem = Math.ceil(userCount / 32);
  const words = new Int32Array(wordsPerItem * itemCount);
  const release = recorder.begin(name);
  const bits = new Uint8Array(itemCount);
  for (let user = 0; user < userCount; user++) {
    bits.fill(0);
    for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++) bits[byUser.indices[at]] = 1;
    const reported = await release.flip(user, sensitive(bits, 'l1', 1));
    const word = user >>> 5;
    const mask = 1 << (user & 31);
    for (let item = 0; item < itemCount; item++)
      if (reported[item] === 1) words[item * wordsPerItem + word] |= mask;
    if (user % 256 === 255 || user === userCount - 1) await tick(user + 1);
  }
  release.close();
  const epsilon = release.noise === 0 ? Number.POSITIVE_INFINITY : 1 / release.noise;
  return {
    people: userCount,
    items: itemCount,
    wordsPerItem,
    words,
    flipProbability: 1 / (1 + Math.exp(epsilon)),
  };
}

/** Reported ones per item. O(items · people/32). */
export function reportedCounts({ items, wordsPerItem, words }: FlippedBits): Float64Array {
  const counts = new Float64Array(items);
  for (let item = 0; item < items; item++)
    counts[item] = onesInBoth(words, item * wordsPerItem, item * wordsPerItem, wordsPerItem);
  return counts;
}
