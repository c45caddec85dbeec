import '@hushrec/papers/register';
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { exportSigningKey, generateSigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Board } from '../board.js';
import { signCard } from '../card.js';
import type { SignedCharter } from '../charter.js';
import { coordinateRun } from '../coordinate-run.js';
import { draftCharter } from '../draft-charter.js';
import { MemoryFolder } from '../durable-folder.js';
import {
  type CentralRun,
  centralRun,
  dealt,
  expectSame,
  federatingMethods,
  releasedSums,
  sameBytes,
  withoutFirst,
} from '../equality.test.data.js';
import { boardRoutes } from '../http/board-routes.js';
import { patient, remoteAggregator, remoteLog } from '../http/remote.js';
import type { WireHandler } from '../http/wire.js';
import { replayRun, scheduleOf } from '../schedule.js';
import { signAsAggregator } from '../small-charter.test.data.js';
import { selfSignedCertificate } from './self-signed-certificate.js';
import { tlsClient } from './tls-client.js';
import type { AggregatorRun, ParticipantsRun, RoleOnLine, TookPartHere } from './tls-role.test.data.js';
import { type RunningServer, serve } from './tls-server.js';

/** The whole product: HUSHREC_ALL_EQUAL=1 npx vitest run packages/federate/src/node/tls-equality.test.ts. */
const all = process.env['HUSHREC_ALL_EQUAL'] === '1';

const program = fileURLToPath(new URL('../../dist/node/tls-role.test.data.js', import.meta.url));
/** Milliseconds: processes start, and machines are busy. */
const target = { epsilon: 1000, delta: 1e-5, seed: 3 } as const;

/** A role in a process of its own. */
class Role {
  readonly #child: ChildProcess;
  readonly tls = selfSignedCertificate('127.0.0.1');

  constructor(kind: 'aggregator' | 'participants') {
    this.#child = fork(program, [kind], { serialization: 'advanced' });
  }

