// One exchange with many long reports: CPU and memory of the aggregators.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addUpWords,
  entryHash,
  headerOf,
  packWords,
  patient,
  remoteAggregator,
  usualPatience,
} from '@hushrec/federate';
import { tlsClient } from '@hushrec/federate/node';
import { createEngine } from '@hushrec/numerics';
import { cast, charterFor, startAggregators } from './stage.mjs';

export async function reports(count = 10_000, words = 80_000) {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-load-'));
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  const [board, ...aggregators] = await cast(3);
  const signed = await charterFor([board, ...aggregators], count, words, engine);
  const { charter, hash } = signed;
  const certificates = aggregators.map(({ tls }) => tls.cert);
  const running = await startAggregators(signed, aggregators, folder, certificates, true);
  const client = patient(tlsClient({ believed: certificates }), 'an aggregator', usualPatience);
  const remote = aggregators.map((_, at) => remoteAggregator(signed, at, client, { key: board.key }));
  const sizes = charter.exchanges.map(
    (lines) => lines.reduce((sum, line) => sum + line.length, 0) * charter.wordBytes,
  );
  const digest = async (bytes) => Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
  let head = hash;
  let exchange = 0;
  /** Hands in reports [begin, end) of random bytes, eight at a time, and has them folded as one batch. */
  const batch = async (number, begin, end) => {
    const bytes = new Uint8Array(sizes[exchange]);
    const ids = [];
    let next = begin;
    const worker = async () => {
      while (next < end) {
        const id = await digest(new TextEncoder().encode(`${exchange} ${next++}`));
        ids.push(id);
        crypto.getRandomValues(bytes.subarray(0, Math.min(bytes.length, 65_536)));
        for (const at of [1, 0]) {
          const seed = crypto.getRandomValues(new Uint8Array(32));
          const { status, reason } = await remote[at].put(exchange, id, head, at === 0 ? bytes : seed);
          if (status !== 201) throw new Error(reason);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    ids.sort();
    await Promise.all(remote.map((aggregator) => aggregator.fold(exchange, number, ids)));
  };
  const publish = async () => {
    const { set } = await remote[0].state(exchange);
    return { set, shares: await Promise.all(remote.map((aggregator) => aggregator.publish(exchange, set))) };
  };
  // Exchanges before the first one of the length asked for are gone through with one report each.
  while (sizes[exchange] < words * charter.wordBytes) {
    await batch(0, 0, 1);
    const { set, shares } = await publish();
    const { wordBytes } = charter;
    const sums = packWords(addUpWords(shares, sizes[exchange] / wordBytes, wordBytes), wordBytes);
    const header = await headerOf({ charter: hash, exchange, previous: head, set }, shares, sums);
    for (const aggregator of remote) await aggregator.attest(header, shares);
    head = await entryHash(header);
    exchange++;
  }
  const started = performance.now();
  for (let number = 0; number * 1000 < count; number++)
    await batch(number, 1000 * number, Math.min(count, 1000 * (number + 1)));
  await publish();
  const seconds = (performance.now() - started) / 1000;
  const both = await Promise.all(running.map(({ stop }) => stop()));
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
  console.log(
    JSON.stringify(
      { reports: count, bytes: sizes[exchange], aggregators: both, seconds: Math.round(seconds) },
      null,
      1,
    ),
  );
}
