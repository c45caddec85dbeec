import { rm } from 'node:fs/promises';
import { appendedRows } from './append-rows.js';
import { type AssembledRatings, assembleRatings } from './assemble-dataset.js';
import { BadDataError, ImportOptionError } from './bad-data-error.js';
import type { DatasetContent } from './dataset-content.js';
import { accountIn, type DatasetAccount } from './dataset-folder/account.js';
import { openDataset } from './dataset-folder/open-dataset.js';
import { checkTarget, makePartialFolder, writeError } from './dataset-folder/partial-folder.js';
import { type DatasetFolderOptions, writeDataset } from './dataset-folder/write-dataset.js';
import { type DescribedItems, describedItems } from './described-items.js';
import { type DoubtfulIds, doubtfulIds } from './doubtful-ids.js';
import { readCatalogue } from './features/catalogue-file.js';
import type { ItemTable } from './features/item-table.js';
import {
  forgottenMark,
  type IsForgotten,
  readForgotten,
  withoutForgotten,
  withoutLate,
} from './forgotten-people.js';
import type { FormatOption } from './formats/rating-format.js';
import type { Dataset, DatasetManifest, RatingScale } from './rating-matrix.js';
import { sourceFingerprint } from './source-fingerprint.js';
import type { EventReport } from './sources/event-filter.js';
import type { NamedColumns } from './sources/named-columns.js';
import { readSource, type SourceOptions, type SourceRows } from './sources/read-source.js';

/** How to read a source and store it; the options of `hushrec import`. */
export interface ImportOptions
  extends Omit<SourceOptions, 'catalogue' | 'isScaleInherited'>,
    Pick<DatasetFolderOptions, 'files' | 'overwrite' | 'writeFile'> {
  /** Add to the data set that is there, keeping its account, instead of writing a new one. */
  readonly append?: boolean;
  /**
   * Says whose budget the people spend from, before anything is written; may refuse by throwing. Unless
   * given: the account of the data set that is replaced or appended to, or a new one.
   */
  readonly chooseAccount?: (found: {
    readonly userIds: readonly string[];
    /** The account of the data set that is in the folder; throws where that cannot be told any more. */
    readonly existing: () => Promise<DatasetAccount | undefined>;
  }) => DatasetAccount | Promise<DatasetAccount>;
  /**
   * A table whose item column lists the items there are. They all get a place, rated or not, so that the list
   * of items in a published model says nothing about ratings. Without it the items are those that were rated.
   */
  readonly catalogue?: string;
  /**
   * A public table about items, `item,title[,link,image,…]`: what people see of them, and what methods may
   * learn from.
   */
  readonly items?: string;
  /** The same table from the database that is the source: a query that gives item, title, …. */
  readonly itemsQuery?: string;
  /** Kept in the provenance: what was said about how to read the source. */
  readonly asked?: Readonly<Record<string, string>>;
  /** What the data set is called; the source's name unless given. */
  readonly name?: string;
  /** Told before each of the stages begins. */
  readonly progress?: (progress: {
    readonly stage: string;
    readonly done: number;
    readonly total: number;
  }) => void;
}

/** What was imported and what was not. */
export interface ImportReport {
  readonly people: number;
  readonly items: number;
  readonly ratings: number;
  readonly duplicates: number;
  readonly badRows: number;
  /** Name of the format. */
  readonly format: string;
  readonly reader: 'duckdb' | 'typescript';
  readonly itemsWithoutTitle: number;
  /** What was read from which column; absent where the format has no columns. */
  readonly columns?: NamedColumns;
  /** What became of the rows of a log; present where only some events were kept. */
  readonly events?: EventReport;
  /** Columns of the source that nothing was read from. */
  readonly unusedColumns: readonly string[];
  /** What was said about how to read the source and does not matter for its format. */
  readonly unusedOptions: readonly FormatOption[];
  /** What became of the columns of the table about items; absent without one. */
  readonly itemTable?: Pick<ItemTable, 'learned' | 'unused' | 'unknownRows'>;
  /** Ids of the whole data set that may not be what they look like. */
  readonly doubtful: { readonly people: DoubtfulIds; readonly items: DoubtfulIds };
  readonly manifest: DatasetManifest;
}

