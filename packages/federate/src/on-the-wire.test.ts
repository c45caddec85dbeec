import { generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import type { RatingMatrix } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from './bytes.js';
import { signCard } from './card.js';
import type { SignedCharter } from './charter.js';
import { MemoryFolder } from './durable-folder.js';
import { checkerboard } from './equality.test.data.js';
import type { LogReader } from './release-log.js';
import {
  expandSeed,
  maskWords,
  packWords,
  unpackWords,
  type WordBytes,
  WordSums,
} from './sharing/sharing-words.js';
import { signAsAggregator, smallCharter, smallRatings } from './small-charter.test.data.js';
import { takePart } from './take-part.js';

const items = smallRatings.itemCount;
const none: RatingMatrix = { ...checkerboard(1, items, 1), byUser: emptyRow() };
const few = checkerboard(1, items, 1);
const all = checkerboard(1, items, items);

let engine: Engine;
let keys: SigningKey[];
/** Charters with two and with three aggregators. */
let charters: Map<number, SignedCharter>;
let proved: SignedCharter;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  keys = await Promise.all([0, 1, 2, 3].map(() => generateSigningKey()));
  charters = new Map(await Promise.all([2, 3].map(async (count) => [count, await draft(count)] as const)));
  proved = await draft(2, true);
});
afterAll(() => engine.close());

async function draft(count: number, normProofs = false): Promise<SignedCharter> {
  const own = keys.slice(0, count);
  const signed = await smallCharter(
    keys,
    { engine },
    {
      normProofs,
      coordinator: await signCard({ name: 'board', url: '' }, keys[3]),
      aggregators: await Promise.all(
        own.map((key, at) => signCard({ name: `aggregator ${at}`, url: '' }, key)),
      ),
    },
  );
  return count === 3 ? signAsAggregator(signed, keys[2]) : signed;
}

/** What each aggregator gets from one person at the first exchange. */
async function reportOf(
  own: RatingMatrix,
  aggregators = 2,
  root?: Uint8Array,
  signed = charters.get(aggregators)!,
): Promise<Uint8Array[]> {
  const seen: Uint8Array[] = [];
  const recording = signed.charter.aggregators.map((_, index) => ({
    put: async (_exchange: number, _id: string, _head: string, body: Uint8Array) => {
      seen[index] = body.slice();
      return { status: 201 as const, reason: '' };
    },
  }));
  const stop = new AbortController();
  const log: LogReader = {
    peek: async () => undefined,
    entry: async () => {
      stop.abort(new Error('enough'));
      throw stop.signal.reason;
    },
  };
  const trusted = keys.map(({ publicKey }) => publicKey);
  await takePart(
    signed,
    own,
    { engine },
    { trusted, mostEpsilon: 1000, kept: 'one-person' },
    { aggregators: recording, log },
    { folder: new MemoryFolder(), checked: true, signal: stop.signal, ...(root && { root }) },
  ).catch((error: Error) => expect(error.message).toBe('enough'));
  expect(seen).toHaveLength(aggregators);
  return seen;
}

describe('what is on the wire', () => {
  // χ² with 255 degrees of freedom exceeds 381 with probability below 10⁻⁶.
  const chiSquare = (bytes: readonly Uint8Array[]) => {
    const counts = new Float64Array(256);
    let total = 0;
    for (const part of bytes) {
      for (const byte of part) counts[byte]++;
      total += part.length;
    }
    return counts.reduce((sum, count) => sum + (count - total / 256) ** 2 / (total / 256), 0);
  };

  it('is uniform at each aggregator, whatever somebody rated', async () => {
    for (const [name, own] of Object.entries({ none, few, all })) {
      const reports: Uint8Array[][] = [];
      for (let person = 0; person < 60; person++) reports.push(await reportOf(own));
      for (const index of [0, 1])
        expect(chiSquare(reports.map((report) => report[index])), name).toBeLessThan(381);
    }
    const plain = Array.from({ length: 60 }, () => packWords(new Float64Array(6).fill(3), 5));
    expect(chiSquare(plain), 'numbers that are not masked are noticed').toBeGreaterThan(381);
  });
});

