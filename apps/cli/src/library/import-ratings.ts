import {
  type EventChoice,
  type ImportOptions,
  type ImportReport,
  importSource,
  parseEvents,
  parseScale,
  type RatingScale,
} from '@hushrec/ratings';
import { importIntoAccount } from '../import-account.js';
import { importedFolder } from '../imported-folder.js';
import {
  callback,
  checkName,
  checkOptions,
  flag,
  name,
  names,
  type OptionShape,
  oneOf,
  option,
  signal,
  wholeNumber,
} from './checked-options.js';

/**
 * How a source is read; what is left out is guessed where it can be and never where that would change a
 * guarantee.
 */
export interface ImportRatingsOptions extends Omit<ImportOptions, 'scale' | 'events' | 'chooseAccount'> {
  /** Dataset folder to write; beside the source, named after it, unless given. */
  readonly to?: string;
  /**
   * Declared rating scale, `'1:5:1'` or `{ min, max, step }`; needed where there are ratings, never read from
   * them.
   */
  readonly scale?: string | RatingScale;
  /** Keeps rows of these events and no others: `'buy,cart'`, `'event=buy,cart'` or `{ column, keep }`. */
  readonly events?: string | EventChoice;
  /**
   * Name or id of the account whose budget these people spend from: that of the folder, or a new one, unless
   * given.
   */
  readonly account?: string;
  /** SQLite file or `postgres://` address of the ledger; one for all accounts of this user unless given. */
  readonly ledger?: string;
  /** Make the ledger named by `ledger` where there is none. */
  readonly newLedger?: boolean;
  /** Told in words what someone should know, such as people who are in another account too. */
  readonly say?: (line: string) => void;
}

/** A dataset folder and what went into it. */
export interface ImportedRatings extends ImportReport {
  /** The dataset folder: what `train` takes. */
  readonly directory: string;
  /** Where the ledger is that knows the account now. */
  readonly ledger: string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What each option must be at run time. */
const importOptions: OptionShape<ImportRatingsOptions> = {
  to: name,
  scale: option(
    "a scale, '1:5:1' or { min: 1, max: 5, step: 1 }",
    (value) =>
      typeof value === 'string' ||
      (isObject(value) &&
        Object.keys(value).sort().join() === 'max,min,step' &&
        Object.values(value).every(Number.isFinite)),
  ),
  assumeScale: callback,
  events: option(
    "events to keep, 'buy,cart' or { column: 'event', keep: ['buy'] }",
    (value) =>
      typeof value === 'string' ||
      (isObject(value) &&
        Object.keys(value).every((key) => key === 'column' || key === 'keep') &&
        ['string', 'undefined'].includes(typeof value['column']) &&
        Array.isArray(value['keep']) &&
        value['keep'].every((each) => typeof each === 'string')),
  ),
  separator: name,
  header: flag,
  columns: names,
  query: name,
  skipBadRows: wholeNumber(0),
  format: option(
    'the name of a format, or a format',
    (value) => typeof value === 'string' || (isObject(value) && typeof value['read'] === 'function'),
  ),
  catalogue: name,
  items: name,
  itemsQuery: name,
  reader: oneOf('auto', 'typescript'),
  name,
  append: flag,
  overwrite: flag,
  asked: option('an object of texts', isObject),
  account: name,
  ledger: name,
  newLedger: flag,
  say: callback,
  progress: callback,
  signal,
  writeFile: callback,
  files: option('a file system', isObject),
};

/**
 * Reads ratings (CSV and its relatives, JSON Lines, gzip, zstd, zip, MovieLens folders, Parquet, Arrow,
 * `postgres://` and `sqlite:` with a query),
 * checks every row, and writes a dataset folder, whole or not at all.
 *
 * @throws BadDataError for rows that cannot be used, with their line numbers; ImportOptionError where
 * something must be declared first (`option` names it); errors with the `kind` 'usage' for options of the
 * wrong type or name; SharedPeopleError where the people are in an account
 * with a budget already and nobody said whose they are; DatasetWriteError where the folder cannot be written.
 * @example
 * const options = { scale: '1:5:1', overwrite: true };
 * const { directory, people, items } = await importRatings('ratings.csv', options);
 */
export async function importRatings(
  source: string,
  options: ImportRatingsOptions = {},
): Promise<ImportedRatings> {
  checkName('importRatings', 'the source', source);
  checkOptions<ImportRatingsOptions>('importRatings', importOptions, options);
  const { to, scale, events, account, ledger, newLedger, say = () => undefined, ...rest } = options;
  const directory = to ?? importedFolder(source);
  const flags = {
    ...(account !== undefined && { account }),
    ...(ledger !== undefined && { ledger }),
    ...(newLedger !== undefined && { newLedger }),
  };
  const report = await importIntoAccount(directory, flags, { say }, (more) =>
    importSource(source, directory, {
      ...rest,
      ...more,
      ...(events !== undefined && { events: typeof events === 'string' ? parseEvents(events) : events }),
      ...(scale !== undefined && { scale: typeof scale === 'string' ? parseScale(scale) : scale }),
    }),
  );
  return { directory, ...report };
}
