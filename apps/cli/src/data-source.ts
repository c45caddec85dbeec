import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type {
  DatasetManifest,
  ImportOptions,
  ImportReport,
  RatingScale,
  SourceFormat,
} from '@hushrec/ratings';
import { fileFormats, withoutPassword } from '@hushrec/ratings/formats';
import { type Command, Option } from 'commander';
import { type CommandContext, integerOption, OptionError } from './command.js';
import { datasetLedgerIfThere, type LedgerFlags } from './dataset-ledger.js';
import { CommandError, exitCodes } from './exit-codes.js';
import { type AccountFlags, importIntoAccount } from './import-account.js';
import { importedFolder, isDatabase } from './imported-folder.js';

/**
 * Options that say how a source is to be read; shared by `import` and by commands that take a file directly.
 */
export interface SourceFlags {
  readonly format?: SourceFormat;
  readonly separator?: string;
  readonly header?: 'yes' | 'no';
  readonly columns?: string;
  readonly scale?: string;
  readonly events?: string;
  readonly skipBadRows?: number;
  readonly query?: string;
  readonly catalogue?: string;
  readonly items?: string;
  readonly itemsQuery?: string;
}

/** Half stars from 0.5 to 5, the scale assumed (and said) where a file has ratings and none was declared. */
export const assumedScale: RatingScale = { min: 0.5, max: 5, step: 0.5 };

export function addColumnsFlag(command: Command): void {
  command.option(
    '--columns <list>',
    'names or positions (from 1): user,item,rating[,time]; - if there is no rating',
  );
}

export function addQueryFlag(command: Command): void {
  command.option('--query <sql>', 'for postgres:// and sqlite: sources: rows of user, item, rating[, time]');
}

export function addScaleFlag(command: Command): void {
  command.option('--scale <min:max:step>', 'declared rating scale, e.g. 1:5:1; never read from the data');
}

/** Everything that `import` can be told about a source. */
export function addSourceFlags(command: Command): void {
  addDirectSourceFlags(command);
  command
    .addOption(
      new Option('--format <format>', 'format of the source (guessed if possible)').choices(
        fileFormats.map(({ name }) => name),
      ),
    )
    .option('--separator <text>', 'character between the fields of a text file: , ; | :: or \\t (guessed)')
    .addOption(
      new Option('--header <yes|no>', 'whether the first line names the columns (guessed)').choices([
        'yes',
        'no',
      ]),
    )
    .option(
      '--events <list>',
      'keep rows of these events and no others: buy,cart, or with their column event=buy,cart',
    )
    .option(
      '--skip-bad-rows <n>',
      'leave out up to n bad rows instead of stopping',
      integerOption('skip-bad-rows', 0),
    )
    .option(
      '--items <file>',
      'public table about items, item,title[,link,image,…]: shown with recommendations, other columns to learn from',
    );
  addItemsQueryFlag(command);
}

function addItemsQueryFlag(command: Command): void {
  command.option(
    '--items-query <sql>',
    'the table about items, from the database of the source: rows of item, title[, link, image, …]',
  );
}

function addAccountFlag(command: Command): void {
  command.option('--account <name>', 'account whose budget is spent (that of the data set, or a new one)');
}

/** For a source that is read as the data set was: what is not remembered, because it may hold a secret. */
export function addSourceAgainFlags(command: Command): void {
  addQueryFlag(command);
  addItemsQueryFlag(command);
  addAccountFlag(command);
}

/** For a source that is imported on the way; whatever else there is to say belongs to `import`. */
export function addDirectSourceFlags(command: Command): void {
  addColumnsFlag(command);
  addQueryFlag(command);
  addScaleFlag(command);
  command.option(
    '--catalogue <file>',
    'public table of all items: then no item’s presence in the model depends on anyone’s ratings',
  );
  addAccountFlag(command);
}

export async function importOptions(flags: SourceFlags, context: CommandContext): Promise<ImportOptions> {
  const { parseEvents, parseScale } = await import('@hushrec/ratings');
  return {
    ...(flags.format !== undefined && { format: flags.format }),
    ...(flags.separator !== undefined && { separator: flags.separator === '\\t' ? '\t' : flags.separator }),
    ...(flags.header && { header: flags.header === 'yes' }),
    ...(flags.columns !== undefined && { columns: flags.columns.split(',').map((each) => each.trim()) }),
    ...(flags.scale !== undefined && { scale: parseScale(flags.scale) }),
    ...(flags.events !== undefined && { events: parseEvents(flags.events) }),
    ...(flags.skipBadRows !== undefined && { skipBadRows: flags.skipBadRows }),
    ...(flags.query !== undefined && { query: flags.query }),
    ...(flags.catalogue !== undefined && { catalogue: flags.catalogue }),
    ...(flags.items !== undefined && { items: flags.items }),
    ...(flags.itemsQuery !== undefined && { itemsQuery: flags.itemsQuery }),
    progress: context.progress,
    signal: context.signal,
  };
}

