import { type Csr, createEngine, type Engine, type EngineOptions } from '@hushrec/numerics';
import { statisticById } from './statistics.js';

/**
 * Shares of people for all threads: thread t takes shares t, t + threads, … and writes their sums where it is
 * told.
 */
export interface SharesPayload {
  readonly statistic: string;
  readonly published: unknown;
  readonly kernel: NonNullable<EngineOptions['kernel']>;
  readonly threads: number;
  readonly shares: readonly {
    readonly rows: Csr;
    readonly into: Readonly<Record<string, Float64Array>>;
  }[];
}

let own: { readonly kernel: string; readonly engine: Promise<Engine> } | undefined;

/** Task of every thread. Nothing is kept between calls. */
export async function addShares(payload: SharesPayload, thread: number): Promise<void> {
  const { published, kernel, threads, shares } = payload;
  const statistic = statisticById(payload.statistic);
  if (own?.kernel !== kernel) own = { kernel, engine: createEngine({ threads: 1, kernel }) };
  const engine = await own.engine;
  for (let at = thread; at < shares.length; at += threads) {
    const { rows, into } = shares[at];
    await statistic.add(
      { rows, engine, coins: noCoins, keep: (_name, _of, make) => make() },
      published,
      into,
    );
  }
}

function noCoins(): never {
  throw new TypeError('A statistic that tosses coins must not be dealt out to threads.');
}
