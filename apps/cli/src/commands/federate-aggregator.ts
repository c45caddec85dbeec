import { join } from 'node:path';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import {
  charterOption,
  clientCertificates,
  cpuSeconds,
  failureWords,
  lineTo,
  listenAt,
  logLine,
  publicKnowledge,
  readIdentity,
  readSignedCharter,
  refuseStaleCertificates,
} from './federate-role.js';

interface AggregatorOptions {
  readonly charter: string;
  readonly listen?: string;
  readonly logJson?: boolean;
}

export function registerAggregator(group: Command): void {
  addCommand<AggregatorOptions>(group, {
    usage: 'aggregator <folder>',
    summary: 'add up shares for one run, until it is over; the same command goes on after a crash',
    examples: ['hushrec federate aggregator north --charter run/charter.json'],
    fields: ['aggregator', 'run', 'exchanges', 'head', 'cpuSeconds'],
    configure: (command) => {
      command
        .addOption(charterOption())
        .option('--listen <host:port>', 'where to listen (all interfaces, port of its address)')
        .option('--log-json', 'steps as JSON lines on standard error');
    },
    run: async ([folder], options, context) => {
      const {
        Aggregator,
        aggregatorRoutes,
        CharterError,
        checkCharterByDryRun,
        mostExchanges,
        remoteLog,
        scheduleOf,
      } = await import('@hushrec/federate');
      const { FileFolder, serve } = await import('@hushrec/federate/node');
      const { office, key, tls, secret } = await readIdentity(folder!);
      const { signed, catalogue } = await readSignedCharter(options.charter);
      const { charter } = signed;
      const index = charter.aggregators.findIndex(({ publicKey }) => publicKey === key.publicKey);
      if (index < 0)
        throw new CharterError(
          `${office.name} is not one of its aggregators.`,
          `They are ${charter.aggregators.map(({ name }) => name).join(', ')}: give the folder of one of them.`,
        );
      await refuseStaleCertificates(charter);
      const log = logLine(options.logJson, context.say);
      const knowledge = await publicKnowledge(signed, catalogue);
      await checkCharterByDryRun(charter, knowledge);
      const board = remoteLog(
        charter.coordinator.url,
        charter.run,
        await lineTo(charter.coordinator, tls, 0, (reason) => log('waiting', { reason })),
      );
      const schedule = scheduleOf(charter, board, knowledge, context.signal);
      const aggregator = await Aggregator.open(charter, new FileFolder(join(folder!, `run-${charter.run}`)), {
        index,
        key,
        secret,
        schedule,
      });
      const largest = Math.max(
        ...charter.exchanges.map((lines) => lines.reduce((sum, { length }) => sum + length, 0)),
        charter.plan.later?.numbers ?? 0,
      );
      const clients = clientCertificates(signed);
      const server = await serve(aggregatorRoutes(charter, aggregator), {
        ...listenAt(options.listen, office),
        ...(office.url.startsWith('https:') && { tls: { ...tls, ...(clients && { clients }) } }),
        mostBytes: Math.max(2 ** 20, largest * charter.wordBytes),
        anyOrigin: charter.admission.kind !== 'parties',
        failed: (error) => log('failed', { reason: failureWords(error) }),
      });
      log('listening', { aggregator: office.name, port: server.port, exchange: aggregator.exchange + 1 });
      try {
        for (let exchange = 0; (await schedule.at(exchange)) !== undefined; exchange++) {
          const entry = await board.entry(exchange, context.signal);
          if ('over' in entry) {
            log('over', { exchange: exchange + 1, reason: entry.over });
            break;
          }
          log('in the log', { exchange: exchange + 1 });
          context.progress({ stage: 'exchanges', done: exchange + 1, total: mostExchanges(charter) });
        }
      } finally {
        await server.close();
        await knowledge.engine.close();
      }
      return {
        json: {
          aggregator: office.name,
          run: charter.run,
          exchanges: aggregator.exchange,
          head: aggregator.head,
          cpuSeconds: cpuSeconds(),
        },
        text: `${office.name}: ${aggregator.exchange} exchanges of run ${charter.run} are signed.`,
      };
    },
  });
}
