import type { WordStream } from '../random/word-stream.js';

/** Columns of a table that is not told otherwise: 13 bits of a word choose one, the other 19 are compared with its threshold. */
export const COLUMN_BITS = 13;
export const COLUMNS = 1 << COLUMN_BITS;
const THRESHOLD_BITS = 192n;

/** How far the law of one draw is from the weights it was given, in total variation: 2^b roundings of 2^-(192 + b). */
export const ALIAS_DISTANCE = 2 ** -190;

/**
 * Walker's alias method for a law on 0 … 2^b − 1, made in integers (Vose's construction): every column c keeps itself with
 * probability t_c / 2^192 and otherwise yields its alias. One 32-bit word decides, b bits choosing the column, except when its
 * 32 − b high bits equal the first ones of the threshold (probability 2^(b − 32) in every column, so the extra time says
 * nothing about the value); then the threshold's other 160 + b bits do. No rejection: the number of words does not depend
 * on what is drawn.
 */
export class AliasTable {
  /** threshold's first 32 − b bits << b | alias; shared between threads where the host can. */
  readonly packed: Uint32Array;
  readonly columnBits: number;
  readonly #mask: number;
  readonly #lowBits: bigint;
  readonly #low: readonly bigint[];

  /** `weights`: at most 2^columnBits integers ≥ 0, not all 0. Law: weight over sum. */
  constructor(weights: readonly bigint[], columnBits: number = COLUMN_BITS) {
    const columns = 1 << columnBits;
    if (weights.length > columns)
      throw new RangeError(`An alias table holds ${columns} values; got ${weights.length}.`);
    const total = weights.reduce((sum, weight) => sum + weight, 0n);
    if (total <= 0n) throw new RangeError('An alias table needs a positive weight.');
    const lowBits = THRESHOLD_BITS - 32n + BigInt(columnBits);
    const full = 1n << THRESHOLD_BITS;
    // Share of each value in units where one column holds `full`; what rounding down loses goes to the largest.
    const share = Array.from({ length: columns }, (_, i) =>
      i < weights.length ? (weights[i]! << (THRESHOLD_BITS + BigInt(columnBits))) / total : 0n,
    );
    const lost = (full << BigInt(columnBits)) - share.reduce((sum, each) => sum + each, 0n);
    let largest = 0;
    for (let i = 1; i < columns; i++) if (share[i]! > share[largest]!) largest = i;
    share[largest]! += lost;

    const bytes = 4 * columns;
    this.packed = new Uint32Array(
      typeof SharedArrayBuffer === 'function' ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes),
    );
    const low = new Array<bigint>(columns).fill(0n);
    const set = (column: number, threshold: bigint, alias: number): void => {
      // A full column is its own alias, so that its threshold fits in the word.
      const own = threshold === full;
      this.packed[column] = own ? column : (Number(threshold >> lowBits) * columns + alias) >>> 0;
      low[column] = own ? 0n : threshold & ((1n << lowBits) - 1n);
    };
    const small: number[] = [];
    const large: number[] = [];
    for (let i = 0; i < columns; i++) (share[i]! < full ? small : large).push(i);
    while (small.length > 0) {
      const column = small.pop()!;
      const giver = large[large.length - 1]!;
      set(column, share[column]!, giver);
      share[giver]! -= full - share[column]!;
      if (share[giver]! < full) small.push(large.pop()!);
    }
    for (const column of large) set(column, full, column);
    this.columnBits = columnBits;
    this.#mask = columns - 1;
    this.#lowBits = lowBits;
    this.#low = low;
  }

  /** One draw from one uniform word, the last that the stream handed out. */
  draw(word: number, stream: WordStream): number {
    const column = word & this.#mask;
    const entry = this.packed[column]!;
    const bits = word >>> this.columnBits;
    const threshold = entry >>> this.columnBits;
    if (bits !== threshold) return bits < threshold ? column : entry & this.#mask;
    return stream.tieBreaker() >> (512n - this.#lowBits) < this.#low[column]! ? column : entry & this.#mask;
  }

  /**
   * The law of a draw, exactly: numerators over 2^(192 + columnBits). For verification; it differs from the weights given to the
   * constructor by what rounding moved to the largest one.
   */
  law(): bigint[] {
    const columns = this.packed.length;
    const law = new Array<bigint>(columns).fill(0n);
    const full = 1n << THRESHOLD_BITS;
    for (let column = 0; column < columns; column++) {
      const entry = this.packed[column]!;
      const alias = entry & this.#mask;
      const threshold = (BigInt(entry >>> this.columnBits) << this.#lowBits) | this.#low[column]!;
      law[column]! += threshold;
      law[alias]! += full - threshold;
    }
    return law;
  }
}
