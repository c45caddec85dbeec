import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type {
  Catalogue,
  Charter,
  ContributorPolicy,
  Meeting,
  Office,
  SignedCharter,
  TookPart,
  Trusted,
} from '@hushrec/federate';
import type { Command } from 'commander';
import {
  addCommand,
  type CommandContext,
  numberOption,
  OptionError,
  type Outcome,
  repeated,
} from '../command.js';
import { datasetFolder } from '../data-source.js';
import { addLedgerFlags, type LedgerFlags, ledgerFor } from '../dataset-ledger.js';
import { guaranteeText } from '../guarantee-text.js';
import { version } from '../version.js';
import {
  charterOption,
  cpuSeconds,
  type Identity,
  type LogLine,
  lineTo,
  logLine,
  modelPlace,
  publicKnowledge,
  readCard,
  readCharterFile,
  readIdentity,
  refuseStaleCertificates,
  sayingBy,
  secretFromSeed,
  stepsNote,
  withCharter,
} from './federate-role.js';

interface PartyOptions extends LedgerFlags {
  readonly charter: string;
  readonly ratings: string;
  readonly trust?: readonly string[];
  readonly mostEpsilon: number;
  readonly mostDelta?: number;
  readonly leaveOutUnknownItems?: boolean;
  readonly out?: string;
  readonly overwrite?: boolean;
  readonly json?: boolean;
}

export function registerParty(group: Command): void {
  addCommand<PartyOptions>(group, {
    usage: 'party <folder>',
    summary:
      'take part in a run with the ratings of your own people; after a crash, run the same command again',
    examples: [
      'hushrec federate party west --charter run/charter.json --ratings ratings.csv --trust north.json --out model',
    ],
    fields: [
      ...['party', 'run', 'handedIn', 'missed', 'bytesSent', 'ledgerEntry', 'model'],
      ...['cpuSeconds', 'seconds'],
    ],
    notes: stepsNote,
    configure: (command) => {
      command
        .addOption(charterOption())
        .requiredOption(
          '--ratings <dataset>',
          'data set folder, or a plain file on the charter’s scale, with the ratings of this party’s people',
        )
        .option(
          '--trust <card>',
          'identity.json or public key of someone you trust to add noise (repeatable)',
          repeated,
        )
        .option(
          '--most-epsilon <number>',
          'refuse charters that ask for more',
          numberOption('most-epsilon'),
          20,
        )
        .option(
          '--most-delta <number>',
          'refuse charters that ask for more (1/(10 × the charter’s people))',
          numberOption('most-delta'),
        )
        .option('--leave-out-unknown-items', 'leave out ratings of items that the catalogue lacks')
        .option('--out <model>', 'model folder to write as well; everybody’s is the same')
        .option('--overwrite', 'replace an existing model');
      addLedgerFlags(command);
    },
    run: ([folder], options, context) =>
      withCharter(options.charter, () => takePartInRun(folder, options, context)),
  });
}

async function takePartInRun(folder: string, options: PartyOptions, given: CommandContext): Promise<Outcome> {
  const log = logLine(options.json, given.say);
  const context = sayingBy(given, log, options.json);
  const started = performance.now();
  const seat = await openSeat(folder, options);
  const place =
    options.out === undefined ? undefined : await modelPlace(options.out, seat.signed, options.overwrite);
  const own = await ownRatings(options, seat.catalogue, context);
  const { took, entry } = await attend(folder, seat, own, options, context, log, place);
  if (took.zerosBecause !== undefined)
    context.say(`Zeros were handed in from some exchange on, because: ${took.zerosBecause}`);
  const { name, signed } = seat;
  const { handedIn, missed, bytesSent } = took;
  const seconds = Math.round(performance.now() - started) / 1000;
  return {
    json: {
      ...{ party: name, run: signed.charter.run, handedIn, missed, bytesSent },
      ...{ ledgerEntry: entry, model: place?.out ?? null, cpuSeconds: cpuSeconds(), seconds },
    },
    text: [
      `${name} handed in at ${handedIn} exchanges${missed > 0 ? ` and missed ${missed}` : ''}; ${bytesSent} bytes were sent.`,
      ...(place === undefined ? [] : [`The model is ${place.out}.`]),
    ].join('\n'),
  };
}

/** This party's place in a run that it may take part in, and what it takes with it. */
interface Seat extends Pick<Identity, 'key' | 'tls'> {
  readonly signed: SignedCharter;
  readonly catalogue: Catalogue;
  readonly name: string;
  readonly policy: ContributorPolicy;
  /** In simulations. */
  readonly root?: Uint8Array;
}

/** Looks at the charter before any rating is read; `takePart` looks again. @throws CharterError */
async function openSeat(folder: string, options: PartyOptions): Promise<Seat> {
  const { checkDeltaAndBytes, checkEpsilon, readCharter } = await import('@hushrec/federate');
  const { office, key, tls } = await readIdentity(folder);
  const { signed, catalogue } = await readCharterFile(options.charter);
  const { name, root } = await seatIn(signed.charter, office.name, key.publicKey);
  const policy = policyOf(options, await trustedOnes(options.trust, office));
  await refuseStaleCertificates(await readCharter(signed, policy.trusted));
  checkEpsilon(signed.charter, policy.mostEpsilon);
  checkDeltaAndBytes(signed.charter, policy);
  return { key, ...(tls && { tls }), signed, catalogue, name, policy, ...(root && { root }) };
}

/**
 * Charges the party's people and takes part from the first exchange to the last; writes the model if asked.
 */
