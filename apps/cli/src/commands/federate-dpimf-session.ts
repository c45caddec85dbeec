import { randomBytes } from 'node:crypto';
import type { PartySession } from '@hushrec/federate';
import { type Command, Option } from 'commander';
import { addCommand, integerOption, numberOption, OptionError, type Outcome, repeated } from '../command.js';
import { settingsOf } from '../training-options.js';
import { writeNew } from '../whole-file.js';
import { readCard } from './federate-role.js';
import { refuseUnrepaired } from './refuse-unrepaired.js';

interface SessionOptions {
  readonly shared: 'items' | 'users';
  readonly list: string;
  readonly epsilon: number;
  readonly rounds: number;
  readonly set?: readonly string[];
  readonly least?: number;
  readonly coordinator: string;
  readonly party?: readonly string[];
}

export function registerDpimfSession(group: Command): void {
  addCommand<SessionOptions>(group, {
    usage: 'dpimf-session <file>',
    summary: 'write down a session of dpimf: parties that noise their own sums and share items or users',
    examples: [
      'hushrec federate dpimf-session session.json --shared items --list items.csv --epsilon 3 --coordinator board.json --party north.json --party south.json',
    ],
    fields: ['file', 'session', 'shared', 'rows', 'rounds', 'epsilon', 'parties'],
    configure: (command) => {
      command
        .addOption(
          new Option('--shared <side>', 'what the parties have in common; the other side is each one’s own')
            .choices(['items', 'users'])
            .makeOptionMandatory(),
        )
        .requiredOption('--list <path>', 'public table of the shared items (item,title,…) or users (id)')
        .requiredOption(
          '--epsilon <number>',
          'ε of the whole session for one interaction',
          numberOption('epsilon'),
        )
        .option(
          '--rounds <n>',
          'exchanges with the coordinator; each one costs ε',
          integerOption('rounds', 1, 2000),
          2,
        )
        .option('--set <key=value>', 'a setting of dpimf (repeatable)', repeated)
        .option('--least <n>', 'fewer parties end the session (all of them)', integerOption('least', 1))
        .requiredOption('--coordinator <card>', 'identity.json of the coordinator')
        .option(
          '--party <card>',
          'identity.json of a party, with the address it answers at (repeatable)',
          repeated,
        );
    },
    run: ([file], options) => writeSession(file, options),
  });
}

/** Writes a session down and says what it promises. */
async function writeSession(file: string, options: SessionOptions): Promise<Outcome> {
  const { guaranteeText } = await import('../guarantee-text.js');
  const { session, plan } = await sessionFor(options);
  await writeNew(
    file,
    `${JSON.stringify(session, null, 1)}\n`,
    'A session is never changed; choose another file.',
  );
  const { shared, ids, rounds, epsilon, parties } = session;
  return {
    json: {
      ...{ file, session: session.session, shared, rows: ids.length, rounds, epsilon },
      parties: parties.length,
    },
    text: [
      guaranteeText(plan, false),
      `Each of ${parties.map(({ name }) => name).join(', ')} noises its own sums: an interaction is protected by the party it lies with, whatever the others do.`,
      `${file} goes to everyone.`,
    ].join('\n'),
  };
}

async function sessionFor(options: SessionOptions) {
  const { dpimf, dpimfSchema, planRun, readSettings } = await import('@hushrec/factorize');
  const { readCatalogue, readItemTable } = await import('@hushrec/ratings');
  const parties = await Promise.all((options.party ?? []).map(readCard));
  if (parties.length < 2) throw new OptionError('Give --party at least twice.');
  if (new Set(parties.map(({ publicKey }) => publicKey)).size !== parties.length)
    throw new OptionError('--party: the same card is there twice.');
  const ids = [...(await readCatalogue(options.list))];
  const titles = options.shared === 'items' ? (await readItemTable(options.list, ids)).titles : undefined;
  const settings = settingsOf(options.set);
  const full = readSettings(dpimfSchema, {
    ...settings,
    side: options.shared === 'items' ? 'item' : 'user',
    rounds: options.rounds,
  });
  refuseUnrepaired(full);
  const { plan } = planRun({
    method: dpimf,
    settings: full,
    itemCount: ids.length,
    scale: { min: 1, max: 1, step: 1 },
    epsilon: options.epsilon,
    delta: 0,
    seed: 1,
  });
  const session: PartySession = {
    format: 'hushrec-session-1',
    session: randomBytes(16).toString('hex'),
    shared: options.shared,
    ids,
    ...(titles && { titles }),
    rounds: options.rounds,
    epsilon: options.epsilon,
    settings: settings as PartySession['settings'],
    publicSeed: randomBytes(4).readUInt32LE(),
    leastParties: options.least ?? parties.length,
    coordinator: await readCard(options.coordinator),
    parties,
  };
  return { session, plan };
}
