import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BadDataError } from './bad-data-error.js';
import { openDataset } from './dataset-folder/open-dataset.js';
import { shortest } from './export-csv.js';
import type { RatingScale } from './rating-matrix.js';
import { describeScale } from './rating-scale.js';
import { withScratchFolder } from './scratch-folder.js';
import type { EncodedRows } from './sources/encoded-rows.js';
import type { NamedColumns } from './sources/named-columns.js';
import { readSource, type SourceOptions } from './sources/read-source.js';

/** Histories of many people, each person's rows together and in the order of the source. */
export interface Histories {
  /** In the order of their first rows. */
  readonly userIds: readonly string[];
  readonly itemIds: readonly string[];
  /** Rows of person i are [offsets[i], offsets[i + 1]). */
  readonly offsets: Uint32Array;
  /** By row: positions in `itemIds`. */
  readonly items: Uint32Array;
  /** The rating of a row as it is written: 4.1, not the float32 next to it. 1 where there is none. */
  rating(row: number): number;
  /** Rows that were left out, as `skipBadRows` allows. */
  readonly badRows: number;
  /** What was read from which column; absent where the source has no columns. */
  readonly columns?: NamedColumns;
}

/** What a model asks of histories: ratings on its scale; `undefined`, any or none. */
export interface HistoryOptions extends Omit<SourceOptions, 'scale' | 'catalogue' | 'assumeScale'> {
  readonly scale?: RatingScale | undefined;
}

/** Where ratings have no say, any number may stand there. */
const anyNumber: RatingScale = { min: -3e38, max: 3e38, step: 0 };

/**
 * Reads histories from whatever `importSource` reads, or from a dataset folder. 12 bytes a row, 24 while
 * rows are sorted, besides the ids.
 *
 * @throws BadDataError for rows that cannot be used, with their lines; for a source without ratings where
 * the model needs them.
 */
export async function readHistories(
  source: string,
  { scale, ...options }: HistoryOptions = {},
): Promise<Histories> {
  if (existsSync(join(source, 'dataset.json'))) return fromDataset(source, scale);
  const { rows, columns } = await withScratchFolder((folder) =>
    // A source without a column of ratings is told below what it lacks.
    readSource(source, { ...options, scale: scale ?? anyNumber, isScaleInherited: true }, folder),
  );
  if (scale !== undefined && columns !== undefined && columns.rating === undefined)
    throw noRatings(source, scale);
  return { ...grouped(rows), ...(columns && { columns }) };
}

function noRatings(file: string, scale: RatingScale): BadDataError {
  return new BadDataError(
    { file },
    `it has no ratings, and this model needs one per item (${describeScale(scale)})`,
    'Give rows of user,item,rating, or name the columns with --columns user,item,rating.',
  );
}

async function fromDataset(directory: string, scale: RatingScale | undefined): Promise<Histories> {
  const { ratings, userIds, itemIds, manifest } = await openDataset(directory, { times: false });
  const isImplicit = manifest.scale.min === manifest.scale.max;
  if (scale !== undefined && isImplicit) throw noRatings(directory, scale);
  if (scale !== undefined && (manifest.scale.min < scale.min || manifest.scale.max > scale.max))
    throw new BadDataError(
      { file: directory },
      `its ratings are from ${describeScale(manifest.scale)}, and the model's scale is ${describeScale(scale)}`,
      'Give histories on the scale of the model.',
    );
  const { offsets, indices, values } = ratings.byUser;
  return { userIds, itemIds, offsets, items: indices, rating: asWritten(values), badRows: 0 };
}

/** A stable counting sort by person. O(rows + people). */
function grouped({ userIds, itemIds, users, items, ratings, badRows }: EncodedRows): Histories {
  const offsets = new Uint32Array(userIds.length + 1);
  for (const user of users) offsets[user + 1]++;
  for (let user = 0; user < userIds.length; user++) offsets[user + 1] += offsets[user];
  const next = offsets.slice();
  const sortedItems = new Uint32Array(users.length);
  const sortedRatings = new Float32Array(users.length);
  for (let row = 0; row < users.length; row++) {
    const place = next[users[row]]++;
    sortedItems[place] = items[row];
    sortedRatings[place] = ratings[row];
  }
  return { userIds, itemIds, offsets, items: sortedItems, rating: asWritten(sortedRatings), badRows };
}

/** Ratings are few different numbers, so each is put into decimals once. */
function asWritten(ratings: Float32Array): (row: number) => number {
  const known = new Map<number, number>();
  return (row) => {
    const stored = ratings[row];
    const found = known.get(stored) ?? Number(shortest(stored));
    if (known.size < 1000) known.set(stored, found);
    return found;
  };
}
