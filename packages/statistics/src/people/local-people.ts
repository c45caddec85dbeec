import { type Csr, type Engine, sharedFloat32, sharedUint32 } from '@hushrec/numerics';
import type { RatingMatrix, RatingScale } from '@hushrec/ratings';
import { requireDistinctItems } from '../contributions.js';
import type { GridSums } from '../grid-sums.js';
import { evenCuts, peopleBetween } from './cut-shares.js';
import { addSums, protectedSums, zeroSums } from './exact-totals.js';
import type { People, PersonStatistic, SumRoom } from './people.js';
import type { SharesPayload } from './share-task.js';
import { isKnownStatistic } from './statistics.js';

// From src/ and from dist/ alike: threads run the compiled file.
const task = {
  module: new URL('../../dist/people/share-task.js', import.meta.url),
  exportName: 'addShares',
};

/** Fewer ratings are summed before a thread would have woken up. */
const WORTH_THREADS = 100_000;

export interface LocalPeopleOptions {
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
  readonly #shares: readonly {
    readonly rows: Csr;
    readonly first: number;
    readonly kept: Map<string, Kept>;
  }[];
  readonly #all: Csr;
  readonly #keep: boolean;
  readonly #threadsFrom: number;
  #forThreads: readonly { readonly rows: Csr; readonly first: number }[] | undefined;

  /** @throws DuplicateRatingError where someone rated an item twice, or rows are not in order */
  constructor(
    ratings: Pick<RatingMatrix, 'itemCount' | 'scale' | 'byUser'>,
    engine: Engine,
    options: LocalPeopleOptions = {},
  ) {
    requireDistinctItems(ratings.byUser);
    this.itemCount = ratings.itemCount;
    this.scale = ratings.scale;
    this.#engine = engine;
    this.#all = ratings.byUser;
    this.#keep = options.keep ?? true;
    this.#threadsFrom = options.threadsFrom ?? WORTH_THREADS;
    this.#shares = cut(ratings.byUser, options.shares ?? 1).map((share) => ({ ...share, kept: new Map() }));
  }

  async sum<Published, Names extends string>(
    statistic: PersonStatistic<Published, Names>,
    published: Published,
    signal?: AbortSignal,
    room?: SumRoom,
  ): Promise<Readonly<Record<Names, GridSums>>> {
    signal?.throwIfAborted();
    const shapes = statistic.shapes(published, this.itemCount);
    const { pool } = this.#engine;
    const inThreads =
      pool !== undefined &&
      statistic.parallel === 'shares' &&
      this.#all.indices.length >= this.#threadsFrom &&
      isKnownStatistic(statistic.id);
    if (inThreads) {
      const parts = await this.#sumInThreads(statistic.id, published, () => zeroSums(shapes));
      const totals = parts[0]!;
      for (const part of parts.slice(1)) addSums(totals, part);
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
        if (this.#keep) kept.set(name, { of, value });
        return value;
      };
      const into = alone ? totals : zeroSums(shapes);
      await statistic.add({ rows, first, engine: this.#engine, keep }, published, into);
      if (!alone) addSums(totals, into);
    }
    return protectedSums(statistic.id, shapes, totals);
  }

  async #sumInThreads<Sums>(statistic: string, published: unknown, room: () => Sums): Promise<Sums[]> {
    const pool = this.#engine.pool!;
    this.#forThreads ??= cut(inSharedMemory(this.#all), pool.size);
    const parts = this.#forThreads.map(room);
    const payload: SharesPayload = {
      statistic,
      published,
      kernel: this.#engine.kernel,
      threads: pool.size,
      shares: this.#forThreads.map((share, at) => ({
        ...share,
        into: parts[at] as Readonly<Record<string, Float64Array>>,
      })),
    };
    await pool.runOnEach(task, payload);
    return parts;
  }
}

function cut(rows: Csr, count: number): { readonly rows: Csr; readonly first: number }[] {
  const cuts = evenCuts(rows, count);
  return cuts
    .slice(0, -1)
    .map((begin, at) => ({ rows: peopleBetween(rows, begin, cuts[at + 1]!), first: begin }));
}

/** The same rows where threads can read them; arrays that are there already are used as they are. */
function inSharedMemory(rows: Csr): Csr {
  return {
    ...rows,
    offsets: shared(rows.offsets, sharedUint32),
    indices: shared(rows.indices, sharedUint32),
    values: shared(rows.values, sharedFloat32),
  };
}

function shared<T extends Uint32Array | Float32Array>(array: T, make: (length: number) => T): T {
  if (!(array.buffer instanceof ArrayBuffer)) return array;
  const copy = make(array.length);
  copy.set(array);
  return copy;
}