  async ask<T>(message: RoleOnLine | AggregatorRun | ParticipantsRun): Promise<T> {
    const answered = new Promise<T>((resolve, reject) => {
      const ended = () => reject(new Error(`a role ended with ${this.#child.exitCode}`));
      if (!this.#child.connected) return ended();
      this.#child.once('exit', ended);
      this.#child.once('message', (answer) => {
        this.#child.off('exit', ended);
        resolve(answer as T);
      });
      this.#child.send(message);
    });
    return answered;
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

let engine: Engine;
let roles: { aggregators: Role[]; participants: Role[] };
let ports: number[];
let server: RunningServer;
let handler: WireHandler;
const own = selfSignedCertificate('127.0.0.1');
let certificates: string[];

beforeAll(async () => {
  expect(existsSync(program), 'build first: npm run build').toBe(true);
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  roles = {
    aggregators: [0, 1].map(() => new Role('aggregator')),
    participants: [0, 1, 2].map(() => new Role('participants')),
  };
  const everyone = [...roles.aggregators, ...roles.participants];
  certificates = [own, ...everyone.map(({ tls }) => tls)].map(({ cert }) => cert);
  server = await serve((request) => handler(request), {
    port: 0,
    tls: { ...own, clients: certificates },
    mostBytes: 2 ** 16,
  });
  const online = await Promise.all(everyone.map((role) => role.ask<number>({ own: role.tls, certificates })));
  ports = online.slice(0, 2);
});
afterAll(async () => {
  for (const role of [...(roles?.aggregators ?? []), ...(roles?.participants ?? [])]) role.end();
  await server?.close();
  await engine?.close();
});

type Control = 'one person less' | 'one bit of one report';
type FederatingMethod = (typeof federatingMethods)[number];

/**
 * The run of one curator, by so many participants in three processes, two aggregators and a board over TLS.
 */
async function overTls(
  [method, ratings, , features]: FederatingMethod,
  central: CentralRun,
  participants: number,
  control?: Control,
) {
  const [coordinator, ...keys] = await Promise.all([0, 1, 2].map(() => generateSigningKey()));
  const partyKeys = await Promise.all(Array.from({ length: participants }, () => generateSigningKey()));
  const knowledge = { engine, features };
  const partyName = (at: number) => `party ${at + 1}`;
  const url = (port: number) => `https://127.0.0.1:${port}`;
  let signed: SignedCharter = await draftCharter(
    {
      ...target,
      acceptWeak: true,
      method,
      settings: central.settings,
      publicSeed: target.seed,
      catalogue: { itemCount: ratings.itemCount, scale: ratings.scale, hash: '' },
      coordinator: await signCard({ name: 'board', url: url(server.port) }, coordinator),
      aggregators: await Promise.all(
        keys.map((key, at) => signCard({ name: String(at), url: url(ports[at]) }, key)),
      ),
      // Both aggregators' noises together are the plan's, so that the method is told the curator's noise.
      noise: { by: 'aggregators', honestNeeded: 2 },
      mostPeople: ratings.userCount,
      leastReports: participants,
      pace: { kind: 'reports', count: participants, longestSeconds: 600 },
      admission: {
        kind: 'parties',
        parties: partyKeys.map(({ publicKey }, at) => ({ name: partyName(at), publicKey })),
      },
      codeVersion: 'test',
    },
    knowledge,
  );
  for (const key of keys) signed = await signAsAggregator(signed, key);
  const { charter } = signed;
  const board = await Board.open(new MemoryFolder());
  handler = boardRoutes(signed, [], board);
  const noise = new Map(central.lines.map((line) => [line.key, line.noise]));
  await Promise.all(
    roles.aggregators.map(async (role, index) =>
      role.ask({
        charter,
        features,
        index,
        key: await exportSigningKey(keys[index]),
        noise: index === 0 ? noise : new Map<string, Float64Array>(),
      }),
    ),
  );
  const shares = dealt(ratings, participants).map((share, at) =>
    control === 'one person less' && at === 0 ? withoutFirst(share) : share,
  );
  const pems = await Promise.all(partyKeys.map(exportSigningKey));
  const kept = participants === ratings.userCount ? 'one-person' : 'many-people';
  const taking = roles.participants.map((role, process) =>
    role.ask<TookPartHere[]>({
      signed,
      features,
      ratings,
      seed: target.seed,
      participants,
      kept,
      here: shares
        .map((share, at) => ({ at, name: partyName(at), own: share, key: pems[at] }))
        .filter(({ at }) => at % roles.participants.length === process),
      flipsOneBit: control === 'one bit of one report' && process === 0,
    }),
  );
  const client = patient(tlsClient({ believed: certificates, own }), 'an aggregator', {
    attempts: 20,
    firstPause: 10,
  });
  const remote = charter.aggregators.map((_, at) =>
    remoteAggregator(signed, at, client, { key: coordinator }),
  );
  await coordinateRun(charter, remote, board, scheduleOf(charter, board, knowledge), {
    pollMilliseconds: 5,
  });
  const took = (await Promise.all(taking)).flat();
  expect(took).toHaveLength(participants);
  // What an auditor reads, over the line.
  const log = remoteLog(charter.coordinator.url, charter.run, client);
  const { model } = await replayRun(charter, log, knowledge);
  return { took, model, sums: await releasedSums(charter, log, knowledge), exchanges: board.length };
}

/** With few people at a usual ε shrinkage makes all vectors zero, and then anything equals anything. */
describe.each(federatingMethods)('%s among processes over TLS', (...method) => {
  const [name, ratings, settings, features] = method;
  const numbers = all ? [1, 3, ratings.userCount] : [3];
  let central: CentralRun;
  beforeAll(async () => {
    central = await centralRun({ ...target, method: name, settings }, ratings, engine, features);
  });

  it.each(numbers)(
    `${JSON.stringify(settings)}${features.length > 0 ? ' with public facts' : ''}, %d participants: requests, sums and model of one curator`,
    async (participants) => {
      const { took, model, sums, exchanges } = await overTls(method, central, participants);
      expectSame(central, sums, model);
      for (const { model: own, handedIn, zerosBecause } of took) {
        expect(zerosBecause).toBeUndefined();
        expect(handedIn).toBe(exchanges);
        expect(own).toEqual(central.model);
      }
    },
  );

  const controls: readonly Control[] = ['one person less', 'one bit of one report'];
  it.each(all || name === 'dpals' ? controls : [])('%s, and it is another', async (control) => {
    const { model, sums } = await overTls(method, central, 3, control);
    const same = central.lines.filter(({ key, released }) => sameBytes(sums.get(key), released));
    // A bit spoils its own exchange at least; a person is in all of them, unless coins decide.
    const isDrawn = settings['samplingRate'] !== undefined;
    const spoilt =
      control === 'one bit of one report' ? central.lines.slice(0, 1) : isDrawn ? [] : central.lines;
    for (const line of spoilt) expect(same).not.toContain(line);
    expect(same.length).toBeLessThan(central.lines.length);
    if (control === 'one person less') expect(model).not.toEqual(central.model);
  });
});
