import '@hushrec/papers/register';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SettingValues } from '@hushrec/factorize';
import { generateSigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partyCredentials } from '../admission.js';
import { Aggregator } from '../aggregator.js';
import { Board } from '../board.js';
import { signCard } from '../card.js';
import type { SignedCharter } from '../charter.js';
import { coordinateRun } from '../coordinate-run.js';
import { draftCharter } from '../draft-charter.js';
import {
  centralRun,
  checkerboard,
  coinsOf,
  dealt,
  expectSame,
  noiseOf,
  releasedSums,
} from '../equality.test.data.js';
import { aggregatorRoutes } from '../http/aggregator-routes.js';
import { boardRoutes } from '../http/board-routes.js';
import { patient, remoteAggregator, remoteCharter, remoteLog } from '../http/remote.js';
import { replayRun, scheduleOf } from '../schedule.js';
import { sealingOf, signAsAggregator } from '../small-charter.test.data.js';
import { takePart } from '../take-part.js';
import { FileFolder } from './file-folder.js';
import { selfSignedCertificate } from './self-signed-certificate.js';
import { tlsClient } from './tls-client.js';
import { type RunningServer, serve } from './tls-server.js';

let engine: Engine;
let folder: string;
const servers: RunningServer[] = [];
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'hushrec-tls-'));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await rm(folder, { recursive: true, force: true });
});

describe('self-signed certificates', () => {
  it('are X.509 for the host they were made for, by its own key', () => {
    for (const host of ['127.0.0.1', 'north.example', '::1']) {
      const certificate = new X509Certificate(selfSignedCertificate(host).cert);
      expect(certificate.verify(certificate.publicKey)).toBe(true);
      expect(host.includes('e') ? certificate.checkHost(host) : certificate.checkIP(host)).toBeTruthy();
      expect(certificate.checkHost('south.example')).toBeUndefined();
    }
    const { validTo } = new X509Certificate(selfSignedCertificate('a.example', 10_000).cert);
    expect(new Date(validTo).getTime()).toBeGreaterThan(Date.now() + 9_990 * 86_400_000);
  });
});

type Identity = Awaited<ReturnType<typeof identity>>;

async function identity(name: string) {
  return { name, key: await generateSigningKey(), tls: selfSignedCertificate('127.0.0.1') };
}

/**
 * One curator's run, and the same by three parties, two aggregators and a board that talk TLS to each other.
 */
