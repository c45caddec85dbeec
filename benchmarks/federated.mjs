// Load of the federated protocol, every role a process of its own, over TLS.
//   node benchmarks/federated.mjs devices [devices] [items]     one run of hush, rank 8, 6 rounds: CPU and memory of every role
//   node benchmarks/federated.mjs reports [reports] [words]     one exchange with so many reports: CPU of aggregator 0
//   node benchmarks/federated.mjs flood [reports]               so many on one token, on invented ones, and without the other share: who is honest is heard
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Aggregator,
  aggregatorRoutes,
  Board,
  boardRoutes,
  bytesOf,
  charteredSchedule,
  coordinateRun,
  draftCharter,
  entryHash,
  issueToken,
  MemoryFolder,
  patient,
  remoteAggregator,
  remoteLog,
  replayRun,
  scheduleOf,
  shareOut,
  signCharter,
  takePart,
  usualPatience,
} from '@hushrec/federate';
import { FileFolder, selfSignedCertificate, serve, tlsClient } from '@hushrec/federate/node';
import { exportSigningKey, generateSigningKey, importSigningKey } from '@hushrec/model';
import { createEngine } from '@hushrec/numerics';
import { generateCatalogue } from '@hushrec/ratings';

const [mode, ...args] = process.argv.slice(2);
const here = fileURLToPath(import.meta.url);

/** What a role used: CPU seconds and the most memory it had, in megabytes. */
function used() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return { cpu: (userCPUTime + systemCPUTime) / 1e6, megabytes: Math.round(maxRSS / 1024) };
}

/**
 * Starts this file as a role; gives its first message, a way to talk to it, and what it used when it is told
 * to stop.
 */
async function role(name, input) {
  const child = fork(here, [name], {
    execArgv: [...process.execArgv, '--max-old-space-size=12000', '--max-semi-space-size=64'],
    serialization: 'advanced',
  });
  const next = () => new Promise((resolve) => child.once('message', resolve));
  child.send(input);
  const first = await next();
  return {
    first,
    next,
    send: (message) => child.send(message),
    stop: async () => {
      const last = next();
      child.send('stop');
      return last;
    },
  };
}

const received = () => new Promise((resolve) => process.once('message', resolve));

async function aggregatorRole() {
  const { charter, index, key, tls, folder, certificates, boardless } = await received();
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  const client = patient(tlsClient({ believed: certificates }), 'the board', usualPatience);
  const log = remoteLog(charter.coordinator.url, charter.run, client);
  const aggregator = await Aggregator.open(charter, new FileFolder(folder), {
    index,
    key: await importSigningKey(key),
    secret: crypto.getRandomValues(new Uint8Array(32)),
    schedule: boardless ? charteredSchedule(charter) : scheduleOf(charter, log, { engine }),
  });
  const server = await serve(aggregatorRoutes(charter, aggregator), {
    port: Number(new URL(charter.aggregators[index].url).port),
    tls,
    mostBytes: 2 ** 24,
    failed: (error) => console.error(error),
  });
  process.send('ready');
  await received();
  process.send(used());
  await server.close();
  process.disconnect();
}

async function devicesRole() {
  const { signed, people, items, seed, certificates } = await received();
  const { ratings } = generateCatalogue({ users: people, items, ratings: people * 50, seed });
  const shares = shareOut(ratings, 'item', people, Math.random).map((share) => share.ratings);
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  const { charter } = signed;
  const line = { believed: certificates, timeoutMilliseconds: 300_000 };
  const client = patient(tlsClient(line), 'an aggregator', usualPatience);
  // Every device waits for the next entry on a connection of its own: whoever is behind would queue after all
  // those who wait.
  const toBoard = patient(tlsClient({ ...line, mostConnections: people }), 'the board', usualPatience);
  const before = used();
  process.send('ready');
  await received();
  let sent = 0;
  const trusted = charter.aggregators.map(({ publicKey }) => publicKey);
  await Promise.all(
    shares.map(async (own) => {
      const { bytesSent } = await takePart(
        signed,
        own,
        { engine },
        { trusted, mostEpsilon: 100, kept: 'one-person' },
        {
          aggregators: charter.aggregators.map(({ url }) => remoteAggregator(url, charter.run, client)),
          log: remoteLog(charter.coordinator.url, charter.run, toBoard),
        },
        { folder: new MemoryFolder(), checked: true },
      );
      sent += bytesSent;
    }),
  );
  const after = used();
  process.send({ cpu: after.cpu - before.cpu, megabytes: after.megabytes, bytes: sent / people });
  await engine.close();
  process.disconnect();
}