/**
 * Reads a source (file, folder, archive or `postgres://` URL), checks it, and writes a dataset folder. Either
 * the whole folder is there afterwards or nothing is.
 */
export async function importSource(
  source: string,
  directory: string,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const enter = (stage: (typeof stages)[number]) => {
    options.signal?.throwIfAborted();
    options.progress?.({ stage, done: stages.indexOf(stage), total: stages.length });
  };
  const existing = await appendedTo(directory, options);
  const overwrite = options.overwrite === true || existing !== undefined;
  await checkTarget(directory, overwrite);
  const forgotten = await readForgotten(directory);
  const workFolder = await makePartialFolder(directory);
  try {
    enter('reading');
    const unchanged = await watched(source, options);
    const { read, catalogue } = await readRows(source, options, existing, workFolder);
    enter('sorting');
    const rows = admittedRows(read, existing, forgotten);
    const assembled = assembleRatings(rows, catalogue);
    const { userIds, itemIds } = assembled;
    const account = await options.chooseAccount?.({ userIds, existing: () => accountIn(directory) });
    enter('titles');
    const facts = await read.itemFacts?.();
    const described = await describedItems(itemIds, await itemsGiven(source, options), facts, existing);
    const fingerprint = await unchanged();
    enter('writing');
    await rm(workFolder, { recursive: true, force: true });
    const written = await writeDataset(
      directory,
      {
        name: options.name ?? existing?.manifest.name ?? read.name,
        ...assembled,
        ...described,
        provenance: provenanceOf(read, assembled.duplicates, options, {
          existing,
          catalogue,
          fingerprint,
          forgotten,
        }),
      },
      { ...options, overwrite, ...(account && { account }) },
    );
    const manifest = await withoutLate(directory, userIds, written);
    return reportOf(read, assembled, described, manifest);
  } catch (error) {
    throw writeError(directory, error);
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

const stages = ['reading', 'sorting', 'titles', 'writing'] as const;

/** Where the data set comes from, and what was said about how to read it. */
function provenanceOf(
  { name, format, reader, rows }: SourceRows,
  duplicates: number,
  { asked }: ImportOptions,
  circumstances: {
    readonly existing: Dataset | undefined;
    readonly catalogue: ReadonlySet<string> | undefined;
    readonly fingerprint: string | undefined;
    readonly forgotten: IsForgotten | undefined;
  },
): DatasetContent['provenance'] {
  const { existing, catalogue, fingerprint, forgotten } = circumstances;
  return {
    source: name,
    ...{ format, reader, duplicates, badRows: rows.badRows },
    items: catalogue === undefined ? 'those rated' : 'from a catalogue',
    ...(asked && { asked }),
    ...forgottenMark(forgotten),
    // What was read, to tell whether it is still the same. Operators' knowledge, like everything in the
    // folder.
    ...(existing === undefined
      ? { fingerprint: fingerprint ?? null }
      : { appendedTo: existing.manifest.provenance }),
  };
}

/** Rows of the source, after those that are there, without people who asked to be forgotten. */
function admittedRows(
  { rows: read, name }: SourceRows,
  existing: Dataset | undefined,
  forgotten: IsForgotten | undefined,
) {
  const rows = withoutForgotten(read, forgotten, { keepItems: false });
  if (existing !== undefined)
    return withoutForgotten(appendedRows(existing, rows, name), forgotten, { keepItems: true });
  if (rows.users.length === 0 && read.users.length > 0)
    throw new BadDataError(
      { file: name },
      'everyone in it asked not to be imported again',
      'Nothing was changed.',
    );
  return rows;
}

function reportOf(
  { rows, format, reader, columns, unused, unusedOptions }: SourceRows,
  { duplicates, userIds, itemIds }: AssembledRatings,
  { itemTitles, table }: DescribedItems,
  manifest: DatasetManifest,
): ImportReport {
  return {
    people: manifest.people,
    items: manifest.items,
    ratings: manifest.ratings,
    ...{ duplicates, badRows: rows.badRows, format, reader },
    itemsWithoutTitle: itemTitles.filter((title) => title === '').length,
    ...(columns && { columns }),
    ...(rows.events && { events: rows.events }),
    unusedColumns: unused,
    unusedOptions,
    doubtful: { people: doubtfulIds(userIds), items: doubtfulIds(itemIds) },
    ...(table && {
      itemTable: { learned: table.learned, unused: table.unused, unknownRows: table.unknownRows },
    }),
    manifest,
  };
}

/** The table about items: a file, or what the source's own database says. */
async function itemsGiven(source: string, { items, itemsQuery }: ImportOptions) {
  if (itemsQuery === undefined) return items;
  if (items !== undefined)
    throw new ImportOptionError('items', 'Titles come from one place: give --items or --items-query.');
  const { tableOfQuery } = await import('./sources/query-table.js');
  return tableOfQuery(source, itemsQuery);
}

/**
 * Remembers what the files are, and gives what says at the end that they are the same still.
 *
 * @throws BadDataError (what is given) where one changed meanwhile
 */
async function watched(source: string, { items, catalogue }: ImportOptions) {
  const before = await sourceFingerprint(source, [items, catalogue]);
  return async () => {
    if ((await sourceFingerprint(source, [items, catalogue])) !== before)
      throw new BadDataError(
        { file: source },
        'it changed while it was read',
        'Import it again when it is whole.',
      );
    return before;
  };
}

/** Rows of the source, on the scale and among the items of the data set that they are added to. */
async function readRows(
  source: string,
  { catalogue: path, items: _, itemsQuery: __, ...options }: ImportOptions,
  existing: Dataset | undefined,
  workFolder: string,
) {
  const given = path === undefined ? undefined : await readCatalogue(path);
  const catalogue = joinedCatalogue(given, path, existing);
  const inherited = options.scale === undefined && existing ? gradedScale(existing) : undefined;
  const asked = {
    ...options,
    ...(inherited && { scale: inherited, isScaleInherited: true }),
    ...(catalogue && { catalogue }),
  };
  return { read: await readSource(source, asked, workFolder), catalogue };
}

/** The data set that rows are added to; undefined where a new one is made. */
async function appendedTo(
  directory: string,
  { append, overwrite }: ImportOptions,
): Promise<Dataset | undefined> {
  if (append !== true) return undefined;
  if (overwrite === true)
    throw new ImportOptionError(
      'append',
      'Either add to a data set or replace it: give --append or --overwrite.',
    );
  return openDataset(directory);
}

/** The items there are when a catalogue is given now, or was given for the data set that is appended to. */
function joinedCatalogue(
  given: ReadonlySet<string> | undefined,
  path: string | undefined,
  existing: Dataset | undefined,
): ReadonlySet<string> | undefined {
  if (existing === undefined) return given;
  if (existing.manifest.provenance['items'] === 'from a catalogue')
    return new Set([...existing.itemIds, ...(given ?? [])]);
  if (given !== undefined && !existing.itemIds.every((id) => given.has(id)))
    throw new BadDataError(
      { file: path! },
      'items of the data set are not in it',
      'A catalogue lists all items: those of the data set too.',
    );
  return given;
}

/** The scale of a data set with grades; undefined where feedback is implicit. */
function gradedScale({ manifest: { scale } }: Dataset): RatingScale | undefined {
  return scale.min === scale.max ? undefined : scale;
}
