import type { SigningKey } from '@hushrec/model/signing';
import type { RatingMatrix } from '@hushrec/ratings';
import { Aggregator } from './aggregator.js';
import type { AggregatorPort } from './aggregator-port.js';
import { Board } from './board.js';
import { toHex } from './bytes.js';
import type { SignedCharter } from './charter.js';
import { coordinateRun } from './coordinate-run.js';
import { type DurableFolder, MemoryFolder } from './durable-folder.js';
import type { PublicKnowledge } from './participant.js';
import type { LogReader } from './release-log.js';
import { scheduleOf } from './schedule.js';
import { takePart } from './take-part.js';

export class Crash extends Error {
  override readonly name = 'Crash';
}

/** When the process dies at a durable step: before it, after it, or (appends) half-way. */
export type How = 'before' | 'after' | 'half-way';

/** Counts the durable steps of all roles and kills the one that makes step `at`. */
export class Reaper {
  steps = 0;
  readonly at: number;
  readonly how: How;
  constructor(at = -1, how: How = 'before') {
    this.at = at;
    this.how = how;
  }
}

/** A process's view of its folder. Once it is dead nothing it still wants to do happens. */
export function mortal(folder: MemoryFolder, reaper: Reaper): DurableFolder {
  let dead = false;
  const step = async <T>(
    act: () => Promise<T>,
    half: () => Promise<unknown> = async () => undefined,
  ): Promise<T> => {
    if (dead) throw new Crash();
    const mine = reaper.steps++ === reaper.at;
    if (mine && reaper.how !== 'after') {
      dead = true;
      if (reaper.how === 'half-way') await half();
      throw new Crash();
    }
    const result = await act();
    if (mine) {
      dead = true;
      throw new Crash();
    }
    return result;
  };
  const alive = <T>(act: () => Promise<T>): Promise<T> => (dead ? Promise.reject(new Crash()) : act());
  return {
    read: (name) => alive(() => folder.read(name)),
    readRange: (...given) => alive(() => folder.readRange(...given)),
    list: (prefix) => alive(() => folder.list(prefix)),
    write: (name, bytes) => step(() => folder.write(name, bytes)),
    create: (name, bytes) => step(() => folder.create(name, bytes)),
    append: (name, bytes) =>
      step(
        () => folder.append(name, bytes),
        () => folder.append(name, bytes.subarray(0, Math.floor(bytes.length / 2))),
      ),
    remove: (name) => step(() => folder.remove(name)),
  };
}

/** Starts a role again as often as it dies. */
async function revived<T>(live: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await live();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
  }
}

export interface Cast {
  readonly signed: SignedCharter;
  readonly keys: readonly SigningKey[];
  readonly shares: readonly RatingMatrix[];
  readonly knowledge: PublicKnowledge;
}

/**
 * A whole run in which the reaper strikes once. Gives all sums, and everything each aggregator ever
 * published.
 */
export async function runWithCrash(cast: Cast, reaper: Reaper) {
  const { signed, keys, shares, knowledge } = cast;
  const { charter } = signed;
  const boardFolder = new MemoryFolder();
  let board = await Board.open(boardFolder);
  const log: LogReader = {
    peek: (exchange) => board.peek(exchange),
    entry: async (exchange) => {
      for (;;) {
        const entry = await board.peek(exchange);
        if (entry !== undefined) return entry;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
  };
  const published: Set<string>[][] = keys.map(() => []);
  const ports = keys.map((key, index): AggregatorPort => {
    const folder = new MemoryFolder();
    const open = () =>
      Aggregator.open(charter, mortal(folder, reaper), {
        index,
        key,
        secret: new Uint8Array(32).fill(index + 1),
        verifyKey: new Uint8Array(32),
      });
    let current: Promise<Aggregator> | undefined;
    const ask = <T>(act: (aggregator: Aggregator) => Promise<T>): Promise<T> =>
      revived(async () => {
        current ??= open();
        const mine = current;
        try {
          return await act(await mine);
        } catch (error) {
          if (error instanceof Crash && current === mine) current = undefined;
          throw error;
        }
      });
    return {
      put: (...given) => ask((aggregator) => aggregator.put(...given)),
      held: (...given) => ask((aggregator) => aggregator.held(...given)),
      lacking: (...given) => ask((aggregator) => aggregator.lacking(...given)),
      state: (...given) => ask((aggregator) => aggregator.state(...given)),
      fold: (...given) => ask((aggregator) => aggregator.fold(...given)),
      publish: (exchange, set) =>
        ask(async (aggregator) => {
          const words = await aggregator.publish(exchange, set);
          const before = published[index][exchange] ?? new Set();
          published[index][exchange] = before.add(toHex(words));
          return words;
        }),
      look: (...given) => ask((aggregator) => aggregator.look(...given)),
      looks: (...given) => ask((aggregator) => aggregator.looks(...given)),
      vouch: (...given) => ask((aggregator) => aggregator.vouch(...given)),
      judge: (...given) => ask((aggregator) => aggregator.judge(...given)),
      attest: (...given) => ask((aggregator) => aggregator.attest(...given)),
    };
  });
  const trusted = keys.map(({ publicKey }) => publicKey);
  const participants = shares.map((ratings, at) => {
    const folder = new MemoryFolder();
    return revived(() =>
      takePart(
        signed,
        ratings,
        knowledge,
        { trusted, mostEpsilon: charter.plan.epsilon, kept: 'many-people' },
        { aggregators: ports, log },
        {
          folder: mortal(folder, reaper),
          checked: true,
          root: new Uint8Array(32).map((_, byte) => byte + at),
        },
      ),
    );
  });
  const coordinator = revived(async () => {
    board = await Board.open(mortal(boardFolder, reaper) as MemoryFolder);
    await coordinateRun(charter, ports, board, scheduleOf(charter, log, knowledge), { pollMilliseconds: 1 });
  });
  const [, ...took] = await Promise.all([coordinator, ...participants]);
  const sums: string[] = [];
  for (let exchange = 0; exchange < charter.exchanges.length; exchange++)
    sums.push(toHex((await log.peek(exchange))!.sums));
  const zeros = took.flatMap(({ zerosBecause }) => zerosBecause ?? []);
  return { sums, published, zeros, models: took.map(({ result }) => result.model) };
}
