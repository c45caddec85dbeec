import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Goal } from '@hushrec/factorize';
import type { Ledger } from '@hushrec/ledger';
import type { Certificate, PublishedModel } from '@hushrec/model';
import type { DatasetManifest } from '@hushrec/ratings';
import type { KeptVersion, RememberRequest } from '@hushrec/train';
import { type Command, Option } from 'commander';
import {
  addCommand,
  type CommandContext,
  integerOption,
  numberOption,
  OptionError,
  type Outcome,
  repeated,
  usualDelta,
} from '../command.js';
import {
  addSourceAgainFlags,
  askedOf,
  flagOf,
  importOptions,
  importWithScale,
  readAsBefore,
  type SourceFlags,
  warningLines,
} from '../data-source.js';
import { addLedgerFlag, datasetLedgerIfThere, openDatasetLedger } from '../dataset-ledger.js';
import { type Duration, dateOption, durationOption, keptSince, today } from '../duration.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { guaranteeText } from '../guarantee-text.js';
import { type AccountFlags, importIntoAccount } from '../import-account.js';
import { knownDatasetFolder } from '../imported-folder.js';
import type { TrainOptions } from '../library/train.js';
import { deltaText } from '../number-text.js';
import { planOption } from '../publish-request.js';
import { type Gate, gates, whyHeldBack } from '../refresh-gate.js';
import { watchedRefresh } from '../refresh-outcome.js';
import { dueOn, planFileOf, planWords, type RefreshPlan, readRefreshPlan } from '../refresh-plan.js';
import { settingsOf } from '../training-options.js';
import { contentAtLastRefresh, endRefresh } from '../unfinished-refresh.js';
import { dryOutcome } from './train.js';

interface RefreshFlags extends Pick<SourceFlags, 'query' | 'itemsQuery'>, AccountFlags {
  readonly model: string;
  readonly from?: string;
  readonly append?: boolean;
  readonly method?: string;
  readonly epsilon?: number;
  readonly delta?: number;
  readonly people?: number;
  readonly set?: readonly string[];
  readonly features?: readonly string[];
  readonly kind?: readonly string[];
  readonly threads?: number;
  readonly force?: boolean;
  readonly publishIf?: Gate;
  readonly keepModels: number;
  readonly onFailure?: string;
  readonly keep?: Duration;
  readonly date?: string;
  readonly plan?: string;
  readonly dryRun?: boolean;
  readonly beginAnew?: boolean;
  readonly keepMemory?: boolean;
  /** `--no-memory`. */
  readonly memory?: boolean;
  readonly withReleases?: boolean;
}

/**
 * The data set folder, here or one level below, whose account has this name or id; undefined where there is
 * none, or `named` is a folder itself.
 */
export async function folderOfAccount(named: string): Promise<string | undefined> {
  if (existsSync(join(named, 'dataset.json'))) return named;
  const { readManifest } = await import('@hushrec/ratings');
  const found: string[] = [];
  for (const entry of readdirSync('.', { withFileTypes: true })) {
    if (!entry.isDirectory() || !existsSync(join(entry.name, 'dataset.json'))) continue;
    const account = await readManifest(entry.name).then(
      (manifest) => manifest.account,
      () => undefined,
    );
    if (account?.name === named || account?.id === named) found.push(entry.name);
  }
  if (found.length > 1)
    throw new CommandError(
      exitCodes.wrongUsage,
      `${named}: several data sets here belong to this account (${found.join(', ')}). Give the folder of the one to refresh.`,
    );
  return found[0];
}

/** How the model is trained again: as the one that is there was, unless something else is said. */
interface Again {
  readonly method: string;
  readonly epsilon?: number;
  readonly delta: number;
  readonly people?: number;
  readonly liked?: number;
  readonly goal?: Goal;
  readonly withReleases: boolean;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
}