async function cast(count) {
  const free = async () => {
    const server = await serve(async () => ({ status: 200, body: '' }), { port: 0, mostBytes: 1 });
    await server.close();
    return server.port;
  };
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const key = await generateSigningKey();
      const tls = selfSignedCertificate('127.0.0.1');
      const url = `https://127.0.0.1:${await free()}`;
      return {
        key,
        pem: await exportSigningKey(key),
        tls,
        office: { name: `role ${at}`, url, publicKey: key.publicKey },
      };
    }),
  );
}

async function charterFor(offices, people, items, engine, change = {}) {
  const [board, ...aggregators] = offices;
  let signed = await draftCharter(
    {
      method: 'hush',
      settings: { rank: 8, rounds: 6 },
      epsilon: 10,
      delta: 1e-6,
      catalogue: { itemCount: items, scale: { min: 0.5, max: 5, step: 0.5 }, hash: '' },
      coordinator: board.office,
      aggregators: aggregators.map(({ office }) => office),
      noise: { by: 'aggregators', honestNeeded: 1 },
      mostPeople: people,
      leastReports: 1,
      pace: { kind: 'reports', count: people, longestSeconds: 3600 },
      admission: { kind: 'open' },
      codeVersion: 'benchmark',
      ...change,
    },
    { engine },
  );
  for (const { key } of aggregators) signed = await signCharter(signed, key);
  return signed;
}

/** `boardless`: nobody keeps a log, so that only exchanges which the charter lists can be gone through. */
async function startAggregators(signed, aggregators, folder, certificates, boardless = false) {
  return Promise.all(
    aggregators.map(({ pem, tls }, index) =>
      role('aggregator-role', {
        charter: signed.charter,
        index,
        key: pem,
        tls,
        folder: join(folder, String(index)),
        certificates,
        boardless,
      }),
    ),
  );
}

async function devices(people = 1000, items = 10_000) {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-load-'));
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  const [board, ...aggregators] = await cast(3);
  const signed = await charterFor([board, ...aggregators], people, items, engine);
  const { charter } = signed;
  const log = await Board.open(new FileFolder(join(folder, 'board')));
  const server = await serve(boardRoutes(signed, [], log), {
    port: Number(new URL(board.office.url).port),
    tls: board.tls,
    mostBytes: 2 ** 16,
  });
  const certificates = [board, ...aggregators].map(({ tls }) => tls.cert);
  const running = await startAggregators(signed, aggregators, folder, certificates);
  const crowd = await role('devices-role', { signed, people, items, seed: 1, certificates });
  const client = patient(tlsClient({ believed: certificates }), 'an aggregator', usualPatience);
  const remote = aggregators.map(({ office }) =>
    remoteAggregator(office.url, charter.run, client, { key: board.key }),
  );
  const before = used();
  const started = performance.now();
  const figures = crowd.next();
  crowd.send('go');
  await coordinateRun(charter, remote, log, scheduleOf(charter, log, { engine }), {
    progress: (done, total) => console.error(`exchange ${done} of ${total}`),
  });
  const seconds = (performance.now() - started) / 1000;
  const coordinator = { ...used(), cpu: used().cpu - before.cpu };
  const { bytes, ...together } = await figures;
  const both = await Promise.all(running.map(({ stop }) => stop()));
  await replayRun(charter, log, { engine });
  await server.close();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
  const cpu = together.cpu + coordinator.cpu + both.reduce((sum, each) => sum + each.cpu, 0);
  console.log(
    JSON.stringify(
      {
        devices: people,
        items,
        exchanges: log.length,
        bytesPerDevice: Math.round(bytes),
        bytesPlanned: bytesOf(charter).sent,
        cpuSecondsPerDevice: Number((together.cpu / people).toFixed(3)),
        cpuSeconds: Number(cpu.toFixed(1)),
        devicesTogether: together,
        coordinator,
        aggregators: both,
        seconds: Math.round(seconds),
      },
      null,
      1,
    ),
  );
}

