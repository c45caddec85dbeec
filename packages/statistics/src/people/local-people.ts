import type { Csr, Engine } from '@hushrec/numerics';
import { type CoinKeys, PeopleNames } from '@hushrec/privacy';
import type { PeopleFacts, RatingMatrix, RatingScale } from '@hushrec/ratings';
import { requireDistinctItems } from '../contributions.js';
import { peopleBetween } from './cut-shares.js';
import { addSums, protectedSums, zeroSums } from './exact-totals.js';
import type { People } from './people.js';
import { type Dealt, deal, dealsOut, inSharedMemory, sumInThreads } from './sum-in-threads.js';

export interface LocalPeopleOptions {
  /** Ids of the people in the rows, which name their coins. Without them rows are numbered. */
  readonly ids?: Iterable<string>;
  /** In how many shares people are dealt out in this thread; sums do not depend on it. For tests. */
  readonly shares?: number;
  /** From how many ratings on people are dealt out to threads. For tests. */
  readonly threadsFrom?: number;
  /** false makes again what could be kept between sums. For tests. */
  readonly keep?: boolean;
}

interface Kept {
  readonly of: object;
  readonly value: unknown;
}

/** Everyone's ratings in the memory of this process, summed in its threads. */
export class LocalPeople implements People {
  readonly itemCount: number;
  readonly scale: RatingScale;
  readonly #engine: Engine;
  readonly #options: LocalPeopleOptions;
  readonly #names: PeopleNames;
  readonly #all: Csr;
  readonly #about: PeopleFacts;
  readonly #shares: readonly (Dealt & { readonly kept: Map<string, Kept> })[];
  #forThreads: readonly Dealt[] | undefined;

  /** @throws DuplicateRatingError where someone rated an item twice, or rows are not in order */
  constructor(
    ratings: Pick<RatingMatrix, 'itemCount' | 'scale' | 'byUser' | 'about'>,
    engine: Engine,
    options: LocalPeopleOptions = {},
  ) {
    requireDistinctItems(ratings.byUser);
    this.itemCount = ratings.itemCount;
    this.scale = ratings.scale;
    this.#engine = engine;
    this.#options = options;
    this.#names = new PeopleNames(ratings.byUser.rowCount, options.ids);
    this.#all = ratings.byUser;
    this.#about = ratings.about ?? nothingSaid(ratings.byUser.rowCount);
    const dealt = deal({ rows: ratings.byUser, first: 0 }, options.shares ?? 1);
    this.#shares = dealt.map((share) => ({ ...share, kept: new Map() }));
  }

  readonly sum: People['sum'] = async (statistic, published, signal, room) => {
    signal?.throwIfAborted();
    const engine = this.#engine;
    const shapes = statistic.shapes(published, this.itemCount);
    if (dealsOut(engine, statistic, this.#all.indices.length, this.#options.threadsFrom)) {
      this.#forThreads ??= deal({ rows: inSharedMemory(this.#all), first: 0 }, engine.pool!.size);
      const totals = await sumInThreads(engine, statistic.id, published, shapes, this.#forThreads);
      return protectedSums(statistic.id, shapes, totals);
    }
    const totals = zeroSums(shapes, room);
    const alone = this.#shares.length === 1;
    for (const { rows, first, kept } of this.#shares) {
      signal?.throwIfAborted();
      const keep = <T>(name: string, of: object, make: (previous?: T) => T): T => {
        const before = kept.get(name);
        if (before?.of === of) return before.value as T;
        const value = before === undefined ? make() : make(before.value as T);
        if (this.#options.keep !== false) kept.set(name, { of, value });
        return value;
      };
      const coins = (keys: CoinKeys) => this.#names.coins(keys, first, rows.rowCount);
      const into = alone ? totals : zeroSums(shapes);
      const { names, byUser } = this.#about;
      const about = { names, byUser: peopleBetween(byUser, first, first + rows.rowCount) };
      await statistic.add({ rows, about, engine, coins, keep }, published, into);
      if (!alone) addSums(totals, into);
    }
    return protectedSums(statistic.id, shapes, totals);
  };
}

function nothingSaid(people: number): PeopleFacts {
  const nothing = { indices: new Uint32Array(0), values: new Float32Array(0) };
  return {
    names: [],
    byUser: { rowCount: people, columnCount: 0, offsets: new Uint32Array(people + 1), ...nothing },
  };
}
