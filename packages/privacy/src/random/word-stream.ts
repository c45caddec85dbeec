import { chacha20Words, keyWords } from './chacha20.js';

/**
 * Nonces of the two streams of one key: the words every draw consumes, and the rare words that break ties.
 */
const MAIN = [0, 0, 0] as const;
const TIES = 1;
const BLOCK_WORDS = 16;

/**
 * A sequence of uniform 32-bit words, fixed by a 32-byte key and readable from any place on. The only source
 * of noise in this package: keys come from the platform's generator, or from a seed in a simulation.
 *
 * Ties (see `AliasTable`) read a second, independent stream, at the place of the word that tied: the position
 * in the first stream does not depend on the values drawn, and a draw depends on its place alone, whoever
 * makes it.
 */
export class WordStream {
  readonly #key: Int32Array;
  readonly #buffer: Int32Array;
  #position: number;
  #block: number;

  /**
   * Starts at word `first`; whoever wants a few words only gives the number of 16-word blocks to make at a
   * time.
   */
  constructor(key: Uint8Array | Int32Array, first = 0, blocks = 64) {
    this.#key = key instanceof Int32Array ? key : keyWords(key);
    this.#buffer = new Int32Array(blocks * BLOCK_WORDS);
    this.#position = this.#buffer.length;
    this.#block = Math.floor(first / BLOCK_WORDS);
    if (first % BLOCK_WORDS !== 0) {
      this.#refill();
      this.#position += first % BLOCK_WORDS;
    }
  }

  /** The next `count` ≤ 16·blocks − 15 words as a view that is valid until the next call. */
  take(count: number): Int32Array {
    if (this.#position + count > this.#buffer.length) this.#refill();
    const view = this.#buffer.subarray(this.#position, this.#position + count);
    this.#position += count;
    return view;
  }

  /** Keeps what is left and fills the rest of the buffer with whole blocks. */
  #refill(): void {
    const { length } = this.#buffer;
    const kept = length - this.#position;
    const blocks = Math.floor((length - kept) / BLOCK_WORDS);
    const start = length - blocks * BLOCK_WORDS - kept;
    this.#buffer.copyWithin(start, this.#position);
    chacha20Words(this.#key, MAIN, this.#block, this.#buffer.subarray(start + kept));
    this.#block += blocks;
    this.#position = start;
  }

  /** One word, as a number in [0, 2³²). */
  next(): number {
    if (this.#position === this.#buffer.length) this.#refill();
    return this.#buffer[this.#position++] >>> 0;
  }

  /**
   * 512 bits as one integer, fresh for every word: for the comparison that the last word given out did not
   * decide.
   */
  tieBreaker(): bigint {
    const word = this.#block * BLOCK_WORDS - (this.#buffer.length - this.#position) - 1;
    const words = new Int32Array(BLOCK_WORDS);
    chacha20Words(this.#key, [TIES, Math.floor(word / 2 ** 32), 0], word % 2 ** 32, words);
    let bits = 0n;
    for (const each of words) bits = (bits << 32n) | BigInt(each >>> 0);
    return bits;
  }
}
