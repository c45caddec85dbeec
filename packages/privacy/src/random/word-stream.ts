import { chacha20Words, keyWords } from './chacha20.js';
import type { NoiseKernel } from './noise-kernel.js';

/** Nonces of the two streams of one key: the words every draw consumes, and the rare words that break ties. */
const MAIN = [0, 0, 0] as const;
const TIES = [1, 0, 0] as const;
const BUFFER_WORDS = 1024;

/**
 * A sequence of uniform 32-bit words, fixed by a 32-byte key. The only source of noise in this package: keys come
 * from the platform's generator, or from a seed in a simulation.
 *
 * Ties (see `AliasTable`) read a second, independent stream, so that the position in the first one does not depend on
 * the values drawn.
 */
export class WordStream {
  readonly #key: Int32Array;
  readonly #buffer = new Int32Array(BUFFER_WORDS);
  #position = BUFFER_WORDS;
  #block = 0;
  #ties = 0;

  constructor(key: Uint8Array) {
    this.#key = keyWords(key);
  }

  /** The next `count` ≤ 1008 words as a view that is valid until the next call. */
  take(count: number): Int32Array {
    if (this.#position + count > BUFFER_WORDS) this.#refill();
    const view = this.#buffer.subarray(this.#position, this.#position + count);
    this.#position += count;
    return view;
  }

  /** Keeps what is left and fills the rest of the buffer with whole blocks. */
  #refill(): void {
    const kept = BUFFER_WORDS - this.#position;
    const blocks = Math.floor((BUFFER_WORDS - kept) / 16);
    const start = BUFFER_WORDS - blocks * 16 - kept;
    this.#buffer.copyWithin(start, this.#position);
    chacha20Words(this.#key, MAIN, this.#block, this.#buffer.subarray(start + kept));
    this.#block += blocks;
    this.#position = start;
  }

  /** The next `count` words into the words of the kernel: the same as `take` would give, made in bulk. */
  takeInto(kernel: NoiseKernel, count: number): void {
    const kept = Math.min(count, BUFFER_WORDS - this.#position);
    kernel.words.set(this.#buffer.subarray(this.#position, this.#position + kept));
    this.#position += kept;
    const groups = Math.floor((count - kept) / 64);
    kernel.fill(this.#key, MAIN, this.#block, groups, kept);
    this.#block += 4 * groups;
    const rest = count - kept - 64 * groups;
    if (rest > 0) kernel.words.set(this.take(rest), count - rest);
  }

  /** One word, as a number in [0, 2³²). */
  next(): number {
    if (this.#position === BUFFER_WORDS) this.#refill();
    return this.#buffer[this.#position++]! >>> 0;
  }

  /** 512 fresh bits as one integer, from the second stream: for the comparison that 19 bits did not decide. */
  tieBreaker(): bigint {
    const words = new Int32Array(16);
    chacha20Words(this.#key, TIES, this.#ties++, words);
    let bits = 0n;
    for (const word of words) bits = (bits << 32n) | BigInt(word >>> 0);
    return bits;
  }
}
