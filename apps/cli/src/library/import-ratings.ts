import {
  type ImportOptions,
  type ImportReport,
  importSource,
  parseScale,
  type RatingScale,
} from '@hushrec/ratings';
import { importedFolder } from '../imported-folder.js';

/** How a source is read; what is left out is guessed where it can be and never where that would change a guarantee. */
export interface ImportRatingsOptions extends Omit<ImportOptions, 'scale'> {
  /** Dataset folder to write; beside the source, named after it, unless given. */
  readonly to?: string;
  /** Declared rating scale, `'1:5:1'` or `{ min, max, step }`; needed where there are ratings, never read from them. */
  readonly scale?: string | RatingScale;
}

/** A dataset folder and what went into it. */
export interface ImportedRatings extends ImportReport {
  /** The dataset folder: what `train` takes. */
  readonly directory: string;
}

/**
 * Reads ratings (CSV and its relatives, gzip, zip, MovieLens folders, Parquet, `postgres://` with a query), checks every
 * row, and writes a dataset folder, whole or not at all.
 *
 * @throws BadDataError for rows that cannot be used, with their line numbers; ImportOptionError where something must be
 *   declared first (`option` names it); DatasetWriteError where the folder cannot be written.
 * @example
 * const { directory, users, items } = await importRatings('ratings.csv', { scale: '1:5:1', overwrite: true });
 */
export async function importRatings(
  source: string,
  options: ImportRatingsOptions = {},
): Promise<ImportedRatings> {
  const { to, scale, ...rest } = options;
  const directory = to ?? importedFolder(source);
  const report = await importSource(source, directory, {
    ...rest,
    ...(scale !== undefined && { scale: typeof scale === 'string' ? parseScale(scale) : scale }),
  });
  return { directory, ...report };
}