// @door federate party: neighbours
// @door federate aggregator: neighbours
// @door page take-part: neighbours
describe('the view of all aggregators but one', () => {
  /** Shares as words: aggregator 0 has them, the others expand their seed. */
  const wordsOf = (shares: readonly Uint8Array[], count: number, size: WordBytes) =>
    Promise.all(shares.map((share, at) => (at === 0 ? share : expandSeed(share, count, size))));
  const sumOf = (shares: readonly Uint8Array[], count: number, size: WordBytes) => {
    const sums = new WordSums(count, size);
    for (const share of shares) sums.add(share);
    return sums;
  };
  const difference = (a: Uint8Array, b: Uint8Array, count: number, size: WordBytes) => {
    const sums = sumOf([a], count, size);
    sums.addValues(
      unpackWords(b, size).map((value) => -value),
      0,
    );
    return sums.words();
  };

  // Words of an honest aggregator that nobody else knows are uniform up to the key stream. So it is enough
  // that for every view and every other history there are such words, which make the same view byte for byte.
  it.each([2, 3])('of %d fits every history, byte for byte', async (aggregators) => {
    const size = charters.get(aggregators)!.charter.wordBytes;
    const [mine, others] = [await reportOf(few, aggregators), await reportOf(all, aggregators)];
    const count = mine[0].length / size;
    const shares = await wordsOf(mine, count, size);
    const contribution = sumOf(shares, count, size).words();
    const other = sumOf(await wordsOf(others, count, size), count, size).words();
    expect(other).not.toEqual(contribution);
    expect(new Set(mine.map(toHex)).size, 'nobody has the seed of another').toBe(aggregators);
    for (let honest = 0; honest < aggregators; honest++) {
      const seen = shares.filter((_, at) => at !== honest);
      const hidden = difference(other, sumOf(seen, count, size).words(), count, size);
      expect(hidden).not.toEqual(shares[honest]);
      // The report that somebody with the other history and these hidden words would hand in.
      const seeds = mine.slice(1).filter((_, at) => at + 1 !== honest);
      const masked = honest === 0 ? other : difference(other, hidden, count, size);
      const words = await maskWords(masked, size, seeds);
      expect(words).toEqual(honest === 0 ? hidden : mine[0]);
      // The control: without hidden words the view tells the histories apart.
      if (honest > 0) expect(await maskWords(other, size, seeds)).not.toEqual(mine[0]);
    }
  });

  it('holds no two reports under the same mask: their difference would be that of the histories', async () => {
    const root = Uint8Array.from({ length: 32 }, (_, at) => 7 * at + 1);
    const size = charters.get(2)!.charter.wordBytes;
    const [first, again, second] = [
      await reportOf(few, 2, root),
      await reportOf(few, 2, root),
      await reportOf(all, 2, root),
    ];
    expect(again).toEqual(first);
    expect(second[1]).not.toEqual(first[1]);
    const count = first[0].length / size;
    const exact = await Promise.all(
      [first, second].map(async (report) => sumOf(await wordsOf(report, count, size), count, size).words()),
    );
    const apart = difference(second[0], first[0], count, size);
    expect(apart).not.toEqual(difference(exact[1], exact[0], count, size));
    const careless = await Promise.all(exact.map((words) => maskWords(words, size, [first[1]])));
    expect(difference(careless[1], careless[0], count, size)).toEqual(
      difference(exact[1], exact[0], count, size),
    );
  });
});

it('no two reports with norm proofs have the same seed or the same word', async () => {
  const root = Uint8Array.from({ length: 32 }, (_, at) => 5 * at + 3);
  const [first, again, second] = [
    await reportOf(few, 2, root, proved),
    await reportOf(few, 2, root, proved),
    await reportOf(all, 2, root, proved),
  ];
  expect(again).toEqual(first);
  for (const at of [0, 1]) {
    const words = [first, second].flatMap((report) =>
      Array.from({ length: report[at].length / 8 }, (_, k) => toHex(report[at].subarray(8 * k, 8 * k + 8))),
    );
    expect(new Set(words).size).toBe(words.length);
  }
});

function emptyRow() {
  return {
    rowCount: 1,
    columnCount: items,
    offsets: new Uint32Array(2),
    indices: new Uint32Array(0),
    values: new Float32Array(0),
  };
}