async function attend(
  folder: string,
  { key, tls, signed, catalogue, name, policy, root }: Seat,
  own: Awaited<ReturnType<typeof ownRatings>>,
  options: PartyOptions,
  context: CommandContext,
  log: LogLine,
  place: Awaited<ReturnType<typeof modelPlace>> | undefined,
): Promise<{ readonly took: TookPart; readonly entry: string | null }> {
  const { partyCredentials, takePart } = await import('@hushrec/federate');
  const { FileFolder } = await import('@hushrec/federate/node');
  const { jobOfCharter, makeRun } = await import('@hushrec/train');
  const { charter, hash } = signed;
  const waiting = onceEach((reason) => log('waiting', { reason }));
  const knowledge = await publicKnowledge(signed, catalogue);
  try {
    const lines = await linesTo(signed, tls, waiting, context.signal);
    // Before anything is charged: a board that is there, and keeps the log of this run.
    await lines.log.peek(0);
    const meeting: Meeting = { ...lines, credentials: partyCredentials(name, key, hash) };
    const { method, plan } = charter;
    const { result, receipt } = await makeRun({
      kind: 'party',
      ...{ source: own, method, plan, job: jobOfCharter(hash), say: context.say },
      show: (run) => {
        context.say(guaranteeText(plan, false));
        return run.hash;
      },
      ledger: ledgerFor(own.directory, options),
      work: async (charge) => {
        const took = await takePart(signed, own.ratings, knowledge, policy, meeting, {
          folder: new FileFolder(join(folder, 'taking-part')),
          ...(root && { root }),
          signal: context.signal,
          waiting,
          progress: (done, total) => {
            log('in the log', { exchange: done });
            context.progress({ stage: 'exchanges', done, total });
          },
          charge,
        });
        if (place !== undefined)
          await makeRun({
            kind: 'federated model',
            ...{ signed, log: lines.log, catalogue, engine: knowledge.engine, codeVersion: version },
            ...place,
          });
        return took;
      },
    });
    return { took: result, entry: receipt?.entry ?? null };
  } finally {
    await knowledge.engine.close();
  }
}

/** The ratings of this party's people, by the items of the catalogue, and what is charged for them. */
async function ownRatings(
  { ratings: path, ledger, newLedger, leaveOutUnknownItems }: PartyOptions,
  catalogue: Catalogue,
  context: CommandContext,
) {
  const { inCatalogue } = await import('@hushrec/federate');
  const { openDataset, readManifest } = await import('@hushrec/ratings');
  const { min, max, step } = catalogue.scale;
  // A data set was read on its own scale, which `inCatalogue` compares; choices have none to declare.
  const isDeclared = min === max || existsSync(join(path, 'dataset.json'));
  const scale = isDeclared ? {} : { scale: `${min}:${max}:${step}` };
  const accounts = { ...(ledger !== undefined && { ledger }), ...(newLedger && { newLedger }) };
  const directory = await datasetFolder(path, { ...accounts, ...scale }, context);
  const { account, contentHash } = await readManifest(directory);
  const dataset = await openDataset(directory);
  const { ratings, leftOut } = inCatalogue(dataset.ratings, dataset.itemIds, catalogue, {
    leaveOut: leaveOutUnknownItems === true,
  });
  if (leftOut > 0) context.say('Ratings of items that the catalogue lacks were left out.');
  return { ratings, directory, account, identity: contentHash };
}

/** Lines to the coordinator's log and to every aggregator. */
async function linesTo(
  signed: SignedCharter,
  tls: Identity['tls'],
  waiting: (reason: string) => void,
  signal: AbortSignal,
) {
  const { remoteAggregator, remoteLog } = await import('@hushrec/federate');
  const { coordinator, aggregators, run } = signed.charter;
  const log = remoteLog(coordinator.url, run, await lineTo(coordinator, tls, 600, waiting));
  return {
    log,
    aggregators: await Promise.all(
      aggregators.map(async (each, at) =>
        remoteAggregator(signed, at, await lineTo(each, tls, 600, waiting), { signal }),
      ),
    ),
  };
}

/** Passes on what differs from what was said last. */
function onceEach(say: (text: string) => void): (text: string) => void {
  let said = '';
  return (text) => {
    if (text !== said) say(text);
    said = text;
  };
}

/**
 * What the charter calls this party; its root where a seed is given. @throws CharterError where it is none
 */
async function seatIn(
  charter: Charter,
  office: string,
  own: string,
): Promise<{ readonly name: string; readonly root?: Uint8Array }> {
  const { CharterError } = await import('@hushrec/federate');
  const { admission } = charter;
  const seats = admission.kind === 'parties' ? admission.parties : [];
  const place = seats.findIndex(({ publicKey }) => publicKey === own);
  if (place < 0) throw new CharterError(`${office} is not one of its parties.`, 'Ask whoever wrote it.');
  const root = await secretFromSeed(charter, `participant ${place}`);
  return { name: seats[place].name, ...(root && { root }) };
}

function policyOf({ mostEpsilon, mostDelta }: PartyOptions, trusted: readonly Trusted[]): ContributorPolicy {
  return { trusted, mostEpsilon, ...(mostDelta !== undefined && { mostDelta }), kept: 'many-people' };
}

/** Cards, or keys alone; a party trusts itself. */
async function trustedOnes(given: readonly string[] | undefined, own: Office): Promise<Trusted[]> {
  const trusted = await Promise.all(
    (given ?? []).map((each) => {
      if (/^[0-9a-f]{64}$/.test(each)) return each;
      if (existsSync(each)) return readCard(each);
      throw new OptionError(`--trust ${each}: expected an identity.json or a public key.`);
    }),
  );
  return [...trusted, own];
}
