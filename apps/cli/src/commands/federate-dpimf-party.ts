import { join, resolve } from 'node:path';
import type { MessageHandler, Party, PartySession } from '@hushrec/federate';
import type { Receipt } from '@hushrec/ledger';
import type { Command } from 'commander';
import { addCommand, type CommandContext, type Outcome } from '../command.js';
import { addSourceFlags, datasetFolder, type SourceFlags } from '../data-source.js';
import { addLedgerFlags, type LedgerFlags } from '../dataset-ledger.js';
import { version } from '../version.js';
import { chargePlan, completeCharge } from './federate-charge.js';
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
    run: ([folder], options, context) => answerSession(folder, options, context),
  });
}

async function answerSession(
  folder: string,
  options: PartyOptions,
  context: CommandContext,
): Promise<Outcome> {
  const { CharterError, inSession, Party } = await import('@hushrec/federate');
  const { FileFolder } = await import('@hushrec/federate/node');
  const { openDataset, publishedItems, readManifest } = await import('@hushrec/ratings');
  const { checkModelFolder } = await import('@hushrec/model/folder');
  const { publishParty } = await import('@hushrec/train');
  const started = performance.now();
  const { office, key, tls } = await readIdentity(folder);
  const session = await readSession(options.session);
  const own = session.parties.find(({ publicKey }) => publicKey === key.publicKey);
  if (own === undefined) throw new CharterError(`${office.name} is not a party of this session.`);
  const out = resolve(options.out);
  await checkModelFolder(out, options.overwrite === true);
  const directory = await datasetFolder(options.ratings, options, context);
  const { account, contentHash } = await readManifest(directory);
  const dataset = await openDataset(directory);
  const charged = { directory, account: account.id, contentHash };
  let receipt: Receipt | undefined;
  const party = new Party(
    own.name,
    inSession(dataset.ratings, dataset, session),
    {
      mostEpsilon: Infinity,
      charge: async (_, plan) => {
        const job = `dpimf session ${session.session}`;
        receipt = await chargePlan(charged, options, context, { job, method: 'dpimf', plan });
        return receipt.entry;
      },
    },
    {},
    new FileFolder(join(folder, 'sessions')),
  );
  await answerUntilOver(party, session, own, { tls, options, context });
  const items =
    session.shared === 'items'
      ? { itemIds: session.ids, ...(session.titles && { titles: session.titles }) }
      : publishedItems(dataset);
  const userIds = session.shared === 'users' ? session.ids : [];
  const { certificate } = await publishParty(
    party,
    { items, account: account.id, codeVersion: version, userIds },
    { out, overwrite: options.overwrite === true },
  );
  if (receipt !== undefined) await completeCharge(charged, options, receipt);
  const seconds = Math.round(performance.now() - started) / 1000;
  const { unit, relation, epsilon, ledgerEntry } = certificate;
  return {
    json: {
      ...{ party: own.name, session: session.session, model: out },
      ...{ unit, relation, epsilon, ledgerEntry, seconds },
    },
    text: [
      `${own.name} answered ${session.rounds} rounds. ε = ${epsilon} for each interaction that lies with it.`,
      `The model is ${out}; check it with \`hushrec verify ${options.out}\`.`,
    ].join('\n'),
  };
}

/** Listens for the coordinator's messages until the session is finished. */
async function answerUntilOver(
  party: Party,
  session: PartySession,
  own: PartySession['parties'][number],
  {
    tls,
    options,
    context,
  }: {
    readonly tls: Awaited<ReturnType<typeof readIdentity>>['tls'];
    readonly options: PartyOptions;
    readonly context: CommandContext;
  },
): Promise<void> {
  const { isOffered, partyRoutes } = await import('@hushrec/federate');
  const { serve } = await import('@hushrec/federate/node');
  const log = logLine(options.logJson, context.say);
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
    ...(own.url.startsWith('https:') &&
      tls && {
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
}