export function registerRefresh(program: Command): void {
  addCommand<RefreshFlags>(program, {
    usage: 'refresh <account>',
    summary:
      'retrain on a schedule: new ratings, what is left of the budget, a new model in place of the old',
    examples: [
      'hushrec refresh shop --from ratings-week-2.csv --append --model models/shop',
      "hushrec refresh shop --from postgres://localhost/shop --query 'select customer, product, stars from ratings' --model models/shop",
      'hushrec refresh shop --model models/shop   (what was imported since; nothing where nothing is new)',
    ],
    fields: [
      ...['model', 'trained', 'account', 'method', 'epsilon', 'lastRunEpsilon', 'rememberedRuns', 'delta'],
      ...['verdict', 'itemsAboveNoise', 'certificate', 'published', 'heldBack', 'ledgerEntry', 'left'],
      ...['seconds', 'plan (hash, with --dry-run)', 'next (day, where none is due under a plan)'],
    ],
    configure: addRefreshFlags,
    run: ([account], flags, context) =>
      flags.dryRun === true
        ? refresh(account, flags, context)
        : watchedRefresh({ ...flags, account }, context, () => refresh(account, flags, context)),
  });
}

function addRefreshFlags(command: Command): void {
  command
    .requiredOption('--model <folder>', 'the model to replace; trained as it was, unless said otherwise')
    .option(
      '--from <source>',
      'where new ratings come from, read as the data set was: file, folder or postgres:// address',
    )
    .option('--append', 'add them to the data set; otherwise they replace its ratings')
    .option('--method <name>', 'another method')
    .option('--epsilon <number>', 'another ε', numberOption('epsilon'))
    .option('--delta <number>', 'another δ', numberOption('delta'))
    .option('--people <n>', 'another declared number of people', integerOption('people', 1))
    .option('--set <key=value>', 'other settings (repeatable)', repeated)
    .option('--features <file>', 'files of public features that it learns from (repeatable)', repeated)
    .option('--kind <kind>', 'of the file in the same place', repeated)
    .option('--threads <n>', 'threads (all cores)', integerOption('threads', 1, 256))
    .option('--force', 'train even if nothing is new')
    .option('--dry-run', 'import what is new, print the plan and its hash, and stop: nothing is charged')
    .option('--plan <hash>', 'refuse any other plan than the one with this hash', planOption)
    .addOption(
      new Option(
        '--publish-if <rule>',
        'hold the new model back (exit code 5) unless its certificate says that it is worth it, or not worse than the live one',
      ).choices(gates),
    )
    .option(
      '--keep-models <n>',
      'earlier models kept in <model>.versions, for `hushrec rollback`',
      integerOption('keep-models', 0, 1000),
      3,
    )
    .option(
      '--keep <time>',
      'first remove ratings that are older, counted back from --date: 90d, 12w, 6m, 2y',
      durationOption('keep'),
    )
    .option('--date <day>', 'day of this run, as 2026-03-31 (today)', dateOption('date'))
    .option('--begin-anew', 'forget what earlier runs released: the ε of the certificate is that of this run')
    .option('--keep-memory', 'remember also what was released in an earlier period of the grant')
    .option('--no-memory', 'train from nothing, and leave the memory of earlier runs as it is')
    .option(
      '--with-releases',
      'publish what was released, and the memory it began with, so that anyone can recompute the model (as the live model does)',
    )
    .option(
      '--on-failure <call>',
      'command to run, or https:// address to post to, if there is no new model',
    );
  addLedgerFlag(command);
  addSourceAgainFlags(command);
}

async function folderToRefresh(named: string): Promise<string> {
  const directory = (await folderOfAccount(named)) ?? knownDatasetFolder(named);
  if (existsSync(join(directory, 'dataset.json'))) return directory;
  throw new CommandError(
    exitCodes.badData,
    `${named}: there is no data set of this account here. Give its folder, or make it with \`hushrec import <source> ${named}\`.`,
  );
}