/** How the source of a data set was read, but for what is said now. */
export function readAsBefore(
  { provenance }: Pick<DatasetManifest, 'provenance'>,
  flags: SourceFlags,
): SourceFlags {
  const { skipBadRows, ...asked } = (provenance['asked'] ?? {}) as Readonly<Record<string, string>>;
  return { ...asked, ...(skipBadRows !== undefined && { skipBadRows: Number(skipBadRows) }), ...flags };
}

/** How the rows of a test file are read: as those of the data set, unless --columns says what they are. */
export async function testFileOptions(
  manifest: Pick<DatasetManifest, 'provenance'>,
  flags: SourceFlags,
  context: CommandContext,
): Promise<Pick<ImportOptions, 'scale' | 'columns' | 'events' | 'separator' | 'header' | 'signal'>> {
  const said = flags.columns === undefined ? readAsBefore(manifest, flags) : flags;
  const asked = await importOptions(said, context);
  const { columns, events, separator, header, signal } = asked;
  return {
    ...(flags.scale !== undefined && { scale: asked.scale! }),
    ...(columns && { columns }),
    ...(events && { events }),
    ...(separator !== undefined && { separator }),
    ...(header !== undefined && { header }),
    ...(signal && { signal }),
  };
}

/** Imports a source; where it has ratings of an undeclared scale, half stars are assumed and that is said. */
export async function importWithScale(
  source: string,
  directory: string,
  options: ImportOptions,
  context: CommandContext,
): Promise<ImportReport> {
  const { BadDataError, importSource } = await import('@hushrec/ratings');
  const assumption = 'No rating scale was declared: half stars from 0.5 to 5 were assumed.';
  let isAssumed = false;
  const assumeScale = () => {
    isAssumed = true;
    return assumedScale;
  };
  try {
    const report = await importSource(source, directory, { ...options, assumeScale });
    if (isAssumed) context.say(`${assumption} Declare another with --scale min:max:step.`);
    return report;
  } catch (error) {
    if (
      isAssumed &&
      error instanceof BadDataError &&
      error.badRows.some(({ reason }) => reason.includes('scale'))
    )
      throw new CommandError(exitCodes.badData, `${error.message} ${assumption}`, { cause: error });
    throw error;
  }
}

/**
 * The dataset folder for what a person named: the folder itself, or a file or database that is imported
 * first. A file is imported once, beside itself, and found again while its bytes and what was said about it
 * are the same; a database each time.
 */
export async function datasetFolder(
  path: string,
  flags: SourceFlags & AccountFlags & { readonly test?: string },
  context: CommandContext,
): Promise<string> {
  if (!isDatabase(path) && !existsSync(path)) {
    throw new CommandError(
      exitCodes.badData,
      path.includes('://')
        ? `${path}: nothing is read from such an address. Ratings are read from files, PostgreSQL (postgres://… with --query) and SQLite (sqlite:FILE); export others to CSV or Parquet.`
        : `${path}: there is no such file or folder. Make one with \`hushrec import\` or \`hushrec generate\`.`,
    );
  }
  if (!isDatabase(path) && !statSync(path).isFile() && !statSync(path).isDirectory())
    throw new CommandError(
      exitCodes.badData,
      `${path}: it is a pipe or a device, and a source is read more than once. Write the rows into a file first.`,
    );
  if (isDatasetFolder(path)) {
    refuseSourceFlags(path, flags);
    await checkAccount(path, flags);
    return path;
  }
  const folder = importedFolder(path);
  refuseSharedPlace(path, folder);
  const asked = askedOf(flags);
  const earlier = isDatabase(path) ? undefined : await earlierImport(folder, path, flags, asked);
  if (earlier !== undefined) {
    context.say(`Using ${folder}, imported from ${path} before${earlier}.`);
    await checkAccount(folder, flags);
    return folder;
  }
  const options = await importOptions(flags, context);
  const report = await importIntoAccount(folder, flags, context, (more) =>
    importWithScale(path, folder, { ...options, ...more, overwrite: true, asked }, context),
  );
  context.say(
    `Imported ${isDatabase(path) ? 'the database' : path}. ${importedLines(folder, report).join('\n')}`,
  );
  return folder;
}

/**
 * Raw ratings are not put beside a source where others than this user can put files, unless they are there
 * already: their folder would be found by all of them.
 */
