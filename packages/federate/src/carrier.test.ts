// Whoever carries bytes between one who takes part and the aggregators: a coordinator, a proxy before both, a
// relay whose address the charter gives. And what the reports of one person in one run have in common.
import { generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AggregatorPort } from './aggregator-port.js';
import { Board } from './board.js';
import { toHex } from './bytes.js';
import type { SignedCharter } from './charter.js';
import { coordinateRun } from './coordinate-run.js';
import { MemoryFolder } from './durable-folder.js';
import { checkerboard, dealt } from './equality.test.data.js';
import { wordCount } from './exchange-plan.js';
import { aggregatorRoutes } from './http/aggregator-routes.js';
import { remoteAggregator } from './http/remote.js';
import type { Fetcher } from './http/wire.js';
import { noRatings } from './participant.js';
import { charteredSchedule } from './schedule.js';
import { openShare, SEAL_BYTES } from './sealed-share.js';
import { fineGrid, lineOf } from './sharing/sharing-line.js';
import { expandSeed, WordSums } from './sharing/sharing-words.js';
import {
  openAggregators,
  reachedAt,
  sealingOf,
  smallCharter,
  smallRatings,
} from './small-charter.test.data.js';
import { takePart } from './take-part.js';

let engine: Engine;
let keys: SigningKey[];
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  keys = await Promise.all([0, 1, 2].map(() => generateSigningKey()));
});
afterAll(() => engine.close());