async function refresh(named: string, given: RefreshFlags, context: CommandContext): Promise<Outcome> {
  const { readManifest } = await import('@hushrec/ratings');
  const started = performance.now();
  const directory = await folderToRefresh(named);
  if (given.from === undefined) refuseSourceFlagsAlone(given);
  if (given.beginAnew === true && given.keepMemory === true)
    throw new OptionError('Give either --begin-anew or --keep-memory.');
  const before = await readManifest(directory);
  const out = resolve(given.model);
  await finishEarlier(out, directory, given, context);
  const { flags, plan, next } = await underPlan(given);
  if (next !== undefined)
    return {
      json: { account: before.account.name, model: out, trained: false, next },
      text: `Not due: ${planWords(plan)} has had its refresh. The next one is due on ${next}. Nothing was imported, and nothing was spent.`,
    };
  const present = await presentModel(out);
  const again = await asBefore(before, present, flags);
  if (flags.publishIf !== undefined) refuseBlindGate(present, again);
  const said = { account: before.account.name, model: out, method: again.method };
  const trainedOn = await contentAtLastRefresh(out, before.contentHash);
  const oldStays = async (error: Error): Promise<never> => {
    if (present !== undefined) context.say(`The model in ${flags.model} stays as it is.`);
    // The ledger knows what a model was trained on that it paid for: nothing need be remembered for it.
    const isKnown = present === undefined || (await hasSeen(present, '', directory, flags)) !== undefined;
    if (isKnown) await endRefresh(out);
    throw error;
  };
  await renewRatings(directory, before, flags, context).catch(oldStays);
  const { contentHash, provenance } = await readManifest(directory);
  if (plan !== undefined && provenance['items'] !== 'from a catalogue')
    await oldStays(needsCatalogue(directory, out));
  const isAsLastRefresh = flags.from !== undefined && contentHash === trainedOn;
  const nothing = await nothingNew(present, again, { contentHash, isAsLastRefresh, directory, out }, flags);
  if (nothing !== undefined) {
    await endRefresh(out);
    return { json: { ...said, trained: false, ...nothing.json }, text: nothing.text };
  }
  const left = await budgetLeft(directory, flags);
  if (left !== undefined)
    context.say(`Left of the budget of ${before.account.name}: ε ${left} for one more run.`);
  const remember = await memoryFor(out, directory, flags);
  if (flags.dryRun === true) {
    const { json, text } = await dryRun(directory, again, { ...flags, remember }, context).catch(oldStays);
    return { json: { ...said, trained: false, ...(json as object) }, text };
  }
  const live = present === undefined ? null : present.certificate.usefulness;
  const remembering = { ...flags, remember };
  const trained = await trainBesideLive(directory, again, live, out, remembering, context).catch(oldStays);
  await endRefresh(out);
  return outcomeOf(trained, { said, directory, out, present, started }, flags);
}

/** New ratings in, and those out that are too old. */
async function renewRatings(
  directory: string,
  before: DatasetManifest,
  flags: RefreshFlags,
  context: CommandContext,
): Promise<void> {
  if (flags.from !== undefined) await importNew(flags.from, directory, before, flags, context);
  if (flags.keep === undefined) return;
  const { removeBefore } = await import('@hushrec/ratings');
  await removeBefore(directory, keptSince(flags.keep, flags.date));
}

/** What is told of a new model, once the oldest of those that are kept are removed. */
async function outcomeOf(
  { certificate, ledgerEntry, heldBack }: Awaited<ReturnType<typeof trainBesideLive>>,
  run: {
    readonly said: { readonly account: string; readonly model: string; readonly method: string };
    readonly directory: string;
    readonly out: string;
    readonly present: PublishedModel | undefined;
    readonly started: number;
  },
  flags: RefreshFlags,
): Promise<Outcome> {
  const { said, directory, out, present, started } = run;
  const { pruneVersions } = await import('@hushrec/train');
  // What was held back just now was paid for.
  await pruneVersions(out, Math.max(flags.keepModels, heldBack === undefined ? 0 : 1));
  const seconds = Math.round(performance.now() - started) / 1000;
  const leftNow = (await budgetLeft(directory, flags)) ?? null;
  const fields = { ...fieldsOf(certificate, heldBack), ledgerEntry, left: leftNow, seconds };
  return {
    json: { ...said, trained: true, ...fields },
    text: await wordsOf(certificate, {
      method: said.method,
      model: flags.model,
      present,
      heldBack,
      seconds,
    }),
    ...(heldBack !== undefined && { exitCode: exitCodes.heldBack }),
  };
}

/** A new model in place of the live one, or beside it where it is held back, with the reason. */
async function trainBesideLive(
  directory: string,
  again: Again,
  live: Parameters<typeof whyHeldBack>[2],
  out: string,
  flags: RememberingFlags,
  context: CommandContext,
) {
  let heldBack: string | undefined;
  const place = async (certificate: Certificate) => {
    const { heldBackFolder, keepLive } = await import('@hushrec/train');
    heldBack = flags.publishIf && whyHeldBack(flags.publishIf, certificate.usefulness, live);
    if (heldBack !== undefined) return heldBackFolder(out, certificate);
    if (flags.keepModels > 0) await keepLive(out);
    return out;
  };
  const { certificate, ledgerEntry } = await trainAgain(directory, again, { ...flags, place }, context);
  return { certificate, ledgerEntry, heldBack };
}