async function reports(count = 10_000, words = 80_000) {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-load-'));
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  const [board, ...aggregators] = await cast(3);
  const signed = await charterFor([board, ...aggregators], count, words, engine);
  const { charter, hash } = signed;
  const certificates = aggregators.map(({ tls }) => tls.cert);
  const running = await startAggregators(signed, aggregators, folder, certificates, true);
  const client = patient(tlsClient({ believed: certificates }), 'an aggregator', usualPatience);
  const remote = aggregators.map(({ office }) =>
    remoteAggregator(office.url, charter.run, client, { key: board.key }),
  );
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
    const header = {
      format: 'hushrec-log-1',
      charter: hash,
      exchange,
      previous: head,
      set,
      shares: await Promise.all(shares.map(digest)),
      // An aggregator has not seen the other's words and takes any hash for that of the sums.
      sums: await digest(shares[0]),
    };
    for (const aggregator of remote) await aggregator.attest(header);
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

/**
 * Floods aggregator 0 and then lets two honest devices through one exchange. First a run with tokens: so many
 * reports on one token, as many on invented ones. Then an open run: as many of which the other aggregator has
 * no share, all of which it has to keep.
 */
async function flood(count = 100_000) {
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  const issuer = await generateSigningKey();
  const figures = {};
  for (const kind of ['issuer', 'open']) {
    const folder = mkdtempSync(join(tmpdir(), 'hushrec-load-'));
    const [board, ...aggregators] = await cast(3);
    const signed = await charterFor([board, ...aggregators], 2, 12, engine, {
      method: 'dpals',
      settings: { rank: 2, rounds: 1 },
      leastReports: 2,
      mostPeople: 100,
      pace: { kind: 'reports', count: 2, longestSeconds: 3600 },
      admission: kind === 'open' ? { kind } : { kind, publicKey: issuer.publicKey },
    });
    const { charter, hash } = signed;
    const certificates = aggregators.map(({ tls }) => tls.cert);
    const running = await startAggregators(signed, aggregators, folder, certificates, true);
    const client = patient(tlsClient({ believed: certificates }), 'an aggregator', usualPatience);
    const remote = aggregators.map(({ office }) =>
      remoteAggregator(office.url, charter.run, client, { key: board.key }),
    );
    const size = charter.exchanges[0].reduce((sum, line) => sum + line.length, 0) * charter.wordBytes;
    const body = crypto.getRandomValues(new Uint8Array(size));
    const handIn = async (name, credentials) => {
      const statuses = {};
      let next = 0;
      const worker = async () => {
        while (next < count) {
          const report = next++;
          const id = Buffer.from(
            await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${name} ${report}`)),
          ).toString('hex');
          const { status } = await remote[0].put(0, id, hash, body, credentials(report));
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      };
      await Promise.all(Array.from({ length: 32 }, worker));
      return statuses;
    };
    const answers = {};
    if (kind === 'open') answers['without the other share'] = await handIn('half', () => undefined);
    else {
      const token = await issueToken('7', issuer, hash);
      answers['on one token'] = await handIn('one', () => token);
      const [, signature] = token.split(' ');
      answers['on invented tokens'] = await handIn('invented', (report) => `8-${report} ${signature}`);
    }
    const log = await Board.open(new MemoryFolder());
    const { ratings } = generateCatalogue({ users: 2, items: 12, ratings: 12, seed: 1 });
    const taking = shareOut(ratings, 'item', 2, Math.random).map(async (share, at) => {
      const token = kind === 'issuer' && (await issueToken(`honest ${at}`, issuer, hash));
      return takePart(
        signed,
        share.ratings,
        { engine },
        { trusted: [charter.aggregators[0].publicKey], mostEpsilon: 100, kept: 'one-person' },
        { aggregators: remote, log, ...(token && { credentials: async () => token }) },
        { folder: new MemoryFolder(), checked: true },
      );
    });
    await coordinateRun(charter, remote, log, charteredSchedule(charter));
    const took = await Promise.all(taking);
    const both = await Promise.all(running.map(({ stop }) => stop()));
    rmSync(folder, { recursive: true, force: true });
    figures[kind] = {
      answers,
      honest: took.map(({ handedIn, missed }) => ({ handedIn, missed })),
      exchanges: log.length,
      aggregators: both,
    };
  }
  await engine.close();
  console.log(JSON.stringify({ reports: count, ...figures }, null, 1));
}

const modes = {
  devices: () => devices(...args.map(Number)),
  reports: () => reports(...args.map(Number)),
  flood: () => flood(...args.map(Number)),
  'aggregator-role': aggregatorRole,
  'devices-role': devicesRole,
};
if (modes[mode] === undefined) {
  console.error(
    'node benchmarks/federated.mjs devices [devices] [items] | reports [reports] [words] | flood [reports]',
  );
  process.exit(2);
}
await modes[mode]();
process.exit(0);
