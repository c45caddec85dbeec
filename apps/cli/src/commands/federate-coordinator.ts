import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Charter, SignedCharter } from '@hushrec/federate';
import type { Certificate } from '@hushrec/model';
import type { Command } from 'commander';
import {
  addCommand,
  type CommandContext,
  integerOption,
  OptionError,
  type Outcome,
  repeated,
} from '../command.js';
import { version } from '../version.js';
import { writeWhole } from '../whole-file.js';
import {
  chartersOption,
  clientCertificates,
  cpuSeconds,
  type Identity,
  type LogLine,
  lineTo,
  logLine,
  modelPlace,
  type OpenedRun,
  publicKnowledge,
  readIdentity,
  readSignedCharter,
  refuseStaleCertificates,
  sayingBy,
  serveRuns,
  stepsNote,
} from './federate-role.js';

/** Of a timer, in milliseconds: whatever is longer would be over at once. */
const LONGEST_PAUSE = 2 ** 31 - 1;

interface CoordinatorOptions {
  readonly charter: readonly string[];
  readonly out: readonly string[];
  readonly overwrite?: boolean;
  readonly listen?: string;
  readonly linger: number;
  readonly json?: boolean;
}

export function registerCoordinator(group: Command): void {
  addCommand<CoordinatorOptions>(group, {
    usage: 'coordinator <folder>',
    summary:
      'take one run or several to their end: keep the log, write the model; after a crash, run the same command again',
    examples: ['hushrec federate coordinator board --charter run/charter.json --out model'],
    fields: [
      ...['model', 'log', 'method', 'unit', 'relation', 'epsilon', 'delta', 'exchanges'],
      ...['cpuSeconds', 'seconds', 'runs'],
    ],
    notes: stepsNote,
    configure: (command) => {
      command
        .addOption(chartersOption())
        .requiredOption(
          '--out <model>',
          'model folder to write (repeatable: one for each --charter, in the same order)',
          repeated,
        )
        .option('--overwrite', 'replace an existing model')
        .option('--listen <host:port>', 'where to listen (all interfaces, port of its address)')
        .option(
          '--linger <seconds>',
          'how long to keep showing the log after the run is over',
          integerOption('linger', 0),
          // Whoever waited for this coordinator before asks again within a minute.
          90,
        );
    },
    run: ([folder], options, context) => takeToTheirEnd(folder, options, context),
  });
}

async function takeToTheirEnd(
  folder: string,
  options: CoordinatorOptions,
  given: CommandContext,
): Promise<Outcome> {
  const log = logLine(options.json, given.say);
  const context = sayingBy(given, log, options.json);
  const identity = await readIdentity(folder);
  if (options.out.length !== options.charter.length)
    throw new OptionError(
      `There are ${options.charter.length} --charter and ${options.out.length} --out: give one --out for each --charter, in the same order.`,
    );
  return serveRuns('coordinator', options.charter, identity, { listen: options.listen, log }, (file, at) =>
    openBoardOf(file, options.out[at], identity, options, context, log),
  );
}

async function openBoardOf(
  file: string,
  model: string,
  identity: Identity,
  { overwrite, linger }: CoordinatorOptions,
  { signal, progress }: CommandContext,
  log: LogLine,
): Promise<OpenedRun> {
  const { boardRoutes, coordinateRun, scheduleOf } = await import('@hushrec/federate');
  const { makeRun } = await import('@hushrec/train');
  const started = performance.now();
  const { signed, catalogue } = await ownCharter(file, identity);
  const { charter } = signed;
  const place = await modelPlace(model, signed, overwrite);
  const { out } = place;
  const waiting = (reason: string) => log('waiting', { reason });
  const knowledge = await publicKnowledge(signed, catalogue);
  const { directory, board } = await openBoard(identity.folder, file, charter.run);
  const untilTheEnd = async () => {
    const aggregators = await linesToAggregators(signed, identity, waiting, signal);
    await coordinateRun(charter, aggregators, board, scheduleOf(charter, board, knowledge, signal), {
      signal,
      waiting,
      progress: (done, total) => {
        log('in the log', { exchange: done });
        progress({ stage: 'exchanges', done, total });
      },
    });
    const { certificate } = await makeRun({
      kind: 'federated model',
      ...{ signed, log: board, catalogue, engine: knowledge.engine, codeVersion: version },
      ...place,
    });
    const seconds = Math.round(performance.now() - started) / 1000;
    log('written', { model });
    // Whoever stops it has seen enough.
    await setTimeout(Math.min(1000 * linger, LONGEST_PAUSE), undefined, { signal }).catch(() => undefined);
    const { unit, relation, epsilon, delta } = certificate;
    return {
      json: {
        ...{ model: out, log: directory, method: charter.method, unit, relation, epsilon, delta },
        ...{ exchanges: board.length, cpuSeconds: cpuSeconds(), seconds },
      },
      text: writtenWords(charter, certificate, out, `hushrec verify ${model} --log ${directory}`),
    };
  };
  return {
    signed,
    routes: boardRoutes(signed, catalogue, board),
    mostBytes: 2 ** 16,
    anyOrigin: clientCertificates(signed) === undefined,
    exchange: board.length + 1,
    untilTheEnd,
    close: () => knowledge.engine.close(),
  };
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
