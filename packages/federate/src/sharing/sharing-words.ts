import { hostKeyStream } from '@hushrec/privacy/recorder-parts';

/**
 * Bytes of one word: sums are kept modulo 2^(8·bytes), or, in words of 8 bytes, modulo the prime
 * q = 2^64 − 2^32 + 1 of norm proofs.
 */
export type WordBytes = 4 | 5 | 6 | 8;

/** q is 2^64 less this. */
const BELOW = 2 ** 32 - 1;

/** Sums that no word size can hold. */
export class WordSizeError extends RangeError {
  override readonly name = 'WordSizeError';
  readonly kind = 'usage';
  readonly largest: number;
  constructor(largest: number) {
    super(
      `A sum may reach ${largest.toExponential(2)} grid steps; words hold less than 2^47. ` +
        'Declare fewer people, or a method with a coarser grid.',
    );
    this.largest = largest;
  }
}

/** The smallest words that hold every whole number of absolute value up to `largest`. */
export function wordBytesFor(largest: number): WordBytes {
  for (const bytes of [4, 5, 6] as const) if (2 ** (8 * bytes - 1) > largest) return bytes;
  throw new WordSizeError(largest);
}

/**
 * Words as bytes: first the low 32 bits of all words, little-endian, then the high 0, 8 or 16 bits of all of
 * them (of words modulo q, 32). Both planes can be read as typed arrays, so that masking and adding cost
 * about a nanosecond a word.
 */
interface Planes {
  readonly low: Uint32Array;
  readonly high: Uint8Array | Uint16Array | Uint32Array | undefined;
}

const littleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** Views into `bytes`, which is copied only where its memory is not aligned. O(1) or O(bytes). */
function planesOf(bytes: Uint8Array, count: number, size: WordBytes): Planes {
  if (!littleEndian) throw new TypeError('Words are little-endian; this host is not.');
  if (bytes.length !== count * size)
    throw new RangeError(`${count} words of ${size} bytes are ${count * size} bytes, not ${bytes.length}.`);
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const { buffer, byteOffset } = aligned;
  const low = new Uint32Array(buffer, byteOffset, count);
  const at = byteOffset + 4 * count;
  switch (size) {
    case 4:
      return { low, high: undefined };
    case 5:
      return { low, high: new Uint8Array(buffer, at, count) };
    case 6:
      return { low, high: new Uint16Array(buffer, at, count) };
    case 8:
      return { low, high: new Uint32Array(buffer, at, count) };
  }
}

const HIGH = 2 ** 32;

/** Whole numbers (|value| < 2^52) as words. O(n). */
export function packWords(values: Float64Array, size: WordBytes): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(values.length * size);
  const { low, high } = planesOf(bytes, values.length, size);
  for (let k = 0; k < values.length; k++) {
    const value = size === 8 && values[k] < 0 ? values[k] - BELOW : values[k];
    // ToUint32 and the typed arrays' own conversions take whole numbers modulo 2^32, 2^16 and 2^8, negative
    // ones too.
    low[k] = value;
    if (high !== undefined) high[k] = Math.floor(value / HIGH);
  }
  return bytes;
}

/** Packed words as whole numbers in [−2^(8·size−1), 2^(8·size−1)); those nearest to 0. O(n). */
export function unpackWords(bytes: Uint8Array, size: WordBytes): Float64Array {
  const { low, high } = planesOf(bytes, bytes.length / size, size);
  return signed(low, high, size);
}

type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

function signed(low: Numbers, high: Numbers | undefined, size: WordBytes): Float64Array {
  const values = new Float64Array(low.length);
  if (size === 8) {
    for (let k = 0; k < values.length; k++)
      values[k] = high![k] < HIGH / 2 ? low[k] + HIGH * high![k] : low[k] - 1 + HIGH * (high![k] - BELOW);
    return values;
  }
  const modulus = 2 ** (8 * size);
  const half = modulus / 2;
  for (let k = 0; k < values.length; k++) {
    const value = high === undefined ? low[k] : low[k] + HIGH * high[k];
    values[k] = value >= half ? value - modulus : value;
  }
  return values;
}

/** Running sums of words; folding a report costs two additions a word. */
export class WordSums {
  readonly size: WordBytes;
  readonly #low: Float64Array;
  readonly #high: Float64Array | undefined;
  /** Additions since the last reduction; 2^20 of them stay below 2^53. */
  #added = 0;

  constructor(count: number, size: WordBytes) {
    this.size = size;
    this.#low = new Float64Array(count);
    this.#high = size === 4 ? undefined : new Float64Array(count);
  }

