import { generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credentials } from './admission.js';
import { Aggregator } from './aggregator.js';
import type { AggregatorPort } from './aggregator-port.js';
import { Board } from './board.js';
import { hashHex, utf8 } from './bytes.js';
import type { SignedCharter } from './charter.js';
import { coordinateRun } from './coordinate-run.js';
import { MemoryFolder } from './durable-folder.js';
import { dealt } from './equality.test.data.js';
import { wordCount } from './exchange-plan.js';
import { aggregatorRoutes } from './http/aggregator-routes.js';
import { charteredSchedule } from './schedule.js';
import { sealShare } from './sealed-share.js';
import { instead, sealingOf, smallCharter, smallRatings } from './small-charter.test.data.js';
import { takePart } from './take-part.js';
import { charterWithTokens, type WithTokens } from './tokens.test.data.js';

/**
 * Reports of each kind. All 10⁵: HUSHREC_FLOOD=100000 npx vitest run packages/federate/src/flood.test.ts.
 * Over TLS, with what it costs: node benchmarks/federated.mjs flood.
 */
const flood = Number(process.env['HUSHREC_FLOOD'] ?? 1500);
const timeout = 600_000 + 10 * flood;

let engine: Engine;
let keys: SigningKey[];
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  keys = await Promise.all([0, 1, 2, 3].map(() => generateSigningKey()));
});
afterAll(() => engine.close());

const open = ({ charter, tokens }: SignedCharter, index: number) =>
  Aggregator.open(charter, new MemoryFolder(), {
    index,
    key: keys[index],
    secret: new Uint8Array(32).fill(index + 1),
    ...(tokens && { tokenKeys: tokens.tokenKeys }),
  });

/**
 * Hands reports to an aggregator as they come over a line, 32 at a time; how often each status was answered.
 */
async function handIn(
  { charter, hash }: SignedCharter,
  aggregator: AggregatorPort,
  count: number,
  credentials?: Credentials,
): Promise<Record<number, number>> {
  const sealing = await sealingOf(keys[0]);
  const handler = aggregatorRoutes(charter, aggregator, { index: 0, sealing });
  const words = new Uint8Array(wordCount(charter.exchanges[0]) * charter.wordBytes);
  const statuses: Record<number, number> = {};
  let next = 0;
  const line = async () => {
    while (next < count) {
      const report = next++;
      const id = await hashHex(`invented ${report}`);
      const place = { charter: hash, exchange: 0, report: id, head: hash, share: 0 };
      const admission = await credentials?.(0, id, 0, words);
      const body = await sealShare(words, { ...place, recipient: sealing.publicKey });
      const { status } = await handler({
        method: 'PUT',
        path: ['v1', charter.run, '0', 'reports', id],
        query: new URLSearchParams(),
        headers: { 'hushrec-log': hash, 'hushrec-admission': admission },
        body,
        signal: new AbortController().signal,
      });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 32 }, line));
  return statuses;
}

/** A run of two honest participants, each with a token where the charter asks for one. */
async function honestRun(
  signed: SignedCharter,
  aggregators: readonly AggregatorPort[],
  office?: WithTokens['office'],
) {
  const { charter } = signed;
  const board = await Board.open(new MemoryFolder());
  const taking = dealt(smallRatings, 2).map(async (own) => {
    const [invitation = ''] = (await office?.invite(1)) ?? [];
    return takePart(
      signed,
      own,
      { engine },
      { trusted: [keys[0].publicKey], mostEpsilon: 100, kept: 'many-people' },
      {
        aggregators,
        log: board,
        ...(office && { issuer: { sign: (blinded) => office.sign(invitation, blinded) } }),
      },
      { folder: new MemoryFolder(), checked: true },
    );
  });
  await Promise.all([
    coordinateRun(charter, aggregators, board, charteredSchedule(charter), { pollMilliseconds: 1 }),
    ...taking,
  ]);
  for (const { handedIn, missed } of await Promise.all(taking))
    expect([handedIn, missed]).toEqual([charter.exchanges.length, 0]);
}

describe('a flood of reports', () => {
  const pace = { kind: 'reports', count: 2, longestSeconds: 600 } as const;

  it(`${flood} on one token and ${flood} on invented ones: one is taken, and who is honest is heard`, {
    timeout,
  }, async () => {
    const { signed, office, newTokens } = await charterWithTokens(keys, { engine }, { pace });
    const aggregators = [await open(signed, 0), await open(signed, 1)];
    const credentials = await newTokens();
    expect(await handIn(signed, aggregators[0], flood, credentials)).toEqual({ 201: 1, 403: flood - 1 });
    const invented: Credentials = async (...report) =>
      (await credentials(...report)).replace(/^.{8}/, report[1].slice(0, 8));
    expect(await handIn(signed, aggregators[0], flood, invented)).toEqual({ 403: flood });
    expect(await aggregators[0].held(0, 1000, 0)).toHaveLength(1);
    await honestRun(signed, aggregators, office);
  });

  it(`${flood} where everyone may hand in, of which one aggregator has no share: who is honest is in the sum`, {
    timeout,
  }, async () => {
    const signed = await smallCharter(keys, { engine }, { pace });
    const aggregators = [await open(signed, 0), await open(signed, 1)];
    const room = signed.charter.mostPeople + 100_000;
    const taken = Math.min(flood, room - 2);
    expect(await handIn(signed, aggregators[0], taken)).toEqual({ 201: taken });
    // An aggregator that was started again may have them in another order.
    let asked = 0;
    const turned = instead(aggregators[0], {
      held: async (exchange, most, from) => {
        if (asked++ === 0 || flood > 5000) return aggregators[0].held(exchange, most, from);
        const all = [...(await aggregators[0].held(exchange, 100_000, 0))].reverse();
        return all.slice(from, from + most);
      },
    });
    await honestRun(signed, [turned, aggregators[1]]);
  });

  it('words that are no report at all are refused before anything is kept', async () => {
    const signed = await smallCharter(keys, { engine }, { pace });
    const aggregator = await open(signed, 0);
    const sealing = await sealingOf(keys[0]);
    const handler = aggregatorRoutes(signed.charter, aggregator, { index: 0, sealing });
    const put = (path: string[], body: Uint8Array<ArrayBuffer>) =>
      handler({
        method: 'PUT',
        path,
        query: new URLSearchParams(),
        headers: { 'hushrec-log': signed.hash },
        body,
        signal: new AbortController().signal,
      });
    const id = await hashHex('x');
    const { run } = signed.charter;
    for (const [path, body] of [
      [['v1', run, '0', 'reports', id], new Uint8Array(1)],
      [['v1', run, '0', 'reports', id], new Uint8Array(2 ** 20)],
      [['v1', run, '0', 'reports', '../../secret'], utf8('x')],
      [['v1', run, '-1', 'reports', id], utf8('x')],
      [['v1', run, '1e9', 'reports', id], utf8('x')],
      [['v1', 'another run', '0', 'reports', id], utf8('x')],
    ] as const)
      expect((await put([...path], body)).status).toBeGreaterThanOrEqual(400);
    expect(await aggregator.held(0, 10, 0)).toEqual([]);
  });
});