/** What the certificate of a new model says, and whether the model is live. */
function fieldsOf({ epsilon, delta, usefulness, hash, chain }: Certificate, heldBack: string | undefined) {
  return {
    epsilon,
    lastRunEpsilon: chain?.lastRun ?? epsilon,
    rememberedRuns: chain === undefined ? 0 : runsOf(chain) - 1,
    delta,
    verdict: usefulness?.verdict ?? null,
    itemsAboveNoise: usefulness?.itemsAboveNoise ?? null,
    certificate: hash,
    published: heldBack === undefined,
    heldBack: heldBack ?? null,
  };
}

/** All runs of a chain, the last one included. */
const runsOf = ({ earlier }: NonNullable<Certificate['chain']>) =>
  earlier.reduce((sum, { count }) => sum + count, 1);

/** The same for people. */
async function wordsOf(
  { epsilon, delta, usefulness, hash, chain }: Certificate,
  {
    method,
    model,
    present,
    heldBack,
    seconds,
  }: {
    readonly method: string;
    readonly model: string;
    readonly present: PublishedModel | undefined;
    readonly heldBack: string | undefined;
    readonly seconds: number;
  },
): Promise<string> {
  const { usefulnessWords } = await import('@hushrec/model/usefulness');
  const promise = epsilon === null ? 'without a guarantee' : `(ε, δ) = (${epsilon}, ${deltaText(delta)})`;
  const remembered =
    chain === undefined
      ? ''
      : ` for all ${runsOf(chain)} runs that it remembers (the last one alone: ε = ${chain.lastRun})`;
  return [
    `${model}: ${method} trained again in ${seconds} s, ${promise}${remembered}.`,
    usefulness === undefined
      ? 'Its certificate does not say how useful it is.'
      : `Verdict: ${usefulness.verdict}. ${usefulnessWords(usefulness)}`,
    heldBack === undefined
      ? 'The new model is live.'
      : `HELD BACK: ${heldBack}. ${present === undefined ? 'No model is live.' : 'The old model stays live.'} The new one was paid for and is kept: \`hushrec rollback ${model} --to ${hash.slice(0, 12)}\` puts it live.`,
  ].join('\n');
}

const needsCatalogue = (directory: string, out: string) =>
  new CommandError(
    exitCodes.privacyRefused,
    `A model that is refreshed by a plan needs a declared catalogue: with the items that were rated, everybody sees on which day an item was rated for the first time. Import ${directory} again with --catalogue, or delete ${planFileOf(out)}.`,
  );

/** Why there is nothing to train, if so: the live model, or one that is kept, is what would be trained. */
async function nothingNew(
  present: PublishedModel | undefined,
  again: Again,
  now: {
    readonly contentHash: string;
    /** Whether the last refresh ended on these ratings, where no ledger can say it. */
    readonly isAsLastRefresh: boolean;
    readonly directory: string;
    readonly out: string;
  },
  flags: RefreshFlags,
): Promise<{ readonly json: object; readonly text: string } | undefined> {
  const { contentHash, isAsLastRefresh, directory, out } = now;
  if (flags.force === true) return undefined;
  if (present !== undefined && isAsBefore(present, again, flags)) {
    if ((await hasSeen(present, contentHash, directory, flags)) ?? isAsLastRefresh)
      return {
        json: {},
        text: 'Nothing is new: the model was trained on these ratings, in this way. It stays, and nothing was spent. --force trains all the same.',
      };
  }
  const waiting = await keptFor(out, again, contentHash, directory, flags);
  if (waiting === undefined) return undefined;
  const name = waiting.hash.slice(0, 12);
  const which = waiting.isHeldBack ? 'which was held back' : 'an earlier model that is kept';
  return {
    json: { certificate: waiting.hash },
    text: `Nothing is new: ${name}, ${which}, was trained on these ratings, in this way. The live model stays, and nothing was spent. \`hushrec rollback ${flags.model} --to ${name}\` puts that one live; --force trains all the same.`,
  };
}

