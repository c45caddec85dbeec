import type { Aggregator, Charter, LogReader, Schedule, SealingKey } from '@hushrec/federate';
import type { Command } from 'commander';
import { addCommand, type CommandContext, type Outcome } from '../command.js';
import {
  chartersOption,
  cpuSeconds,
  type Identity,
  type LogLine,
  lineTo,
  logLine,
  type OpenedRun,
  publicKnowledge,
  readIdentity,
  readSignedCharter,
  refuseStaleCertificates,
  runFolder,
  sayingBy,
  secretFromSeed,
  serveRuns,
  stepsNote,
} from './federate-role.js';

interface AggregatorOptions {
  readonly charter: readonly string[];
  readonly listen?: string;
  readonly json?: boolean;
}

export function registerAggregator(group: Command): void {
  addCommand<AggregatorOptions>(group, {
    usage: 'aggregator <folder>',
    summary:
      'add up shares for one run or several, until they are over; after a crash, run the same command again',
    examples: ['hushrec federate aggregator north --charter run/charter.json'],
    fields: ['aggregator', 'run', 'exchanges', 'head', 'cpuSeconds', 'runs'],
    notes: stepsNote,
    configure: (command) => {
      command
        .addOption(chartersOption())
        .option('--listen <host:port>', 'where to listen (all interfaces, port of its address)');
    },
    run: ([folder], options, context) => addUpShares(folder, options, context),
  });
}

async function addUpShares(
  folder: string,
  options: AggregatorOptions,
  given: CommandContext,
): Promise<Outcome> {
  const log = logLine(options.json, given.say);
  const context = sayingBy(given, log, options.json);
  const identity = await readIdentity(folder);
  return serveRuns('aggregator', options.charter, identity, { listen: options.listen, log }, (file) =>
    openAggregator(file, identity, context, log),
  );
}

async function openAggregator(
  file: string,
  { folder, office, key, tls, secret }: Identity,
  context: CommandContext,
  log: LogLine,
): Promise<OpenedRun> {
  const {
    Aggregator,
    aggregatorRoutes,
    checkCharterByDryRun,
    forgetSealingKey,
    readSealingKey,
    remoteLog,
    scheduleOf,
    sealingKeys,
    seatOf,
  } = await import('@hushrec/federate');
  const { signed, catalogue } = await readSignedCharter(file);
  const { charter, hash } = signed;
  const index = seatOf(charter, office);
  const simulated = await secretFromSeed(charter, `aggregator ${index}`);
  await refuseStaleCertificates(charter);
  const knowledge = await publicKnowledge(signed, catalogue);
  await checkCharterByDryRun(charter, knowledge);
  const board = remoteLog(
    charter.coordinator.url,
    charter.run,
    await lineTo(charter.coordinator, tls, 600, (reason) => log('waiting', { reason })),
  );
  const schedule = scheduleOf(charter, board, knowledge, context.signal);
  const kept = await runFolder(folder, charter);
  const sealedKeys = sealingKeys(signed);
  const sealedTo = sealedKeys[index];
  const sealing = await readSealingKey(kept, sealedTo);
  const aggregator = await Aggregator.open(charter, kept, {
    index,
    key,
    secret: simulated ?? secret,
    repeatable: simulated !== undefined,
    schedule,
    ...(charter.normProofs && { verifyKey: await keyOfProofs(sealing, sealedKeys[1 - index], hash) }),
    ...(signed.tokens && { tokenKeys: signed.tokens.tokenKeys }),
  });
  return {
    signed,
    routes: aggregatorRoutes(charter, aggregator, { index, sealing }),
    mostBytes: mostBytesAsked(charter),
    anyOrigin: charter.admission.kind !== 'parties',
    exchange: aggregator.exchange + 1,
    untilTheEnd: async () => {
      await followLog(board, schedule, charter, context, log);
      await forgetSealingKey(kept, sealedTo);
      return outcomeOf(office.name, charter.run, aggregator);
    },
    close: () => knowledge.engine.close(),
  };
}

/** The key with which two aggregators check norm proofs; of a run that has ended nothing is left to check. */
async function keyOfProofs(sealing: SealingKey | undefined, others: string, hash: string) {
  const { verifyKey } = await import('@hushrec/federate');
  return sealing ? verifyKey(sealing, others, hash) : crypto.getRandomValues(new Uint8Array(32));
}

function outcomeOf(name: string, run: string, { exchange, head }: Aggregator): Outcome {
  return {
    json: { aggregator: name, run, exchanges: exchange, head, cpuSeconds: cpuSeconds() },
    text: `${name}: ${exchange} exchanges of run ${run} are signed.`,
  };
}

/** Until the last exchange is in the log, or the run is over before. */
async function followLog(
  board: LogReader,
  schedule: Schedule,
  charter: Charter,
  { signal, progress }: CommandContext,
  log: LogLine,
): Promise<void> {
  const { mostExchanges } = await import('@hushrec/federate');
  for (let exchange = 0; (await schedule.at(exchange)) !== undefined; exchange++) {
    const entry = await board.entry(exchange, signal);
    if ('over' in entry) {
      log('over', { exchange: exchange + 1, reason: entry.over });
      return;
    }
    log('in the log', { exchange: exchange + 1 });
    progress({ stage: 'exchanges', done: exchange + 1, total: mostExchanges(charter) });
  }
}

/** Numbers in the largest exchange that there can be. */
/** A sealed report, or a header with the words of all; with norm proofs a few for each line. */
function mostBytesAsked({ aggregators, exchanges, plan, wordBytes, normProofs }: Charter): number {
  const numbers = exchanges.map((lines) => lines.reduce((sum, { length }) => sum + length, 0));
  const largest = Math.max(...numbers, plan.later?.numbers ?? 0);
  const lines = normProofs ? Math.max(...exchanges.map(({ length }) => length)) : 0;
  return 2 ** 20 + aggregators.length * largest * wordBytes + 2 ** 18 * lines;
}