/** A report as somebody on the way saw it. */
interface Carried {
  readonly share: number;
  readonly exchange: number;
  readonly report: string;
  readonly head: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A run of two whose lines to both aggregators pass through one hand. */
async function carriedRun(signed: SignedCharter): Promise<Carried[]> {
  const { charter } = signed;
  const aggregators = await openAggregators(charter, keys);
  const carried: Carried[] = [];
  const urls = ['https://north.example', 'https://south.example'];
  const lines = await Promise.all(
    aggregators.map(async (aggregator, index): Promise<AggregatorPort> => {
      const routes = aggregatorRoutes(charter, aggregator, { index, sealing: await sealingOf(keys[index]) });
      const relay: Fetcher = async (url, { method, headers = {}, body = new Uint8Array() }) => {
        const { pathname, searchParams: query } = new URL(url);
        const path = pathname.split('/').slice(1);
        const bytes = body.slice();
        if (method === 'PUT')
          carried.push({
            share: index,
            exchange: Number(path[2]),
            report: path[4],
            head: headers['hushrec-log'],
            body: bytes,
          });
        const { signal } = new AbortController();
        const answer = await routes({ method, path, query, headers, body: bytes, signal });
        return { status: answer.status, body: new TextEncoder().encode(String(answer.body)) };
      };
      return remoteAggregator(reachedAt(signed, urls), index, relay);
    }),
  );
  const board = await Board.open(new MemoryFolder());
  const taking = dealt(smallRatings, 2).map((own) =>
    takePart(
      signed,
      own,
      { engine },
      { trusted: [keys[0].publicKey], mostEpsilon: 100, kept: 'many-people' },
      { aggregators: lines, log: board },
      { folder: new MemoryFolder(), checked: true },
    ),
  );
  await Promise.all([
    coordinateRun(charter, aggregators, board, charteredSchedule(charter), { pollMilliseconds: 1 }),
    ...taking,
  ]);
  return carried;
}

it('who carries both shares of everybody reads nobody’s numbers, whatever part of the bytes is taken', async () => {
  const signed = await smallCharter(keys, { engine });
  const { charter, hash } = signed;
  const carried = await carriedRun(signed);
  expect(carried).toHaveLength(2 * 2 * charter.exchanges.length);
  const lines = charter.exchanges[0];
  const count = wordCount(lines);
  const { wordBytes } = charter;
  /** Both shares together; whether they are numbers that people can have. */
  const put = async (words: Uint8Array, seed: Uint8Array) => {
    const sums = new WordSums(count, wordBytes);
    sums.add(words);
    sums.add(await expandSeed(seed, count, wordBytes));
    const values = sums.values();
    let at = 0;
    return lines.every((shape) => {
      const line = lineOf(charter.plan, shape);
      const most = (charter.mostPeople * line.sensitivity) / fineGrid(line, shape.gridStep).step;
      const part = values.subarray(at, at + shape.length);
      at += shape.length;
      return part.every((value) => Math.abs(value) <= most);
    });
  };
  const first = carried.filter(({ exchange }) => exchange === 0);
  const reports = [...new Set(first.map(({ report }) => report))];
  expect(reports).toHaveLength(2);
  for (const name of reports) {
    const [words, seed] = [0, 1].map(
      (share) => first.find((each) => each.report === name && each.share === share)!,
    );
    expect(words.body).toHaveLength(count * wordBytes + SEAL_BYTES);
    expect(seed.body).toHaveLength(32 + SEAL_BYTES);
    for (let begin = 0; begin <= SEAL_BYTES; begin++)
      for (let from = 0; from <= SEAL_BYTES; from++)
        expect(
          await put(words.body.slice(from, from + count * wordBytes), seed.body.slice(begin, begin + 32)),
        ).toBe(false);
    // The control: with the aggregators' keys the same bytes are somebody's numbers.
    const [inside, mask] = await Promise.all(
      [words, seed].map(async ({ body, ...place }) =>
        openShare(body, { charter: hash, ...place }, await sealingOf(keys[place.share])),
      ),
    );
    expect(await put(inside!, mask!)).toBe(true);
  }
});

it('a share that is carried to another place, exchange, log or run is refused, and so is a plain one', async () => {
  const signed = await smallCharter(keys, { engine });
  const { charter, hash } = signed;
  const [{ report, body, share }] = (await carriedRun(signed)).filter(
    (each) => each.exchange === 0 && each.share === 1,
  );
  const [north, south] = await openAggregators(charter, keys);
  const sealings = await Promise.all(keys.map(sealingOf));
  const status = async (change: {
    run?: SignedCharter;
    index?: 0 | 1;
    id?: string;
    head?: string;
    bytes?: Uint8Array<ArrayBuffer>;
  }) => {
    const { run = signed, index = 1, id = report, head = hash, bytes = body } = change;
    const aggregator =
      run === signed ? [north, south][index] : (await openAggregators(run.charter, keys))[index];
    const routes = aggregatorRoutes(run.charter, aggregator, { index, sealing: sealings[index] });
    const path = ['v1', run.charter.run, '0', 'reports', id];
    const { signal } = new AbortController();
    const headers = { 'hushrec-log': head };
    return (await routes({ method: 'PUT', path, query: new URLSearchParams(), headers, body: bytes, signal }))
      .status;
  };
  expect(share).toBe(1);
  expect(await status({ index: 0 })).toBe(400);
  expect(await status({ id: toHex(new Uint8Array(32)) })).toBe(400);
  expect(await status({ head: toHex(new Uint8Array(32)) })).toBe(400);
  expect(await status({ run: await smallCharter(keys, { engine }) })).toBe(400);
  expect(await status({ bytes: new Uint8Array(32) }), 'not sealed').toBe(400);
  expect(await status({})).toBe(201);
  expect(await status({}), 'once more').toBe(200);
});

it.each([
  ['', false],
  [' with norm proofs', true],
])(
  'nothing in two reports of one person in one run%s is equal: no name, no seed, no word',
  async (_, normProofs) => {
    // Somebody without ratings hands in the same numbers at every exchange of the same length: zeros.
    const signed = await smallCharter(keys, { engine }, { settings: { rounds: 3, rank: 2 }, normProofs });
    const { charter } = signed;
    const aggregators = await openAggregators(charter, keys);
    const reports: { readonly id: string; readonly shares: Uint8Array[] }[] = [];
    const watched = aggregators.map((aggregator, at) => ({
      put: async (...given: Parameters<AggregatorPort['put']>) => {
        const [exchange, id, , body] = given;
        reports[exchange] ??= { id, shares: [] };
        expect(reports[exchange].id, 'aggregators match shares by the name').toBe(id);
        reports[exchange].shares[at] = body.slice();
        return aggregator.put(...given);
      },
    }));
    const board = await Board.open(new MemoryFolder());
    const attend = (ports: readonly Pick<AggregatorPort, 'put'>[], own: typeof smallRatings) =>
      takePart(
        signed,
        own,
        { engine },
        { trusted: [keys[0].publicKey], mostEpsilon: 100, kept: 'many-people' },
        { aggregators: ports, log: board },
        { folder: new MemoryFolder(), checked: true },
      );
    await Promise.all([
      coordinateRun(charter, aggregators, board, charteredSchedule(charter), { pollMilliseconds: 1 }),
      attend(watched, noRatings(charter)),
      attend(aggregators, checkerboard(1, smallRatings.itemCount, 3)),
    ]);
    expect(reports).toHaveLength(charter.exchanges.length);
    const lengths = reports.map(({ shares }) => shares[0].length);
    expect(new Set(lengths).size, 'some exchanges are of the same length').toBeLessThan(lengths.length);
    const distinct = (values: readonly string[]) => new Set(values).size === values.length;
    expect(distinct(reports.map(({ id }) => id))).toBe(true);
    expect(distinct(reports.map(({ shares }) => toHex(shares[1])))).toBe(true);
    // Words of five bytes and more: two that are equal by chance have a probability below 10⁻⁶.
    const size = charter.wordBytes;
    const words = reports.flatMap(({ shares: [all] }) =>
      Array.from({ length: all.length / size }, (_, at) => toHex(all.subarray(size * at, size * (at + 1)))),
    );
    expect(distinct(words)).toBe(true);
  },
);
