import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { addCommand, integerOption } from '../command.js';
import { version } from '../version.js';
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
          30,
        )
        .option('--log-json', 'steps as JSON lines on standard error');
    },
    run: async ([folder], options, context) => {
      const { Board, boardRoutes, CharterError, coordinateRun, remoteAggregator, scheduleOf } = await import(
        '@hushrec/federate'
      );
      const { FileFolder, serve } = await import('@hushrec/federate/node');
      const { publishFederated } = await import('@hushrec/train');
      const { checkModelFolder } = await import('@hushrec/model/folder');
      const started = performance.now();
      const { office, key, tls } = await readIdentity(folder!);
      const { signed, catalogue } = await readSignedCharter(options.charter);
      const { charter } = signed;
      if (charter.coordinator.publicKey !== key.publicKey)
        throw new CharterError(
          `${office.name} is not its coordinator.`,
          `That is ${charter.coordinator.name}: give its folder.`,
        );
      await refuseStaleCertificates(charter);
      const out = resolve(options.out);
      await checkModelFolder(out, options.overwrite === true);
      const log = logLine(options.logJson, context.say);
      const knowledge = await publicKnowledge(signed, catalogue);
      const directory = join(folder!, `run-${charter.run}`);
      await mkdir(directory, { recursive: true });
      for (const name of ['charter.json', 'catalogue.json'])
        await copyFile(join(dirname(options.charter), name), join(directory, name));
      const board = await Board.open(new FileFolder(directory));
      const clients = clientCertificates(signed);
      const server = await serve(boardRoutes(signed, catalogue, board), {
        ...listenAt(options.listen, office),
        ...(office.url.startsWith('https:') && { tls: { ...tls, ...(clients && { clients }) } }),
        mostBytes: 2 ** 16,
        anyOrigin: clients === undefined,
        failed: (error) => log('failed', { reason: failureWords(error) }),
      });
      log('listening', { coordinator: office.name, port: server.port, exchange: board.length + 1 });
      try {
        const aggregators = await Promise.all(
          charter.aggregators.map(async (each) =>
            remoteAggregator(
              each.url,
              charter.run,
              await lineTo(each, tls, 600, (reason) => log('waiting', { reason })),
              {
                key,
                signal: context.signal,
              },
            ),
          ),
        );
        const schedule = scheduleOf(charter, board, knowledge, context.signal);
        await coordinateRun(charter, aggregators, board, schedule, {
          signal: context.signal,
          waiting: (reason) => log('waiting', { reason }),
          progress: (done, total) => {
            log('in the log', { exchange: done });
            context.progress({ stage: 'exchanges', done, total });
          },
        });
        const { certificate: sealed } = await publishFederated(
          { signed, log: board, catalogue, engine: knowledge.engine, codeVersion: version },
          { out, overwrite: options.overwrite === true },
        );
        const seconds = Math.round(performance.now() - started) / 1000;
        log('written', { model: options.out });
        await pause(1000 * options.linger, context.signal);
        return {
          json: {
            model: out,
            log: directory,
            method: charter.method,
            unit: sealed.unit,
            relation: sealed.relation,
            epsilon: sealed.epsilon,
            delta: sealed.delta,
            exchanges: board.length,
            cpuSeconds: cpuSeconds(),
            seconds,
          },
          text: [
            `${out}: ${charter.method}, ${charter.catalogue.itemCount} items, (ε, δ) = (${sealed.epsilon}, ${sealed.delta}).`,
            `Anyone who has the log can recompute it: \`hushrec verify ${options.out} --log ${directory}\`.`,
          ].join('\n'),
        };
      } finally {
        await server.close();
        await knowledge.engine.close();
      }
    },
  });
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
