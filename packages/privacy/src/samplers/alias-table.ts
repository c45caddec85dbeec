import type { WordStream } from '../random/word-stream.js';

/**
 * Columns of a table that is not told otherwise: 13 bits of a word choose one, the other 19 are compared with
 * its threshold.
 */
export const COLUMN_BITS = 13;
export const COLUMNS = 1 << COLUMN_BITS;
/**
 * The law of one draw is then within 2^-190 of the weights it was given, in total variation: 2^b roundings of
 * 2·2^-(192 + b).
 */
const THRESHOLD_BITS = 192n;

/**
 * Walker's alias method for a law on 0 … 2^b − 1, made in integers (Vose's construction): every column c
 * keeps itself with probability t_c / 2^192 and otherwise yields its alias. One 32-bit word decides, b bits
 * choosing the column, except when its 32 − b high bits equal the first ones of the threshold (probability
 * 2^(b − 32) in every column, so the extra time says nothing about the value); then the threshold's other
 * 160 + b bits do. No rejection: the number of words does not depend on what is drawn.
 */
export class AliasTable {
  /** threshold's first 32 − b bits << b | alias; shared between threads where the host can. */
  readonly packed: Uint32Array;
  readonly columnBits: number;
  readonly #mask: number;
  readonly #lowBits: bigint;
  /** Of 192 bits; 0 for columns that are all alias, or all their own. */
  readonly #thresholds: bigint[];

  /** `weights`: at most 2^columnBits integers ≥ 0, not all 0. Law: weight over sum. */
  constructor(weights: readonly bigint[], columnBits: number = COLUMN_BITS) {
    const columns = 1 << columnBits;
    if (weights.length > columns)
      throw new RangeError(`An alias table holds ${columns} values; got ${weights.length}.`);
    const total = weights.reduce((sum, weight) => sum + weight, 0n);
    if (total <= 0n) throw new RangeError('An alias table needs a positive weight.');
    this.columnBits = columnBits;
    this.#mask = columns - 1;
    this.#lowBits = THRESHOLD_BITS - 32n + BigInt(columnBits);
    this.#thresholds = new Array<bigint>(columns).fill(0n);
    const bytes = 4 * columns;
    this.packed = new Uint32Array(
      typeof SharedArrayBuffer === 'function' ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes),
    );
    this.#fillColumns(sharesOf(weights, total, columnBits));
  }

  /**
   * Vose's construction. Columns without a share of their own are most of a narrow law's: they are served
   * many at a time.
   */
  #fillColumns(share: bigint[]): void {
    const full = 1n << THRESHOLD_BITS;
    const empty: number[] = [];
    const small: number[] = [];
    const large: number[] = [];
    for (let i = 0; i < share.length; i++)
      (share[i] === 0n ? empty : share[i] < full ? small : large).push(i);
    while (empty.length > 0 || small.length > 0) {
      const giver = large[large.length - 1];
      let left = share[giver];
      if (empty.length > 0) {
        const count = Math.min(empty.length, Number(left / full));
        left -= BigInt(count) * full;
        for (const column of empty.splice(-count)) this.packed[column] = giver;
      } else {
        const column = small.pop()!;
        this.#set(column, share[column], giver);
        left -= full - share[column];
      }
      share[giver] = left;
      if (left >= full) continue;
      large.pop();
      (left === 0n ? empty : small).push(giver);
    }
    // A full column is its own alias, so that its threshold fits in the word.
    for (const column of large) this.packed[column] = column;
  }

  #set(column: number, threshold: bigint, alias: number): void {
    this.packed[column] = Number(threshold >> this.#lowBits) * this.packed.length + alias;
    this.#thresholds[column] = threshold;
  }

  /** One draw from one uniform word, the last that the stream handed out. */
  draw(word: number, stream: WordStream): number {
    const column = word & this.#mask;
    const entry = this.packed[column];
    const bits = word >>> this.columnBits;
    const threshold = entry >>> this.columnBits;
    if (bits !== threshold) return bits < threshold ? column : entry & this.#mask;
    const rest = this.#thresholds[column] & ((1n << this.#lowBits) - 1n);
    return stream.tieBreaker() >> (512n - this.#lowBits) < rest ? column : entry & this.#mask;
  }

  /**
   * The law of a draw, exactly: numerators over 2^(192 + columnBits). For verification; it differs from the
   * weights given to the constructor by what rounding moved to the largest one.
   */
  law(): bigint[] {
    const columns = this.packed.length;
    const law = new Array<bigint>(columns).fill(0n);
    const full = 1n << THRESHOLD_BITS;
    for (let column = 0; column < columns; column++) {
      const entry = this.packed[column];
      const alias = entry & this.#mask;
      const threshold = this.#thresholds[column];
      law[column] += threshold;
      law[alias] += full - threshold;
    }
    return law;
  }
}

/**
 * Share of each value in units where one column holds 2^192, rounded down by less than 2; what that loses
 * goes to the largest. One division serves all: weight·⌊2^(n + 192 + b) / total⌋ / 2^n with total < 2^n. Laws
 * are often symmetric, and their halves are computed once.
 */
function sharesOf(weights: readonly bigint[], total: bigint, columnBits: number): bigint[] {
  const columns = 1 << columnBits;
  const whole = 1n << (THRESHOLD_BITS + BigInt(columnBits));
  const bits = BigInt(4 * total.toString(16).length);
  const inverse = (whole << bits) / total;
  const share = new Array<bigint>(columns).fill(0n);
  let lost = whole;
  let largest = 0;
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i];
    if (weight === 0n) continue;
    const mirror = columns - i;
    const known = mirror < i && weights[mirror] === weight;
    share[i] = known ? share[mirror] : (weight * inverse) >> bits;
    lost -= share[i];
    if (weight > weights[largest]) largest = i;
  }
  share[largest] += lost;
  return share;
}
