import type { PublishedModel } from '@hushrec/model';
import { readModelFolder } from '@hushrec/model/folder';
import type { ItemChoice } from '@hushrec/recommend';
import type { ListsReport } from '../lists/lists-report.js';
import { writeLists } from '../lists/write-lists.js';
import { checkName, checkOptions, flag, name, option, wholeNumber } from './checked-options.js';
import { choiceOptions } from './choice-options.js';

/** Where lists for everyone go, how long they are, and what stays out of them. */
export interface RecommendAllOptions extends ItemChoice {
  /** A file that ends in .parquet, .csv or .tsv, or `postgres://…`. */
  readonly out: string;
  /** In a database: `name` or `schema.name`; `hushrec_lists` unless given. */
  readonly table?: string;
  readonly overwrite?: boolean;
  readonly k?: number;
  readonly includeSeen?: boolean;
  /** All cores unless given. */
  readonly threads?: number;
  readonly signal?: AbortSignal;
}

/**
 * Writes a list for everyone, `person,rank,item,score[,title]`: what `recommend` gives each of them. Lists
 * come from people's histories, so that they are personal data: no certificate covers them.
 *
 * @param histories rows of user,item[,rating] of many people: a file, a folder, or a dataset folder
 * @throws BadDataError for rows that cannot be used; DatasetWriteError where something is there already, or
 * it cannot be written.
 * @example
 * const { people, rows } = await recommendAll('model', 'ratings.csv', { out: 'lists.parquet', k: 20 });
 */
export async function recommendAll(
  model: string | PublishedModel,
  histories: string,
  options: RecommendAllOptions,
): Promise<ListsReport> {
  checkOptions<RecommendAllOptions>(
    'recommendAll',
    {
      ...{ out: name, table: name, overwrite: flag, includeSeen: flag },
      ...{ k: wholeNumber(1, 10_000), threads: wholeNumber(1, 256) },
      ...choiceOptions,
      signal: option('an AbortSignal', (value) => value instanceof AbortSignal),
    },
    options,
  );
  checkName('recommendAll', 'the histories', histories);
  checkName('recommendAll', 'out', options.out);
  const published = typeof model === 'string' ? await readModelFolder(model) : model;
  const { signal = new AbortController().signal, k = 10, ...rest } = options;
  return writeLists(published, { ...rest, histories, k }, { signal, progress: () => {} });
}
