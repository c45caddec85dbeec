import { availableParallelism } from 'node:os';
import { WorkerPool } from '@hushrec/numerics';
import type { Histories } from '@hushrec/ratings';
import { type ListsAsked, type PeopleBlock, peopleRanker, type RankedBlock } from './rank-people.js';

/** People whose lists are made, and written, together. */
const peoplePerBlock = 256;

const module = new URL('../../dist/lists/rank-people.js', import.meta.url);
const open = { module, exportName: 'openRankerInThread' };
const rank = { module, exportName: 'rankInThread' };

/** Lists of some people, and who is the first of them. */
export interface RankedPeople extends RankedBlock {
  readonly first: number;
}

/**
 * Lists for everyone in order, block by block: no more than two blocks a thread are in memory. The same for
 * every number of threads.
 *
 * @param indexOf item index of the model for each item of the histories; −1 where it does not know it
 */
export async function* rankEveryone(
  histories: Histories,
  indexOf: Int32Array,
  asked: ListsAsked,
  threads = availableParallelism(),
): AsyncGenerator<RankedPeople> {
  const firsts = Array.from(
    { length: Math.ceil(histories.userIds.length / peoplePerBlock) },
    (_, block) => block * peoplePerBlock,
  );
  const used = Math.min(threads, firsts.length);
  if (used <= 1) {
    const ranker = peopleRanker(asked);
    for (const first of firsts) {
      yield { first, ...ranker(blockOf(histories, indexOf, first)) };
      await new Promise(setImmediate); // Ctrl-C is heard between blocks.
    }
    return;
  }
  const pool = new WorkerPool(used);
  try {
    await pool.runOnEach(open, asked);
    const started: Promise<RankedPeople>[] = [];
    const begin = (first: number) => {
      const block = pool.run(rank, blockOf(histories, indexOf, first));
      const ranked = block.then((lists) => ({ first, ...(lists as RankedBlock) }));
      ranked.catch(() => {}); // It is thrown where it is awaited.
      started.push(ranked);
    };
    let next = 0;
    while (next < firsts.length || started.length > 0) {
      while (next < firsts.length && started.length < 2 * used) begin(firsts[next++]);
      yield await started.shift()!;
    }
  } finally {
    await pool.close();
  }
}

function blockOf(
  { userIds, offsets, items, rating }: Histories,
  indexOf: Int32Array,
  first: number,
): PeopleBlock {
  const end = Math.min(first + peoplePerBlock, userIds.length);
  const start = offsets[first];
  const count = offsets[end] - start;
  return {
    offsets: offsets.slice(first, end + 1).map((row) => row - start),
    items: Int32Array.from({ length: count }, (_, row) => indexOf[items[start + row]]),
    ratings: Float64Array.from({ length: count }, (_, row) => rating(start + row)),
  };
}