async function runOverTls(method: string, settings: SettingValues) {
  const ratings = checkerboard(24, 16, 8);
  const shares = dealt(ratings, 3);
  const target = { epsilon: 1000, delta: 1e-5, seed: 3 };
  const central = await centralRun({ ...target, method, settings }, ratings, engine);
  const [coordinator, first, second] = await Promise.all(['board', 'north', 'south'].map(identity));
  const parties = await Promise.all(['a', 'b', 'c'].map(identity));
  const aggregators = [first, second];
  // Ports are not known before the servers are there, and the charter names them: handlers are set later.
  const handlers = new Map<string, Parameters<typeof serve>[0]>();
  const known = [coordinator, ...parties].map(({ tls }) => tls.cert);
  const ports = new Map<string, number>();
  for (const { name, tls } of [coordinator, ...aggregators]) {
    const server = await serve((request) => handlers.get(name)!(request), {
      port: 0,
      tls: {
        ...tls,
        clients: name === 'board' ? [...known, ...aggregators.map((each) => each.tls.cert)] : known,
      },
      mostBytes: 2 ** 20,
    });
    servers.push(server);
    ports.set(name, server.port);
  }
  const office = ({ name, key, tls }: Identity) =>
    signCard({ name, url: `https://127.0.0.1:${ports.get(name)}`, certificate: tls.cert }, key);
  const drafted = await draftCharter(
    {
      ...target,
      acceptWeak: true,
      method,
      settings: central.settings,
      catalogue: { itemCount: 16, scale: ratings.scale, hash: '' },
      coordinator: await office(coordinator),
      aggregators: await Promise.all(aggregators.map(office)),
      noise: { by: 'aggregators', honestNeeded: 2 },
      mostPeople: 24,
      leastReports: 3,
      pace: { kind: 'reports', count: 3, longestSeconds: 60 },
      admission: {
        kind: 'parties',
        parties: parties.map(({ name, key, tls }) => ({
          name,
          publicKey: key.publicKey,
          certificate: tls.cert,
        })),
      },
      codeVersion: 'test',
      publicSeed: target.seed,
    },
    { engine },
  );
  let signed: SignedCharter = drafted;
  for (const { key } of aggregators) signed = await signAsAggregator(signed, key);
  const { charter, hash } = signed;
  const clientOf = ({ tls }: Identity, patience = 3) =>
    patient(
      tlsClient({ believed: [coordinator, ...aggregators].map((each) => each.tls.cert), own: tls }),
      'somebody',
      { attempts: patience, firstPause: 10 },
    );
  const board = await Board.open(new FileFolder(join(folder, method, 'board')));
  handlers.set('board', boardRoutes(signed, ['items'], board));
  for (const [index, { name, key }] of aggregators.entries())
    handlers.set(
      name,
      aggregatorRoutes(
        charter,
        await Aggregator.open(charter, new FileFolder(join(folder, method, name)), {
          index,
          key,
          secret: crypto.getRandomValues(new Uint8Array(32)),
          noise: noiseOf(central)(index),
          schedule: scheduleOf(
            charter,
            remoteLog(charter.coordinator.url, charter.run, clientOf(aggregators[index])),
            { engine },
          ),
        }),
        { index, sealing: await sealingOf(key) },
      ),
    );
  const taking = parties.map(async (party, at) => {
    const client = clientOf(party);
    const there = await remoteCharter(charter.coordinator.url, client);
    expect(there.catalogue).toEqual(['items']);
    return takePart(
      there.signed,
      shares[at],
      { engine },
      { trusted: aggregators.map(({ key }) => key.publicKey), mostEpsilon: 1000, kept: 'many-people' },
      {
        aggregators: charter.aggregators.map((_, index) => remoteAggregator(there.signed, index, client)),
        log: remoteLog(charter.coordinator.url, charter.run, client),
        credentials: partyCredentials(party.name, party.key, hash),
      },
      { folder: new FileFolder(join(folder, method, party.name)), coins: coinsOf(central, ratings, 3)(at) },
    );
  });
  const coordinatorClient = clientOf(coordinator);
  const remote = charter.aggregators.map((_, index) =>
    remoteAggregator(signed, index, coordinatorClient, { key: coordinator.key }),
  );
  const running = coordinateRun(charter, remote, board, scheduleOf(charter, board, { engine }), {
    pollMilliseconds: 5,
  });
  const [, ...took] = await Promise.all([running, ...taking]);
  const log = remoteLog(charter.coordinator.url, charter.run, coordinatorClient);
  return {
    central,
    took,
    log,
    exchanges: board.length,
    signed,
    charter,
    coordinator: coordinator,
    parties,
    clientOf,
  };
}

describe('a run over TLS, certificates on both sides', () => {
  it('dpals: requests, sums and model are those of one curator; strangers, other hosts and expired certificates get nowhere', async () => {
    const { central, log, signed, charter, coordinator, parties, clientOf } = await runOverTls('dpals', {});
    const { model } = await replayRun(charter, log, { engine });
    expectSame(central, await releasedSums(charter, log, { engine }), model);

    // What must not work.
    const get = (client: ReturnType<typeof tlsClient>) =>
      client(`${charter.coordinator.url}/v1/charter`, { method: 'GET' });
    const believed = [coordinator.tls.cert];
    await expect(get(tlsClient({ believed })), 'no certificate').rejects.toThrow();
    await expect(get(tlsClient({ believed, own: selfSignedCertificate('127.0.0.1') }))).rejects.toThrow();
    const other = selfSignedCertificate('127.0.0.1').cert;
    await expect(get(tlsClient({ believed: [other], own: parties[0].tls }))).rejects.toThrow(
      /self-signed|verify/,
    );
    const asParty = remoteAggregator(signed, 0, clientOf(parties[0]), {
      key: parties[0].key,
    });
    await expect(asParty.publish(0, '00'), 'a party is not the coordinator').rejects.toMatchObject({
      status: 403,
    });
    const stale = selfSignedCertificate('127.0.0.1', 1, new Date('2020-01-01'));
    const expired = await serve(async () => ({ status: 200, body: '' }), {
      port: 0,
      tls: stale,
      mostBytes: 1,
    });
    servers.push(expired);
    await expect(
      tlsClient({ believed: [stale.cert] })(`https://127.0.0.1:${expired.port}/`, { method: 'GET' }),
    ).rejects.toThrow('certificate has expired');
    const silent = clientOf(parties[0], 2);
    await expect(silent('https://127.0.0.1:9/', { method: 'GET' })).rejects.toThrow('did not answer');
  });
});