/** What the next run would cost, and its hash. */
async function dryRun(directory: string, again: Again, flags: RememberingFlags, context: CommandContext) {
  const { plan } = await import('../library/train.js');
  const planned = await plan(directory, trainOptions(again, flags, context));
  context.say(
    guaranteeText(planned.plan, false, { epsilon: again.epsilon ?? Infinity, accounting: 'exact' }),
  );
  return dryOutcome(planned);
}

/** Flags as a plan has them, where one is kept beside the model; `next` is the day on which one is due. */
type Planned =
  | { readonly flags: RefreshFlags; readonly plan?: RefreshPlan; readonly next?: undefined }
  | { readonly flags: RefreshFlags; readonly plan: RefreshPlan; readonly next: string };

/** Under a plan every due refresh runs, also without news, with the ε that the plan has for it. */
async function underPlan(flags: RefreshFlags): Promise<Planned> {
  const plan = await readRefreshPlan(flags.model);
  if (plan === undefined) return { flags };
  const { epsilon, delta, force, memory } = flags;
  const [own] = Object.entries({ epsilon, delta, force, 'no-memory': memory === false ? true : undefined })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  if (own !== undefined)
    throw new OptionError(
      `--${own} is what ${planWords(plan)} decides. Leave it out, or delete ${planFileOf(flags.model)}.`,
    );
  const { readMemory } = await import('@hushrec/train');
  const made = (await readMemory(resolve(flags.model)))?.runs.map(({ day }) => day) ?? [];
  const due = await dueOn(plan, flags.date ?? today(), made);
  const followed = { ...flags, epsilon: due.epsilon, delta: plan.delta, force: true };
  return due.isDue ? { flags: followed, plan } : { flags: followed, plan, next: due.next };
}

/** Refuses a gate that could never open, before anything is spent. */
function refuseBlindGate(present: PublishedModel | undefined, { method }: Again): void {
  if (present?.manifest.method !== method || present.certificate.usefulness !== undefined) return;
  throw new OptionError(
    `--publish-if decides from what a certificate says of usefulness, and that of ${method} says nothing: leave it out.`,
  );
}

/** Refuses what says how new ratings are read where there are none. */
function refuseSourceFlagsAlone({ query, itemsQuery, append }: RefreshFlags): void {
  const [idle] = Object.entries({ query, itemsQuery, append })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  if (idle === undefined) return;
  throw new OptionError(
    `${flagOf(idle)} says how new ratings are read: give their source with --from, or leave it out.`,
  );
}

/** A refresh that was stopped after its model was in place is finished before anything is looked at. */
async function finishEarlier(
  out: string,
  directory: string,
  flags: RefreshFlags,
  { say }: CommandContext,
): Promise<void> {
  const { finishLeftOver, hasLeftOver } = await import('@hushrec/train');
  if (!hasLeftOver(out)) return;
  let opened: Ledger | undefined;
  const ledger = async () => {
    opened ??= (await openDatasetLedger(directory, flags, 'write')).ledger;
    return opened;
  };
  try {
    await finishLeftOver(out, { ledger, say });
  } finally {
    await opened?.close();
  }
}

/** With what says where the new model goes. */
interface PlacedFlags extends RememberingFlags {
  readonly place: (certificate: Certificate) => Promise<string>;
}
interface RememberingFlags extends RefreshFlags {
  readonly remember: RememberRequest | undefined;
}

/**
 * A new model in place of the old one, which stays where training fails. A refresh that was stopped on the
 * same ratings is repeated without a second charge; on others it is a new run.
 */
async function trainAgain(directory: string, again: Again, flags: PlacedFlags, context: CommandContext) {
  const { hasLeftOver, KeptSecretError } = await import('@hushrec/train');
  const isToResume = hasLeftOver(flags.model);
  return trainOnce(directory, again, flags, context, isToResume).catch((error: Error) => {
    if (!isToResume || !(error.cause instanceof KeptSecretError)) throw error;
    return trainOnce(directory, again, flags, context, false);
  });
}

async function trainOnce(
  directory: string,
  again: Again,
  flags: PlacedFlags,
  context: CommandContext,
  resume: boolean,
) {
  const { train } = await import('../library/train.js');
  return train(directory, { ...trainOptions(again, flags, context), resume, place: flags.place });
}

