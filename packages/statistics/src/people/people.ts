import { type Csr, type Engine, sharedFloat64 } from '@hushrec/numerics';
import type { CoinKeys, LineCoins } from '@hushrec/privacy';
import type { PeopleFacts, RatingScale } from '@hushrec/ratings';
import type { GridSums } from '../grid-sums.js';

/** What is known of a sum before anyone is looked at: its length, and how far one person can move it. */
export interface SumShape {
  readonly length: number;
  /**
   * L2 bound on one person's part (of a packed symmetric matrix: Frobenius), in real units. Proved where the
   * statistic is.
   */
  readonly sensitivity: number;
  /** Real units of one whole number. */
  readonly gridStep: number;
}

/** Some people, as a statistic sees them: whole people, in the order of the data. */
export interface PeopleShare {
  /** People by rows, items by columns, ascending within a row. */
  readonly rows: Csr;
  /** What these people say about themselves; absent where only ratings are kept. */
  readonly about?: PeopleFacts;
  readonly engine: Engine;
  /** These people's own coins; the first of them is number 0. */
  coins(keys: CoinKeys): LineCoins;
  /**
   * What `make` gives, or what it gave before for the same name and the very same object `of`; another object
   * forgets it. It must be a pure function of these people's rows and of `of`, something published: whether
   * it is kept or made again must not be seen in any sum. `make` gets what was kept for the object before,
   * whose memory it may use again.
   */
  keep<T>(name: string, of: object, make: (previous?: T) => T): T;
}

/**
 * Sums over people of a pure function of one person's rows and published numbers. No clock, no environment,
 * no randomness but people's own coins. What it adds are whole numbers: sums are then exact in every order,
 * in one thread, many, or on many machines.
 */
export interface PersonStatistic<Published, Names extends string = string> {
  /** For example `item-counts`. Threads and workers find the statistic by it. */
  readonly id: string;
  /**
   * `shares`: most of the work is in loops of its own, and nobody tosses coins, so people are dealt out to
   * threads. `engine`: most of it is in kernels, which have threads themselves.
   */
  readonly parallel: 'shares' | 'engine';
  /** Lengths and bounds of the sums, from public knowledge alone. */
  shapes(published: Published, itemCount: number): Readonly<Record<Names, SumShape>>;
  /** Sums the people's parts, whole numbers, in `into`, which is zero before. */
  add(
    share: PeopleShare,
    published: Published,
    into: Readonly<Record<Names, Float64Array>>,
  ): void | Promise<void>;
}

/** Everyone's ratings, wherever they lie: the only door between a method and raw data. */
export interface People {
  readonly itemCount: number;
  readonly scale: RatingScale;
  /**
   * Exact sums over everyone, which only a mechanism can open; the same bytes for every implementation.
   *
   * @param published numbers that are public or released, and keys of coins of one occurrence: plain data and
   * typed arrays, which can be sent to another process (`encodeQuestion`)
   * @param room memory for the sums, where a caller asks again and again
   * @throws SumError where a sum would not be exact
   */
  sum<Published, Names extends string>(
    statistic: PersonStatistic<Published, Names>,
    published: Published,
    signal?: AbortSignal,
    room?: SumRoom,
  ): Promise<Readonly<Record<Names, GridSums>>>;
}

const room: unique symbol = Symbol('room');

/**
 * Memory of sums, to be used again: whoever passes the same one twice is done with what the first call
 * returned. What is in it is nobody's to read, as it may not be released yet.
 */
export class SumRoom {
  [room]: Record<string, Float64Array> = {};
}

/** Zeros for a sum, in the memory that was given where it is large enough. For implementations. */
export function zerosIn(given: SumRoom | undefined, name: string, length: number): Float64Array {
  const before = given?.[room][name];
  if (before !== undefined && before.length >= length) return before.subarray(0, length).fill(0);
  const zeros = sharedFloat64(length);
  if (given) given[room][name] = zeros;
  return zeros;
}

/** A sum over people is not what was asked for; nothing of it may be released. */
export class SumError extends Error {
  override readonly name = 'SumError';
  readonly statistic: string;
  constructor(statistic: string, why: string) {
    super(`The sums of ${statistic} cannot be used: ${why}`);
    this.statistic = statistic;
  }
}
