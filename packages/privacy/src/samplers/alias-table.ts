import type { WordStream } from '../random/word-stream.js';

/** 2^13 columns: 13 bits of a word choose the column, the other 19 are compared with its threshold. */
export const COLUMN_BITS = 13;
export const COLUMNS = 1 << COLUMN_BITS;
const MASK = COLUMNS - 1;
const HIGH_BITS = 19n;
/** Bits of a threshold beyond the first 19, looked at only when those are equal. */
const LOW_BITS = 173n;
const THRESHOLD_BITS = HIGH_BITS + LOW_BITS;

/** How far the law of one draw is from the weights it was given, in total variation: 2^13 roundings of 2^-205. */
export const ALIAS_DISTANCE = 2 ** -190;

/**
 * Walker's alias method for a law on 0 … 8191, made in integers (Vose's construction): every column c keeps itself
 * with probability t_c / 2^192 and otherwise yields its alias. One 32-bit word decides, except when its 19 high bits
 * equal the first 19 of the threshold (probability 2^-19 in every column, so the extra time says nothing about the
 * value); then 173 further bits do. No rejection: the number of words does not depend on what is drawn.
 */
export class AliasTable {
  /** threshold's first 19 bits << 13 | alias. */
  readonly packed: Uint32Array;
  readonly #low: readonly bigint[];

  /** `weights`: at most 8192 integers ≥ 0, not all 0. Law: weight over sum. */
  constructor(weights: readonly bigint[]) {
    if (weights.length > COLUMNS)
      throw new RangeError(`An alias table holds ${COLUMNS} values; got ${weights.length}.`);
    const total = weights.reduce((sum, weight) => sum + weight, 0n);
    if (total <= 0n) throw new RangeError('An alias table needs a positive weight.');
    const full = 1n << THRESHOLD_BITS;
    // Share of each value in units where one column holds `full`; what rounding down loses goes to the largest.
    const share = Array.from({ length: COLUMNS }, (_, i) =>
      i < weights.length ? (weights[i]! << (THRESHOLD_BITS + BigInt(COLUMN_BITS))) / total : 0n,
    );
    const lost = (full << BigInt(COLUMN_BITS)) - share.reduce((sum, each) => sum + each, 0n);
    let largest = 0;
    for (let i = 1; i < COLUMNS; i++) if (share[i]! > share[largest]!) largest = i;
    share[largest]! += lost;

    this.packed = new Uint32Array(COLUMNS);
    const low = new Array<bigint>(COLUMNS).fill(0n);
    const set = (column: number, threshold: bigint, alias: number): void => {
      // A full column is its own alias, so that its threshold fits in 19 bits.
      const own = threshold === full;
      this.packed[column] = own ? column : (Number(threshold >> LOW_BITS) * COLUMNS + alias) >>> 0;
      low[column] = own ? 0n : threshold & ((1n << LOW_BITS) - 1n);
    };
    const small: number[] = [];
    const large: number[] = [];
    for (let i = 0; i < COLUMNS; i++) (share[i]! < full ? small : large).push(i);
    while (small.length > 0) {
      const column = small.pop()!;
      const giver = large[large.length - 1]!;
      set(column, share[column]!, giver);
      share[giver]! -= full - share[column]!;
      if (share[giver]! < full) small.push(large.pop()!);
    }
    for (const column of large) set(column, full, column);
    this.#low = low;
  }

  /** One draw from one uniform word. */
  draw(word: number, stream: WordStream): number {
    const column = word & MASK;
    const entry = this.packed[column]!;
    const bits = word >>> COLUMN_BITS;
    const threshold = entry >>> COLUMN_BITS;
    if (bits === threshold) return this.breakTie(column, stream);
    return bits < threshold ? column : entry & MASK;
  }

  /**
   * The law of a draw, exactly: numerators over 2^205. For verification; it differs from the weights given to the
   * constructor by what rounding moved to the largest one.
   */
  law(): bigint[] {
    const law = new Array<bigint>(COLUMNS).fill(0n);
    const full = 1n << THRESHOLD_BITS;
    for (let column = 0; column < COLUMNS; column++) {
      const entry = this.packed[column]!;
      const alias = entry & MASK;
      const threshold = (BigInt(entry >>> COLUMN_BITS) << LOW_BITS) | this.#low[column]!;
      law[column]! += threshold;
      law[alias]! += full - threshold;
    }
    return law;
  }

  /** Decides a draw whose 19 bits equal those of the column's threshold. */
  breakTie(column: number, stream: WordStream): number {
    const bits = stream.tieBreaker() >> (512n - LOW_BITS);
    return bits < this.#low[column]! ? column : this.packed[column]! & MASK;
  }
}
