import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Charter, SignedCharter } from '@hushrec/federate';
import type { Certificate } from '@hushrec/model';
import type { Command } from 'commander';
import { addCommand, type CommandContext, integerOption, type Outcome } from '../command.js';
import { version } from '../version.js';
import { writeWhole } from '../whole-file.js';
import {
  charterOption,
  clientCertificates,
  cpuSeconds,
  type Identity,
  lineTo,
  logLine,
  modelPlace,
  publicKnowledge,
  readIdentity,
  readSignedCharter,
  refuseStaleCertificates,
  sayingBy,
  serveRole,
  withCharter,
} from './federate-role.js';

interface CoordinatorOptions {
  readonly charter: string;
  readonly out: string;
  readonly overwrite?: boolean;
  readonly listen?: string;
  readonly linger: number;
  readonly logJson?: boolean;
}

export function registerCoordinator(group: Command): void {
  addCommand<CoordinatorOptions>(group, {
    usage: 'coordinator <folder>',
    summary: 'take one run to its end: keep the log, write the model; the same command goes on after a crash',
    examples: ['hushrec federate coordinator board --charter run/charter.json --out model'],
    fields: [
      ...['model', 'log', 'method', 'unit', 'relation', 'epsilon', 'delta', 'exchanges'],
      ...['cpuSeconds', 'seconds'],
    ],
    configure: (command) => {
      command
        .addOption(charterOption())
        .requiredOption('--out <model>', 'model folder to write')
        .option('--overwrite', 'replace a model that is already there')
        .option('--listen <host:port>', 'where to listen (all interfaces, port of its address)')
        .option(
          '--linger <seconds>',
          'how long to go on showing the log when the run is over',
          integerOption('linger', 0),
          // Whoever waited for this coordinator before asks again within a minute.
          90,
        )
        .option('--log-json', 'steps as JSON lines on standard error');
    },
    run: ([folder], options, context) =>
      withCharter(options.charter, () => takeToItsEnd(folder, options, context)),
  });
}

async function takeToItsEnd(
  folder: string,
  options: CoordinatorOptions,
  given: CommandContext,
): Promise<Outcome> {
  const log = logLine(options.logJson, given.say);
  const context = sayingBy(given, log, options.logJson);
  const { boardRoutes, coordinateRun, scheduleOf } = await import('@hushrec/federate');
  const { makeRun } = await import('@hushrec/train');
  const { signal } = context;
  const started = performance.now();
  const identity = await readIdentity(folder);
  const { signed, catalogue } = await ownCharter(options.charter, identity);
  const { charter } = signed;
  const place = await modelPlace(options.out, signed, options.overwrite);
  const { out } = place;
  const waiting = (reason: string) => log('waiting', { reason });
  const knowledge = await publicKnowledge(signed, catalogue);
  const { directory, board } = await openBoard(folder, options.charter, charter.run);
  const server = await serveRole(boardRoutes(signed, catalogue, board), identity, signed, {
    listen: options.listen,
    mostBytes: 2 ** 16,
    anyOrigin: clientCertificates(signed) === undefined,
    log,
  });
  log('listening', { coordinator: identity.office.name, port: server.port, exchange: board.length + 1 });
  try {
    const aggregators = await linesToAggregators(signed, identity, waiting, signal);
    await coordinateRun(charter, aggregators, board, scheduleOf(charter, board, knowledge, signal), {
      signal,
      waiting,
      progress: (done, total) => {
        log('in the log', { exchange: done });
        context.progress({ stage: 'exchanges', done, total });
      },
    });
    const { certificate } = await makeRun({
      kind: 'federated model',
      ...{ signed, log: board, catalogue, engine: knowledge.engine, codeVersion: version },
      ...place,
    });
    const seconds = Math.round(performance.now() - started) / 1000;
    log('written', { model: options.out });
    await pause(1000 * options.linger, signal);
    const { unit, relation, epsilon, delta } = certificate;
    return {
      json: {
        ...{ model: out, log: directory, method: charter.method, unit, relation, epsilon, delta },
        ...{ exchanges: board.length, cpuSeconds: cpuSeconds(), seconds },
      },
      text: writtenWords(charter, certificate, out, `hushrec verify ${options.out} --log ${directory}`),
    };
  } finally {
    await server.close();
    await knowledge.engine.close();
  }
}

async function linesToAggregators(
  signed: SignedCharter,
  { key, tls }: Identity,
  waiting: (reason: string) => void,
  signal: AbortSignal,
) {
  const { remoteAggregator } = await import('@hushrec/federate');
  return Promise.all(
    signed.charter.aggregators.map(async (each, at) =>
      remoteAggregator(signed, at, await lineTo(each, tls, 600, waiting), { key, signal }),
    ),
  );
}

function writtenWords(
  { method, catalogue }: Charter,
  { epsilon, delta }: Certificate,
  out: string,
  verify: string,
): string {
  return [
    `${out}: ${method}, ${catalogue.itemCount} items, (ε, δ) = (${epsilon}, ${delta}).`,
    `Anyone who has the log can recompute it: \`${verify}\`.`,
  ].join('\n');
}

/** A charter that names this coordinator. @throws CharterError where it names another */
async function ownCharter(path: string, { office, key }: Identity): ReturnType<typeof readSignedCharter> {
  const { CharterError } = await import('@hushrec/federate');
  const read = await readSignedCharter(path);
  const { charter } = read.signed;
  if (charter.coordinator.publicKey !== key.publicKey)
    throw new CharterError(
      `${office.name} is not its coordinator.`,
      `That is ${charter.coordinator.name}: give its folder.`,
    );
  await refuseStaleCertificates(charter);
  return read;
}

/** The log of the run, in a folder that holds its charter and catalogue too. */
async function openBoard(folder: string, charterFile: string, run: string) {
  const { Board } = await import('@hushrec/federate');
  const { FileFolder } = await import('@hushrec/federate/node');
  const directory = join(folder, `run-${run}`);
  for (const name of ['charter.json', 'catalogue.json'])
    await writeWhole(join(directory, name), await readFile(join(dirname(charterFile), name), 'utf8'));
  return { directory, board: await Board.open(new FileFolder(directory)) };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
