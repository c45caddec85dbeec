import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Card, Catalogue, CharterRequest, Office, SignedCharter } from '@hushrec/federate';
import type { Engine } from '@hushrec/numerics';
import type { RatingMatrix } from '@hushrec/ratings';
import type { CommandContext } from '../command.js';
import { type OwnProcess, startCommand } from '../own-process.js';
import { writeWhole } from '../whole-file.js';
import { lineTo, makeIdentity, readIdentity, runFolder, SEED_VARIABLE } from './federate-role.js';

/** Most parties: each is a process with an engine of its own. */
export const MOST_PROCESSES = 20;

/** What is rehearsed: the run, and the ratings of each participant. */
export interface Rehearsal {
  readonly run: Omit<
    CharterRequest,
    'catalogue' | 'coordinator' | 'aggregators' | 'pace' | 'admission' | 'simulation'
  >;
  readonly catalogue: Catalogue;
  readonly shares: readonly RatingMatrix[];
  /** One person each, in this process; else parties, each a process. */
  readonly devices: boolean;
  readonly aggregatorCount: number;
  readonly out: string;
  readonly overwrite: boolean;
  /** Noise and masks of all roles follow from it. */
  readonly seed: number;
}

/** What a role of a rehearsal used. */
export interface RoleFigures {
  readonly role: string;
  readonly cpuSeconds: number;
}

export interface Rehearsed {
  readonly signed: SignedCharter;
  readonly exchanges: number;
  /** Sent by all participants together. */
  readonly bytesSent: number;
  readonly roles: readonly RoleFigures[];
}

/**
 * A whole run on this machine with the commands that real parties start: aggregators, coordinator and parties
 * are processes that talk TLS to each other and keep what they must on disk. Devices take part from this
 * process, over the same lines. One owner has all secrets, so that the charter says it is a simulation; noise
 * and masks of all roles follow from its seed, as in one process. Leaves the model behind and nothing else.
 */
