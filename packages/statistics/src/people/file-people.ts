import type { BlockSource, Engine } from '@hushrec/numerics';
import { type CoinKeys, PeopleNames } from '@hushrec/privacy';
import type { RatingScale } from '@hushrec/ratings';
import { requireDistinctItems } from '../contributions.js';
import { addSums, protectedSums, zeroSums } from './exact-totals.js';
import { type People, SumError, SumRoom } from './people.js';
import { deal, dealsOut, inSharedMemory, sumInThreads } from './sum-in-threads.js';

/** Of the memory of a process: Node with its compiled code and threads. */
const ALWAYS_TAKEN = 320 * 2 ** 20;
/**
 * A rating of a block, the one that is read meanwhile, what statistics make of it, and what waits to be
 * collected.
 */
const BYTES_A_RATING = 400;
/** More does not make it faster. */
const MOST_RATINGS = 4_000_000;
/** Fewer would make every sum of a large catalogue a matter of adding up blocks. */
const FEWEST_RATINGS = 50_000;

/** What `FilePeople` takes at least, whatever the method. */
export const LEAST_MEMORY = ALWAYS_TAKEN + FEWEST_RATINGS * BYTES_A_RATING;

/**
 * How many ratings a block may have so that training takes about this much memory, the items' own vectors and
 * sums left aside: those are the same wherever people are. Measured, not proved: `npm run bench -- large`.
 */
export function ratingsPerBlock(memoryBytes: number): number {
  const fitting = Math.floor((memoryBytes - ALWAYS_TAKEN) / BYTES_A_RATING);
  return Math.max(FEWEST_RATINGS, Math.min(MOST_RATINGS, fitting));
}

/**
 * Everyone's ratings in blocks of whole people that are read when they are wanted (`openRowFiles`), one after
 * the other: memory for two blocks, the one that is summed and the one that is read meanwhile. Nothing is
 * kept between sums, so a statistic whose people carry something along makes it again every time.
 */
export class FilePeople implements People {
  readonly itemCount: number;
  readonly scale: RatingScale;
  readonly #source: BlockSource;
  readonly #engine: Engine;
  readonly #names: PeopleNames;

  /** @param ids of all people in order, which name their coins; without them people are numbered */
  constructor(source: BlockSource, scale: RatingScale, engine: Engine, ids?: Iterable<string>) {
    this.itemCount = source.columnCount;
    this.scale = scale;
    this.#source = source;
    this.#engine = engine;
    this.#names = new PeopleNames(source.rowCount, ids);
  }

  /**
   * @throws SumError where blocks are missing or come twice, DuplicateRatingError where someone rated an item
   * twice
   */
  readonly sum: People['sum'] = async (statistic, published, signal, room) => {
    const engine = this.#engine;
    const shapes = statistic.shapes(published, this.itemCount);
    const totals = zeroSums(shapes, room);
    const rooms = Array.from({ length: engine.pool?.size ?? 1 }, () => new SumRoom());
    let seen = 0;
    let entries = 0;
    for await (const { begin, end, rows } of this.#source.blocks()) {
      signal?.throwIfAborted();
      if (begin !== seen || rows.rowCount !== end - begin)
        throw new SumError(statistic.id, 'blocks of people are missing or come twice.');
      requireDistinctItems(rows);
      if (dealsOut(engine, statistic, rows.indices.length)) {
        const shares = deal({ rows: inSharedMemory(rows), first: begin }, engine.pool!.size);
        addSums(totals, await sumInThreads(engine, statistic.id, published, shapes, shares, rooms));
      } else {
        const into = zeroSums(shapes, rooms[0]);
        const keep = <T>(_name: string, _of: object, make: () => T): T => make();
        const coins = (keys: CoinKeys) => this.#names.coins(keys, begin, rows.rowCount);
        await statistic.add({ rows, engine, coins, keep }, published, into);
        addSums(totals, into);
      }
      seen = end;
      entries += rows.indices.length;
    }
    if (seen !== this.#source.rowCount || entries !== this.#source.entryCount)
      throw new SumError(statistic.id, 'blocks of people are missing.');
    return protectedSums(statistic.id, shapes, totals);
  };
}