function refuseSharedPlace(source: string, folder: string): void {
  if (isDatabase(source) || existsSync(folder) || process.getuid === undefined) return;
  const place = dirname(resolve(folder));
  const { mode, uid, gid } = statSync(place);
  const isOthers = uid !== process.getuid() && process.getuid() !== 0;
  const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid!());
  if (!isOthers && !isOpen) return;
  throw new OptionError(
    `${source}: ${place} ${isOthers ? 'belongs to someone else' : 'is a folder that others can write to'}, and reading the source makes a copy of the ratings. Say where it goes: hushrec import ${source} FOLDER, and name that folder here.`,
  );
}

/** What was read and what was not, and whose budget it is. */
export function importedLines(
  directory: string,
  report: ImportReport & { readonly ledger: string },
): string[] {
  const { manifest, ...counts } = report;
  const { account } = manifest;
  return [
    `${directory}: ${counts.people} people, ${counts.items} items, ${counts.ratings} ratings (${counts.format}).`,
    counts.duplicates > 0
      ? `${counts.duplicates} earlier ${counts.duplicates === 1 ? 'rating of a pair was' : 'ratings of a pair were'} replaced by the later one.`
      : '',
    counts.badRows > 0
      ? `${counts.badRows} bad ${counts.badRows === 1 ? 'row was' : 'rows were'} left out.`
      : '',
    ...readingLines(report),
    counts.unusedColumns.length > 0 ? `Not read: ${counts.unusedColumns.join(', ')}.` : '',
    counts.unusedOptions.length > 0
      ? `Not needed for ${counts.format}, and not used: ${counts.unusedOptions.map((name) => `--${name}`).join(', ')}.`
      : '',
    ...itemTableLines(report),
    ...warningLines(report),
    `${manifest.scale.min === manifest.scale.max ? 'Implicit feedback' : `Scale ${manifest.scale.min} to ${manifest.scale.max}`}${manifest.hasTimes ? ', with times' : ', without times'}.`,
    `Account ${account.name} (${account.id}) in ${report.ledger}.`,
    'The list of items becomes public with any model; if an item’s mere existence is private, leave it out.',
  ].filter((line) => line !== '');
}

/** Ids that may not be what they look like: how many, and never which. */
export function warningLines({ doubtful: { people, items } }: ImportReport): readonly string[] {
  const alike = (count: number, what: string, consequence: string) =>
    count === 0
      ? []
      : [
          `WARNING: ${count} ${count === 1 ? `${what} id differs` : `${what} ids differ`} from another only by spaces or by the Unicode form of a letter. ${consequence} Make ids uniform in the source if they are the same.`,
        ];
  const missing = (words: readonly string[], what: string) =>
    words.length === 0
      ? []
      : [
          `WARNING: ${words.join(', ')} is the id of ${what}. Leave such rows out of the source if it stands for a missing id.`,
        ];
  return [
    ...alike(people.alike, 'person', 'Someone who is there twice spends twice and is protected half.'),
    ...alike(items.alike, 'item', 'An item that is there twice is learned half.'),
    ...missing(people.missing, 'a person'),
    ...missing(items.missing, 'an item'),
  ];
}

/** What became of the table about items. */
function itemTableLines({ itemTable, items, itemsWithoutTitle }: ImportReport): readonly string[] {
  if (itemTable === undefined) return [];
  const { learned, unused, unknownRows } = itemTable;
  return [
    `Titles of ${items - itemsWithoutTitle} of ${items} items${unknownRows > 0 ? `; ${unknownRows} rows are about items that nobody rated (--catalogue gives them a place)` : ''}.`,
    learned.length > 0 ? `Public features: ${learned.join(', ')}.` : '',
    unused.length > 0
      ? `Not used: ${unused.join(', ')}; almost every item has a value of its own there.`
      : '',
  ];
}

/** Which column is what, and which rows of a log were kept. */
function readingLines({ columns, events }: ImportReport): readonly string[] {
  if (columns === undefined) return [];
  const { event, ...roles } = columns;
  return [
    `Columns: ${Object.entries(roles)
      .map(([role, name]) => (role === name ? role : `${role} from ${name}`))
      .join(', ')}${columns.rating === undefined ? '; there is no rating, so every pair counts 1' : ''}.`,
    event !== undefined && events !== undefined
      ? `Of the column ${event} only the events asked for: ${events.leftOut} other ${events.leftOut === 1 ? 'row was' : 'rows were'} left out.${events.unmet.length > 0 ? ` No row has ${events.unmet.join(', ')}.` : ''}`
      : '',
  ];
}

function isDatasetFolder(path: string): boolean {
  return existsSync(join(path, 'dataset.json'));
}

/** What says how the file of `evaluate --test` is read, too. */
const flagsOfTests = ['columns', 'scale'];

/**
 * Refuses flags about reading a source where a data set folder is named: it was read long ago, and they would
 * change nothing.
 *
 * @throws CommandError with what to do instead
 */