export async function runInProcesses(
  rehearsal: Rehearsal,
  engine: Engine,
  context: CommandContext,
): Promise<Rehearsed> {
  const folder = await mkdtemp(join(tmpdir(), 'hushrec-simulation-'));
  const running: OwnProcess[] = [];
  const start: StartRole = (name, args, said = () => undefined) => {
    const own = startCommand(
      ['federate', ...args, '--charter', join(folder, 'charter.json')],
      { HUSHREC_LEDGER: join(folder, `${name}.sqlite`), [SEED_VARIABLE]: String(rehearsal.seed) },
      said,
    );
    running.push(own);
    return own;
  };
  const stop = () => {
    for (const each of running) each.kill();
  };
  context.signal.addEventListener('abort', stop);
  try {
    return await rehearse(folder, rehearsal, start, engine, context);
  } finally {
    context.signal.removeEventListener('abort', stop);
    stop();
    await Promise.allSettled(running.map((each) => each.ended));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts a role; its ledger is one of its own. */
type StartRole = (name: string, args: readonly string[], said?: (line: string) => void) => OwnProcess;

/** From the charter to the model, with roles that are started on the way. */
async function rehearse(
  folder: string,
  rehearsal: Rehearsal,
  start: StartRole,
  engine: Engine,
  context: CommandContext,
): Promise<Rehearsed> {
  const signed = await writeCharter(folder, rehearsal, engine);
  const { charter } = signed;
  const aggregators = charter.aggregators.map((office) =>
    start(office.name, ['aggregator', join(folder, office.name), ...listeningAt(office)]),
  );
  const { coordinator, written } = await startCoordinator(folder, signed, rehearsal, start, context);
  const parties = rehearsal.devices ? [] : await startParties(folder, signed, rehearsal, start);
  const before = process.cpuUsage();
  const taking = rehearsal.devices ? takePartHere(signed, rehearsal, engine, context) : ended(parties);
  // Whoever fails ends all: the others would wait for it.
  const [took, adding] = await Promise.race([
    Promise.all([taking, ended(aggregators), written]),
    coordinator.ended.then(() => {
      throw new Error('The coordinator stopped before the others had read the log.');
    }),
  ]);
  const { user, system } = process.cpuUsage(before);
  coordinator.interrupt();
  const board = await coordinator.ended;
  return {
    signed,
    exchanges: Number(board['exchanges']),
    bytesSent: took.reduce((sum, { bytesSent }) => sum + Number(bytesSent), 0),
    roles: [
      ...charter.aggregators.map(({ name }, at) => figures(name, adding[at])),
      figures(charter.coordinator.name, board),
      ...(rehearsal.devices
        ? [{ role: 'all devices', cpuSeconds: (user + system) / 1e6 }]
        : took.map((each, at) => figures(partyName(at), each))),
    ],
  };
}

const listeningAt = ({ url }: Office) => ['--listen', new URL(url).host];

/**
 * The coordinator, which shows its log until it is interrupted; `written` settles when the model is there.
 */
async function startCoordinator(
  folder: string,
  { charter }: SignedCharter,
  { out, overwrite }: Rehearsal,
  start: StartRole,
  context: CommandContext,
): Promise<{ readonly coordinator: OwnProcess; readonly written: Promise<void> }> {
  const { mostExchanges } = await import('@hushrec/federate');
  const { name } = charter.coordinator;
  let modelIsThere: () => void = () => undefined;
  const written = new Promise<void>((resolve) => {
    modelIsThere = resolve;
  });
  const coordinator = start(
    name,
    [
      ...['coordinator', join(folder, name), ...listeningAt(charter.coordinator)],
      ...['--out', out, ...(overwrite ? ['--overwrite'] : []), '--linger', '86400'],
    ],
    (line) => {
      reportProgress(line, mostExchanges(charter), context);
      if (line.includes('"event":"written"')) modelIsThere();
    },
  );
  return { coordinator, written };
}

type Result = Readonly<Record<string, unknown>>;
const ended = (processes: readonly OwnProcess[]): Promise<Result[]> =>
  Promise.all(processes.map((each) => each.ended));
const partyName = (at: number) => `party-${at + 1}`;
const figures = (role: string, result: Result): RoleFigures => ({
  role,
  cpuSeconds: Number(result['cpuSeconds']),
});

/** Identities of all roles and a charter that all aggregators have signed, in the folder. */
async function writeCharter(
  folder: string,
  { run, catalogue, shares, devices, aggregatorCount }: Rehearsal,
  engine: Engine,
): Promise<SignedCharter> {
  const { catalogueHash, decodeFeatures, draftCharter, openSealingKey, signCharter } = await import(
    '@hushrec/federate'
  );
  const { freePorts } = await import('@hushrec/federate/node');
  const ports = await freePorts(1 + aggregatorCount);
  const office = (name: string, at: number) =>
    makeIdentity(join(folder, name), name, `https://127.0.0.1:${ports[at]}`);
  const coordinator = await office('coordinator', 0);
  const aggregators: Card[] = [];
  for (let at = 1; at <= aggregatorCount; at++) aggregators.push(await office(`aggregator-${at}`, at));
  const parties: Office[] = [];
  if (!devices)
    for (const at of shares.keys())
      parties.push(await makeIdentity(join(folder, partyName(at)), partyName(at), 'https://127.0.0.1'));
  let signed = await draftCharter(
    {
      ...run,
      catalogue: {
        itemCount: catalogue.itemIds.length,
        scale: catalogue.scale,
        hash: await catalogueHash(catalogue),
      },
      simulation: true,
      coordinator,
      aggregators,
      pace: { kind: 'reports', count: shares.length, longestSeconds: 3600 },
      admission: devices
        ? { kind: 'open' }
        : { kind: 'parties', parties: parties.map(({ url: _url, ...card }) => card) },
    },
    { engine, features: decodeFeatures(catalogue.features) },
  );
  for (const { name } of aggregators) {
    const { key } = await readIdentity(join(folder, name));
    const sealing = await openSealingKey(await runFolder(join(folder, name), signed.charter));
    signed = await signCharter(signed, key, sealing.publicKey);
  }
  await writeWhole(join(folder, 'catalogue.json'), `${JSON.stringify(catalogue)}\n`);
  await writeWhole(join(folder, 'charter.json'), `${JSON.stringify(signed)}\n`);
  return signed;
}

/** Every party with its people's ratings in a data set of its own, and a ledger that goes with it. */
async function startParties(
  folder: string,
  { charter }: SignedCharter,
  { catalogue, shares }: Rehearsal,
  start: StartRole,
): Promise<OwnProcess[]> {
  const { writeDataset } = await import('@hushrec/ratings');
  const names = [...charter.aggregators.map(({ name }) => name), ...shares.map((_, at) => partyName(at))];
  const trust = names.flatMap((name) => ['--trust', join(folder, name, 'identity.json')]);
  const parties: OwnProcess[] = [];
  for (const [at, ratings] of shares.entries()) {
    const name = partyName(at);
    const data = join(folder, `ratings-of-${name}`);
    await writeDataset(data, {
      name,
      ratings,
      userIds: Array.from({ length: ratings.userCount }, (_, user) => String(user)),
      itemIds: catalogue.itemIds,
      itemTitles: catalogue.itemIds.map(() => ''),
      features: [],
      provenance: { simulation: true },
    });
    const own = ['--ratings', data, '--new-ledger', '--most-epsilon', 'inf'];
    parties.push(start(name, ['party', join(folder, name), ...own, ...trust]));
  }
  return parties;
}

/** All devices from this process, each with a line of its own to the log. */
async function takePartHere(
  signed: SignedCharter,
  { shares, catalogue, seed }: Rehearsal,
  engine: Engine,
  { signal }: CommandContext,
): Promise<{ readonly bytesSent: number }[]> {
  const {
    checkCharterByDryRun,
    decodeFeatures,
    MemoryFolder,
    remoteAggregator,
    remoteLog,
    simulatedSecret,
    takePart,
  } = await import('@hushrec/federate');
  const { charter } = signed;
  const knowledge = { engine, features: decodeFeatures(catalogue.features) };
  await checkCharterByDryRun(charter, knowledge);
  const trusted = charter.aggregators.map(({ publicKey }) => publicKey);
  const board = await lineTo(charter.coordinator, undefined, 600, undefined, shares.length);
  const lines = await Promise.all(charter.aggregators.map((each) => lineTo(each, undefined, 600)));
  return Promise.all(
    shares.map((ratings, at) => {
      // Each has a signal of its own: listeners of thousands on one would pass for a leak.
      const own = AbortSignal.any([signal]);
      return takePart(
        signed,
        ratings,
        knowledge,
        { trusted, mostEpsilon: Infinity, kept: 'one-person' },
        {
          aggregators: charter.aggregators.map((_, index) =>
            remoteAggregator(signed, index, lines[index], { signal: own }),
          ),
          log: remoteLog(charter.coordinator.url, charter.run, board),
        },
        {
          folder: new MemoryFolder(),
          checked: true,
          signal: own,
          root: simulatedSecret(seed, `participant ${at}`),
        },
      );
    }),
  );
}

function reportProgress(line: string, total: number, { progress }: CommandContext): void {
  const exchange = /"event":"in the log","exchange":(\d+)/.exec(line)?.[1];
  if (exchange !== undefined) progress({ stage: 'exchanges', done: Number(exchange), total });
}
