import { adjacency } from './formats/adjacency.js';
import { arrow } from './formats/arrow.js';
import { csv } from './formats/csv.js';
import { jsonl } from './formats/jsonl.js';
import { matrix } from './formats/matrix.js';
import { movielens } from './formats/movielens.js';
import { netflix } from './formats/netflix.js';
import { parquet } from './formats/parquet.js';
import { postgres } from './formats/postgres.js';
import type { AddressFormat, FileFormat, RatingFormat } from './formats/rating-format.js';
import { sqlite } from './formats/sqlite.js';

export { withoutPassword } from './without-password.js';

/**
 * Every format by its name on the command line. Those of files are asked in this order whether a source is
 * theirs: the first that says yes reads it, and the last of them takes whatever is left.
 */
export const ratingFormats = [
  parquet,
  arrow,
  movielens,
  netflix,
  jsonl,
  adjacency,
  matrix,
  csv,
  postgres,
  sqlite,
] as const satisfies readonly RatingFormat[];

/** Kinds of sources by name. */
export type SourceFormat = (typeof ratingFormats)[number]['name'];

/** The formats of files, in the same order. */
export const fileFormats: readonly FileFormat[] = (ratingFormats as readonly RatingFormat[]).filter(
  (format) => format.from === 'files',
);

/** The format of an address; undefined for what names a file. */
export function formatOfAddress(source: string): AddressFormat | undefined {
  return (ratingFormats as readonly RatingFormat[])
    .filter((format) => format.from === 'address')
    .find((format) => format.recognises(source));
}