export function refuseSourceFlags(folder: string, flags: SourceFlags & { readonly test?: string }): void {
  const { query, itemsQuery, test } = flags;
  const idle = Object.entries({
    ...askedOf(flags),
    ...(query !== undefined && { query }),
    ...(itemsQuery !== undefined && { itemsQuery }),
  })
    .filter(([name]) => test === undefined || !flagsOfTests.includes(name))
    .map(([name, value]) => `${flagOf(name)} ${typed(value)}`);
  if (idle.length === 0 || !isDatasetFolder(folder)) return;
  throw new CommandError(
    exitCodes.wrongUsage,
    `${folder} is a data set folder, read when it was imported: ${idle.join(' ')} would change nothing. ` +
      `Leave ${idle.length === 1 ? 'it' : 'them'} out, or import the source again: hushrec import SOURCE ${folder} --overwrite ${idle.join(' ')}`,
  );
}

/**
 * A data set keeps its account; `--account` with another would charge the wrong people. Accounts that were
 * merged are one, by any of their names.
 */
export async function checkAccount(folder: string, flags: AccountFlags): Promise<void> {
  const { account: named } = flags;
  if (named === undefined) return;
  const { readManifest } = await import('@hushrec/ratings');
  const { account } = await readManifest(folder);
  if (
    named === account.id ||
    named === account.name ||
    (await isMergedWith(folder, account.id, named, flags))
  )
    return;
  throw new CommandError(
    exitCodes.wrongUsage,
    `${folder} belongs to account ${account.name} (${account.id}), not to ${named}. Import it with --account ${named} to change that.`,
  );
}

/** Whether every account that is called so is part of the same one as the data set's. */
async function isMergedWith(
  folder: string,
  account: string,
  named: string,
  flags: LedgerFlags,
): Promise<boolean> {
  const opened = await datasetLedgerIfThere(folder, flags);
  if (opened === undefined) return false;
  try {
    const accounts = await opened.ledger.accounts();
    const rootOf = (id: string) => accounts.get(id)?.mergedInto ?? id;
    const called = [...accounts].filter(([id, { name }]) => id === named || name === named);
    return called.length > 0 && called.every(([id]) => rootOf(id) === rootOf(account));
  } finally {
    await opened.ledger.close();
  }
}

/** What was said about how to read a source, for telling whether it was read that way before. */
export function askedOf(flags: SourceFlags): Record<string, string> {
  const { format, separator, header, columns, scale, events, skipBadRows, catalogue, items } = flags;
  const said = { format, separator, header, columns, scale, events, skipBadRows, catalogue, items };
  return Object.fromEntries(
    Object.entries(said).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

/**
 * How an earlier import of this path was read, in words, if it can be used again: same bytes in all files,
 * and nothing else said about them now than then (whoever says nothing means what was said before). A folder
 * that was appended to holds more than the file and is never replaced by it.
 */
async function earlierImport(
  folder: string,
  path: string,
  flags: SourceFlags,
  asked: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  if (!existsSync(join(folder, 'dataset.json'))) return undefined;
  const { readManifest, refuseVersionedTable, sourceFingerprint } = await import('@hushrec/ratings');
  await refuseVersionedTable(path, flags.format);
  const { provenance } = await readManifest(folder);
  if (provenance['appendedTo'] !== undefined)
    throw new CommandError(
      exitCodes.wrongUsage,
      `${folder} was imported from ${path} and appended to since. Name ${folder} to use it, or import ${path} again with --overwrite to start over.`,
    );
  const before = (provenance['asked'] ?? {}) as Readonly<Record<string, string>>;
  const isSilent = Object.keys(asked).length === 0;
  if (!isSilent && !sameEntries(asked, before)) return undefined;
  const tables = isSilent ? before : flags;
  const found = await sourceFingerprint(path, [tables.items, tables.catalogue]).catch(() => undefined);
  const said = Object.entries(before).map(([name, value]) => `${flagOf(name)} ${typed(value)}`);
  if (found !== undefined && found === provenance['fingerprint'])
    return said.length === 0 ? '' : ` with ${said.join(' ')}`;
  if (isSilent && said.length > 0)
    throw new CommandError(
      exitCodes.wrongUsage,
      `${path}, or a table that came with it, is not what was imported to ${folder} with ${said.join(' ')}. Say again how to read it.`,
    );
  return undefined;
}

function sameEntries(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  return (
    Object.keys(a).length === Object.keys(b).length &&
    Object.entries(a).every(([name, value]) => b[name] === value)
  );
}

/** As it is typed in a shell, and without a password. */
function typed(value: string): string {
  const safe = withoutPassword(value);
  return /^[\w.:,=/-]+$/.test(safe) ? safe : JSON.stringify(safe);
}

/** As it is typed: `skipBadRows` → `--skip-bad-rows`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
