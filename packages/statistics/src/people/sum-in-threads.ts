import { type Csr, type Engine, sharedFloat32, sharedUint32 } from '@hushrec/numerics';
import { evenCuts, peopleBetween } from './cut-shares.js';
import { addSums, zeroSums } from './exact-totals.js';
import type { PersonStatistic, SumRoom, SumShape } from './people.js';
import type { SharesPayload } from './share-task.js';
import { isKnownToThreads } from './statistics.js';

// From src/ and from dist/ alike: threads run the compiled file.
const task = {
  module: new URL('../../dist/people/share-task.js', import.meta.url),
  exportName: 'addShares',
};

/** Fewer ratings are summed before a thread would have woken up. */
const WORTH_THREADS = 100_000;

/** Some people, and the number of the first of them among all. */
export interface Dealt {
  readonly rows: Csr;
  readonly first: number;
}

/** Whether a statistic over so many ratings is dealt out to the engine's threads. */
export function dealsOut(
  engine: Engine,
  statistic: PersonStatistic<never>,
  ratings: number,
  threadsFrom = WORTH_THREADS,
): boolean {
  return (
    engine.pool !== undefined &&
    statistic.parallel === 'shares' &&
    ratings >= threadsFrom &&
    isKnownToThreads(statistic)
  );
}

/** People in at most `count` groups of about as many ratings each, in order. Entries stay in place. */
export function deal({ rows, first }: Dealt, count: number): Dealt[] {
  const cuts = evenCuts(rows, count);
  return cuts
    .slice(0, -1)
    .map((begin, at) => ({ rows: peopleBetween(rows, begin, cuts[at + 1]), first: first + begin }));
}

/**
 * Sums of groups of people in the engine's threads.
 *
 * @param shares in shared memory
 * @param rooms memory for the sums of each group, used again by the next call with the same
 */
export async function sumInThreads<Names extends string>(
  engine: Engine,
  statistic: string,
  published: unknown,
  shapes: Readonly<Record<Names, SumShape>>,
  shares: readonly Dealt[],
  rooms: readonly SumRoom[] = [],
): Promise<Record<Names, Float64Array>> {
  const pool = engine.pool!;
  const parts = shares.map((_, at) => zeroSums(shapes, rooms[at]));
  const payload: SharesPayload = {
    statistic,
    published,
    kernel: engine.kernel,
    threads: pool.size,
    shares: shares.map(({ rows }, at) => ({
      rows,
      into: parts[at] as Readonly<Record<string, Float64Array>>,
    })),
  };
  await pool.runOnEach(task, payload);
  const [totals = zeroSums(shapes), ...others] = parts;
  for (const part of others) addSums(totals, part);
  return totals;
}

/** The same rows where threads can read them; arrays that are there already are used as they are. */
export function inSharedMemory(rows: Csr): Csr {
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