  get length(): number {
    return this.#low.length;
  }

  /** Adds packed words. O(n). */
  add(bytes: Uint8Array): void {
    const { low, high } = planesOf(bytes, this.length, this.size);
    const sums = this.#low;
    for (let k = 0; k < sums.length; k++) sums[k] += low[k];
    const highSums = this.#high;
    if (high !== undefined && highSums !== undefined)
      for (let k = 0; k < highSums.length; k++) highSums[k] += high[k];
    if (++this.#added === 2 ** 20) this.#reduce();
  }

  /** Adds numbers modulo q to words of 8 bytes. O(n). */
  addNumbers(numbers: BigUint64Array, begin: number): void {
    const halves = new Uint32Array(numbers.buffer, numbers.byteOffset, 2 * numbers.length);
    for (let k = 0; k < numbers.length; k++) {
      this.#low[begin + k] += halves[2 * k];
      this.#high![begin + k] += halves[2 * k + 1];
    }
    if (++this.#added === 2 ** 20) this.#reduce();
  }

  /** Adds whole numbers, |value| < 2^52, from word `begin` on: noise. O(values). */
  addValues(values: Float64Array, begin: number): void {
    this.#reduce();
    const high = this.#high;
    for (let k = 0; k < values.length; k++) {
      const value = values[k];
      this.#low[begin + k] += value - HIGH * Math.floor(value / HIGH);
      if (high !== undefined) high[begin + k] += Math.floor(value / HIGH);
    }
    this.#reduce();
  }

  /** The sums as packed words. */
  words(): Uint8Array<ArrayBuffer> {
    this.#reduce();
    const bytes = new Uint8Array(this.length * this.size);
    const { low, high } = planesOf(bytes, this.length, this.size);
    low.set(this.#low);
    if (high !== undefined && this.#high !== undefined) high.set(this.#high);
    return bytes;
  }

  /** The sums as whole numbers in [−2^(8·size−1), 2^(8·size−1)). */
  values(): Float64Array {
    this.#reduce();
    return signed(this.#low, this.#high, this.size);
  }

  #reduce(): void {
    if (this.size === 8) {
      this.#reducePrime();
      return;
    }
    const high = this.#high;
    const highModulus = 2 ** (8 * this.size - 32);
    for (let k = 0; k < this.#low.length; k++) {
      const carry = Math.floor(this.#low[k] / HIGH);
      this.#low[k] -= carry * HIGH;
      if (high !== undefined) {
        const value = high[k] + carry;
        high[k] = value - highModulus * Math.floor(value / highModulus);
      }
    }
    this.#added = 0;
  }

  /** Modulo q: 2^64 is 2^32 − 1. */
  #reducePrime(): void {
    const [low, high] = [this.#low, this.#high!];
    for (let k = 0; k < low.length; k++) {
      for (;;) {
        const carry = Math.floor(low[k] / HIGH);
        low[k] -= carry * HIGH;
        high[k] += carry;
        const over = Math.floor(high[k] / HIGH);
        if (over === 0) break;
        high[k] += over - over * HIGH;
        low[k] -= over;
      }
      if (high[k] === BELOW && low[k] > 0) {
        low[k] -= 1;
        high[k] = 0;
      }
    }
    this.#added = 0;
  }
}

/**
 * `count` words that nobody can tell from uniform ones without the seed: AES-256-CTR with the seed as key,
 * from counter 0. A seed is used for one expansion only, so that no counter meets a key twice.
 */
export async function expandSeed(
  seed: Uint8Array,
  count: number,
  size: WordBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  if (seed.length !== 32) throw new RangeError(`A seed has 32 bytes, not ${seed.length}.`);
  return hostKeyStream(seed, count * size);
}

/**
 * Splits packed words into shares that add up to them: one for each seed (its expansion), and what is left.
 * Without one of the seeds all other shares together are uniform, whatever the words were. O(n · seeds).
 */
export async function maskWords(
  words: Uint8Array<ArrayBuffer>,
  size: WordBytes,
  seeds: readonly Uint8Array[],
): Promise<Uint8Array<ArrayBuffer>> {
  const count = words.length / size;
  const left = words.slice();
  const { low, high } = planesOf(left, count, size);
  for (const seed of seeds) {
    const mask = planesOf(await expandSeed(seed, count, size), count, size);
    for (let k = 0; k < count; k++) {
      const borrow = low[k] < mask.low[k] ? 1 : 0;
      low[k] -= mask.low[k];
      if (high !== undefined) high[k] -= mask.high![k] + borrow;
    }
  }
  return left;
}
