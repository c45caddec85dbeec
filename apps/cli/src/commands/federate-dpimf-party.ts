import { join, resolve } from 'node:path';
import type { MessageHandler } from '@hushrec/federate';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { addSourceFlags, datasetFolder, type SourceFlags } from '../data-source.js';
import { addLedgerFlags, type LedgerFlags } from '../dataset-ledger.js';
import { version } from '../version.js';
import { chargePlan } from './federate-charge.js';
import { listenAt, logLine, readIdentity, readSession } from './federate-role.js';

interface PartyOptions extends SourceFlags, LedgerFlags {
  readonly session: string;
  readonly ratings: string;
  readonly out: string;
  readonly overwrite?: boolean;
  readonly listen?: string;
  readonly logJson?: boolean;
}

export function registerDpimfParty(group: Command): void {
  addCommand<PartyOptions>(group, {
    usage: 'dpimf-party <folder>',
    summary: 'answer one dpimf session with noised sums of one’s own ratings, and write the model',
    examples: ['hushrec federate dpimf-party north --session session.json --ratings ratings.csv --out model'],
    fields: ['party', 'session', 'model', 'unit', 'relation', 'epsilon', 'ledgerEntry', 'seconds'],
    configure: (command) => {
      command
        .requiredOption('--session <file>', 'what `dpimf-session` wrote')
        .requiredOption('--ratings <dataset>', 'data set folder or file with this party’s interactions')
        .requiredOption('--out <model>', 'model folder to write')
        .option('--overwrite', 'replace a model that is already there')
        .option('--listen <host:port>', 'where to listen (all interfaces, port of its address)')
        .option('--log-json', 'steps as JSON lines on standard error');
      addLedgerFlags(command);
      addSourceFlags(command);
    },
    run: async ([folder], options, context) => {
      const { CharterError, inSession, isOffered, Party, partyRoutes } = await import('@hushrec/federate');
      const { FileFolder, serve } = await import('@hushrec/federate/node');
      const { openDataset, publishedItems, readManifest } = await import('@hushrec/ratings');
      const { checkModelFolder } = await import('@hushrec/model/folder');
      const { publishParty } = await import('@hushrec/train');
      const started = performance.now();
      const { office, key, tls } = await readIdentity(folder!);
      const session = await readSession(options.session);
      const own = session.parties.find(({ publicKey }) => publicKey === key.publicKey);
      if (own === undefined) throw new CharterError(`${office.name} is not a party of this session.`);
      const out = resolve(options.out);
      await checkModelFolder(out, options.overwrite === true);
      const directory = await datasetFolder(options.ratings, options, context);
      const { account, contentHash } = await readManifest(directory);
      const dataset = await openDataset(directory);
      const ratings = inSession(dataset.ratings, dataset, session);
      const log = logLine(options.logJson, context.say);
      const party = new Party(
        own.name,
        ratings,
        {
          mostEpsilon: Infinity,
          charge: (_, plan) =>
            chargePlan({ directory, account: account.id, contentHash }, options, context, {
              job: `dpimf session ${session.session}`,
              method: 'dpimf',
              plan,
            }),
        },
        {},
        new FileFolder(join(folder!, 'sessions')),
      );
      let finished = () => {};
      const over = new Promise<void>((settle, fail) => {
        finished = settle;
        context.signal.addEventListener('abort', () => fail(context.signal.reason), { once: true });
      });
      const handler: MessageHandler = {
        party: own.name,
        handle: async (message) => {
          if (message.kind === 'invitation' && !isOffered(session, message))
            return { kind: 'refused', session: message.session, party: own.name, reason: 'malformed' };
          const answer = await party.handle(message);
          log(answer.kind === 'refused' ? `refused (${answer.reason})` : answer.kind);
          if (answer.kind === 'finished') finished();
          return answer;
        },
      };
      const coordinator = session.coordinator.certificate;
      const server = await serve(partyRoutes(handler), {
        ...listenAt(options.listen, own),
        ...(own.url.startsWith('https:') && {
          tls: { ...tls, ...(coordinator && { clients: [coordinator] }) },
        }),
        mostBytes: 2 ** 31,
        failed: (error) => log('failed', { reason: (error as Error).message }),
      });
      log('listening', { party: own.name, port: server.port });
      try {
        await over;
        // The answer to the last message is still on its way.
        await new Promise((resolve) => setTimeout(resolve, 500));
      } finally {
        await server.close();
      }
      const items =
        session.shared === 'items'
          ? { itemIds: session.ids, ...(session.titles && { titles: session.titles }) }
          : publishedItems(dataset);
      const { certificate } = await publishParty(
        party,
        {
          items,
          account: account.id,
          codeVersion: version,
          userIds: session.shared === 'users' ? session.ids : [],
        },
        { out, overwrite: options.overwrite === true },
      );
      const seconds = Math.round(performance.now() - started) / 1000;
      return {
        json: {
          party: own.name,
          session: session.session,
          model: out,
          unit: certificate.unit,
          relation: certificate.relation,
          epsilon: certificate.epsilon,
          ledgerEntry: certificate.ledgerEntry,
          seconds,
        },
        text: [
          `${own.name} answered ${session.rounds} rounds. ε = ${certificate.epsilon} for each interaction that lies with it.`,
          `The model is ${out}; check it with \`hushrec verify ${options.out}\`.`,
        ].join('\n'),
      };
    },
  });
}