function trainOptions(
  again: Again,
  flags: RememberingFlags,
  { say, progress, signal }: CommandContext,
): TrainOptions {
  return {
    ...again,
    out: resolve(flags.model),
    overwrite: true,
    ...(flags.features && { features: flags.features }),
    ...(flags.kind && { kinds: flags.kind as ('categorical' | 'similarity' | 'public-ratings')[] }),
    ...(flags.threads !== undefined && { threads: flags.threads }),
    ...(flags.ledger !== undefined && { ledger: flags.ledger }),
    ...(flags.newLedger !== undefined && { newLedger: flags.newLedger }),
    note: 'refresh',
    ...(flags.plan !== undefined && { planHash: flags.plan }),
    remember: flags.remember ?? false,
    ...{ say, progress, signal },
  };
}

/**
 * What the run remembers: what earlier ones released, unless something else is said, or the grant renews and
 * a new period began since.
 */
async function memoryFor(
  out: string,
  directory: string,
  { memory, beginAnew, keepMemory, date, ...flags }: RefreshFlags,
): Promise<RememberRequest | undefined> {
  if (memory === false) return undefined;
  const day = date ?? today();
  if (beginAnew === true) return { day, anew: 'asked for' };
  if (keepMemory === true) return { day };
  const { readMemory } = await import('@hushrec/train');
  const began = (await readMemory(out))?.runs[0].day;
  const opened = began === undefined ? undefined : await datasetLedgerIfThere(directory, flags);
  try {
    const from = (await opened?.ledger.balance(opened.account.id, 1e-6))?.period?.from;
    return from !== undefined && began !== undefined && began < from
      ? { day, anew: `a new period of the grant began on ${from}; --keep-memory goes on` }
      : { day };
  } finally {
    await opened?.ledger.close();
  }
}

/** The model that is there, put back first where a replacement was cut off between two renames. */
async function presentModel(out: string): Promise<PublishedModel | undefined> {
  const { clearLeftOvers } = await import('@hushrec/train');
  await clearLeftOvers(out);
  if (!existsSync(join(out, 'certificate.json'))) return undefined;
  const { readModelFolder } = await import('@hushrec/model/folder');
  return readModelFolder(out);
}

/** Method, ε, δ and what was set by hand of the model that is there; what is said now goes before. */
async function asBefore(
  dataset: DatasetManifest,
  present: PublishedModel | undefined,
  flags: RefreshFlags,
): Promise<Again> {
  await (await import('@hushrec/train/load-papers')).loadPapers();
  const { methodById, planRun, trainingScale } = await import('@hushrec/factorize');
  const run = present?.manifest.run;
  if (run?.trainedOn?.['protocol'] !== undefined)
    throw new CommandError(
      exitCodes.wrongUsage,
      `${flags.model} was trained on a part of the data, for evaluation. Name a model that was trained on all of it.`,
    );
  const method = methodById(flags.method ?? present?.manifest.method ?? 'hush');
  const epsilon = flags.epsilon ?? run?.epsilon ?? undefined;
  const delta = flags.delta ?? run?.delta ?? usualDelta;
  const people = flags.people ?? run?.declaredPeople;
  const liked = run?.trainedOn?.['liked'];
  const goal = present && (present.model.feedback === 'explicit' ? 'stars' : 'rank');
  const missing = (run?.sources ?? []).filter(
    ({ name }) =>
      !dataset.features.some((each) => each.name === name) &&
      !(flags.features ?? []).some((file) => basename(file) === name),
  );
  if (missing.length > 0)
    throw new CommandError(
      exitCodes.wrongUsage,
      `The model learned from ${missing.map(({ name }) => name).join(', ')}: give it again with --features.`,
    );
  const isSame = present !== undefined && method.id === present.manifest.method;
  const shape = {
    itemCount: dataset.items,
    scale: trainingScale(dataset.scale, typeof liked === 'number' ? liked : undefined),
    epsilon: epsilon ?? Infinity,
    delta: method.protects.length > 0 ? delta : 0,
    features: [],
    ...(people !== undefined && { declaredPeople: people }),
  };
  const before = isSame ? present.manifest.settings : {};
  const usual: Readonly<Record<string, unknown>> = isSame ? planRun({ ...shape, method }).settings : {};
  const idle = method.idle?.(before, shape) ?? {};
  const byHand = Object.fromEntries(
    Object.entries(before).filter(([name, value]) => usual[name] !== value && idle[name] === undefined),
  );
  return {
    method: method.id,
    ...(epsilon !== undefined && { epsilon }),
    delta,
    ...(people !== undefined && { people }),
    ...(typeof liked === 'number' && { liked }),
    ...(goal && { goal }),
    withReleases: flags.withReleases ?? present?.certificate.files['releases.bin'] !== undefined,
    settings: { ...byHand, ...settingsOf(flags.set) },
  };
}

