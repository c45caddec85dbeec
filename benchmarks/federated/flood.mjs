// Floods of reports at one aggregator, over TLS: what they cost, and whether those who are honest are heard.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Board,
  charteredSchedule,
  coordinateRun,
  MemoryFolder,
  openTokens,
  patient,
  remoteAggregator,
  shareOut,
  signCard,
  takePart,
  usualPatience,
} from '@hushrec/federate';
import { signAsIssuer, TokenOffice, tlsClient } from '@hushrec/federate/node';
import { generateSigningKey } from '@hushrec/model/signing';
import { createEngine } from '@hushrec/numerics';
import { generateCatalogue } from '@hushrec/ratings';
import { used } from './role-process.mjs';
import { cast, charterFor, startAggregators } from './stage.mjs';

/** Requests under way at a time, and how often progress is told. */
const LINES = 32;
const STEPS = 10;

/**
 * Floods aggregator 0 and then lets two honest devices through the run. First a run with tokens: so many
 * reports on one token, as many on invented ones. Then an open run: as many of which the other aggregator has
 * no share, all of which it has to keep.
 */
export async function flood(count = 100_000) {
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  const started = performance.now();
  const figures = {};
  for (const kind of ['issuer', 'open']) figures[kind] = await floodedRun(kind, count, engine);
  await engine.close();
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(JSON.stringify({ reports: count, ...figures, flooder: used(), seconds }, null, 1));
}

/** One run whose first exchange is flooded; what was answered, who was heard, what it cost. */
async function floodedRun(kind, count, engine) {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-load-'));
  const issuer = await generateSigningKey();
  const kept = new MemoryFolder();
  const [board, ...aggregators] = await cast(3);
  const drafted = await charterFor([board, ...aggregators], 2, 12, engine, {
    method: 'dpals',
    settings: { rank: 2, rounds: 1 },
    leastReports: 2,
    mostPeople: 100,
    pace: { kind: 'reports', count: 2, longestSeconds: 3600 },
    admission:
      kind === 'open' ? { kind } : { kind, issuer: await signCard({ name: 'desk', url: '' }, issuer) },
  });
  const signed = kind === 'open' ? drafted : await signAsIssuer(drafted, issuer, kept);
  const office = kind === 'open' ? undefined : await TokenOffice.open(signed, kept);
  const certificates = aggregators.map(({ tls }) => tls.cert);
  const running = await startAggregators(signed, aggregators, folder, certificates, true);
  const client = patient(tlsClient({ believed: certificates }), 'an aggregator', usualPatience);
  const remote = aggregators.map((_, at) => remoteAggregator(signed, at, client, { key: board.key }));
  try {
    const answers = {};
    for (const [name, credentials] of await floods(signed, office))
      answers[name] = await handIn(signed, remote[0], count, name, credentials);
    const honest = await honestRun(signed, remote, office, engine);
    return { answers, ...honest, aggregators: await Promise.all(running.map(({ stop }) => stop())) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is handed in with the reports of each flood. */
async function floods(signed, office) {
  if (office === undefined) return [['without the other share', undefined]];
  const [invitation] = await office.invite(1);
  const credentials = await openTokens(signed, new MemoryFolder(), {
    sign: (blinded) => office.sign(invitation, blinded),
  });
  const invented = async (...report) =>
    (await credentials(...report)).replace(/^.{8}/, report[1].slice(0, 8));
  return [
    ['on one token', credentials],
    ['on invented tokens', invented],
  ];
}

/**
 * Hands in so many different reports of random bytes; how often each status was answered, and how long it
 * took.
 */
async function handIn({ charter, hash }, aggregator, count, name, credentials) {
  const size = charter.exchanges[0].reduce((sum, line) => sum + line.length, 0) * charter.wordBytes;
  const body = crypto.getRandomValues(new Uint8Array(size));
  const statuses = {};
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  let next = 0;
  let answered = 0;
  const line = async () => {
    while (next < count) {
      const report = next++;
      const bytes = new TextEncoder().encode(`${name} ${report}`);
      const id = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
      const { status } = await aggregator.put(0, id, hash, body, await credentials?.(0, id, 0, body));
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (++answered % Math.ceil(count / STEPS) === 0)
        console.error(`${name}: ${answered} of ${count} reports answered after ${seconds()} seconds`);
    }
  };
  await Promise.all(Array.from({ length: LINES }, line));
  return { statuses, seconds: seconds() };
}

/** Two honest devices and a coordinator, from the first exchange to the last. */
async function honestRun(signed, remote, office, engine) {
  const { charter } = signed;
  const started = performance.now();
  const log = await Board.open(new MemoryFolder());
  const { ratings } = generateCatalogue({ users: 2, items: 12, ratings: 12, seed: 1 });
  const taking = shareOut(ratings, 'item', 2, Math.random).map(async (share) => {
    const [invitation] = (await office?.invite(1)) ?? [];
    return takePart(
      signed,
      share.ratings,
      { engine },
      { trusted: [charter.aggregators[0].publicKey], mostEpsilon: 100, kept: 'one-person' },
      {
        aggregators: remote,
        log,
        ...(office && { issuer: { sign: (blinded) => office.sign(invitation, blinded) } }),
      },
      { folder: new MemoryFolder(), checked: true },
    );
  });
  await coordinateRun(charter, remote, log, charteredSchedule(charter), {
    progress: (done, total) => console.error(`exchange ${done} of ${total}`),
  });
  const took = await Promise.all(taking);
  return {
    honest: took.map(({ handedIn, missed }) => ({ handedIn, missed })),
    exchanges: log.length,
    seconds: Math.round((performance.now() - started) / 1000),
  };
}
