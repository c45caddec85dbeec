import type { RatingScale } from '../rating-matrix.js';
import type { LayoutOptions } from './delimited-layout.js';
import { readFirstLine } from './delimited-layout.js';
import type { SourceFile } from './source-file.js';

/** A MovieLens release found among the files of a source. */
export interface MovieLensRelease {
  readonly name: string;
  readonly ratings: SourceFile;
  readonly layout: LayoutOptions;
  /** Known for the release; undefined where the file alone does not tell which release it is. */
  readonly scale: RatingScale | undefined;
}

const wholeStars: RatingScale = { min: 1, max: 5, step: 1 };
const halfStars: RatingScale = { min: 0.5, max: 5, step: 0.5 };

/**
 * Recognises a release by the names of its files: `u.data` (100K, and its folds `u1.base` …), `ratings.dat`
 * (1M, which has `users.dat`, and 10M, which has not), `ratings.csv` (20M, 25M, 32M, latest). `neighbours`
 * are the files that lie beside the ratings; they tell 1M from 10M. Scales are those of the releases' own
 * descriptions.
 */
export async function recogniseMovieLens(
  files: readonly SourceFile[],
  neighbours: readonly SourceFile[],
): Promise<MovieLensRelease | undefined> {
  const find = (pattern: RegExp) => files.find(({ name }) => pattern.test(name));
  const tabbed = find(/^u\.data$/) ?? (files.length === 1 ? find(/^u[1-5ab]\.(?:base|test)$/) : undefined);
  if (tabbed !== undefined)
    return {
      name: 'MovieLens 100K',
      ratings: tabbed,
      layout: { separator: '\t', header: false, columns: ['1', '2', '3', '4'] },
      scale: wholeStars,
    };
  const colons = find(/^ratings\.dat$/) ?? find(/^ratings.*\.dat$/);
  if (colons !== undefined) {
    const beside = (name: string) => neighbours.some((file) => file.name === name);
    const fields = (await readFirstLine(colons)).split('::').length;
    return {
      name: beside('users.dat') ? 'MovieLens 1M' : beside('movies.dat') ? 'MovieLens 10M' : 'MovieLens',
      ratings: colons,
      layout: { separator: '::', header: false, columns: ['1', '2', '3', '4'].slice(0, Math.max(3, fields)) },
      scale: beside('users.dat') ? wholeStars : beside('movies.dat') ? halfStars : undefined,
    };
  }
  const commas = find(/^ratings\.csv$/);
  if (commas !== undefined && /^"?userId"?,"?movieId"?,"?rating"?/.test(await readFirstLine(commas)))
    return {
      name: 'MovieLens (CSV release)',
      ratings: commas,
      layout: { separator: ',', header: true, columns: ['userId', 'movieId', 'rating', 'timestamp'] },
      scale: halfStars,
    };
  return undefined;
}