/** Whether the same is asked for as the model that is there was trained with. */
function isAsBefore({ manifest }: PublishedModel, again: Again, flags: RefreshFlags): boolean {
  const { run, settings } = manifest;
  const isSet = Object.entries(settingsOf(flags.set)).every(
    ([name, value]) => String((settings as Readonly<Record<string, unknown>>)[name]) === String(value),
  );
  return (
    isSet &&
    again.method === manifest.method &&
    (flags.epsilon === undefined || flags.epsilon === run?.epsilon) &&
    (flags.delta === undefined || flags.delta === run?.delta) &&
    (flags.people === undefined || flags.people === run?.declaredPeople)
  );
}

/**
 * Whether a model was trained on this content, as the ledger knows from the entry that paid for it; undefined
 * where it does not, as of a model that cost nothing.
 */
async function hasSeen(
  { certificate }: PublishedModel,
  contentHash: string,
  directory: string,
  flags: AccountFlags,
): Promise<boolean | undefined> {
  const { ledgerEntry } = certificate;
  if (ledgerEntry === null) return undefined;
  const opened = await datasetLedgerIfThere(directory, flags);
  try {
    return await opened?.ledger.wasTrainedOn(ledgerEntry, contentHash);
  } finally {
    await opened?.ledger.close();
  }
}

/**
 * A model beside the live one that is what would be trained now: held back, or replaced and rolled back from.
 * Training it again would spend for the same.
 */
async function keptFor(
  out: string,
  again: Again,
  contentHash: string,
  directory: string,
  flags: RefreshFlags,
): Promise<KeptVersion | undefined> {
  const { keptVersions } = await import('@hushrec/train');
  for (const version of await keptVersions(out)) {
    const { run, method, settings } = version.published.manifest;
    const made = settings as Readonly<Record<string, unknown>>;
    const isSame =
      method === again.method &&
      (again.epsilon === undefined || run?.epsilon === again.epsilon) &&
      run?.delta === again.delta &&
      (again.people === undefined || run.declaredPeople === again.people) &&
      run.trainedOn?.['liked'] === again.liked &&
      Object.entries(again.settings).every(([name, value]) => String(made[name]) === String(value));
    if (isSame && (await hasSeen(version.published, contentHash, directory, flags)) === true) return version;
  }
  return undefined;
}

/** The new ratings, read as the ones before were. */
async function importNew(
  source: string,
  directory: string,
  before: DatasetManifest,
  flags: RefreshFlags,
  context: CommandContext,
): Promise<void> {
  const asked = (before.provenance['asked'] ?? {}) as Record<string, string>;
  const remembered = Object.entries(asked).map(([name, value]) => `${flagOf(name)} ${value}`);
  if (remembered.length > 0)
    context.say(
      `Reading the source as before, with ${remembered.join(' ')}. To read it in another way, import it: hushrec import SOURCE ${directory}${flags.append === true ? ' --append' : ' --overwrite'} …`,
    );
  const likeBefore = readAsBefore(before, flags);
  const options = {
    ...(await importOptions(likeBefore, context)),
    ...(likeBefore.scale === undefined && before.scale.min < before.scale.max && { scale: before.scale }),
    name: before.name,
    asked: askedOf(likeBefore),
    append: flags.append === true,
    overwrite: flags.append !== true,
  };
  const report = await importIntoAccount(directory, flags, context, (more) =>
    importWithScale(source, directory, { ...options, ...more }, context),
  );
  context.say(`${directory}: ${report.people} people, ${report.items} items, ${report.ratings} ratings.`);
  for (const line of warningLines(report)) context.say(line);
}

/** The largest ε that one more run may have; undefined where no budget was granted. */
async function budgetLeft(directory: string, flags: AccountFlags): Promise<number | undefined> {
  const opened = await datasetLedgerIfThere(directory, flags);
  try {
    return await opened?.ledger.planRuns(opened.account.id, 1);
  } finally {
    await opened?.ledger.close();
  }
}
