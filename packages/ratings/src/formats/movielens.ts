import { BadDataError } from '../bad-data-error.js';
import type { RatingScale } from '../rating-matrix.js';
import { type LayoutOptions, readFirstLine } from '../sources/delimited-layout.js';
import { movieFacts } from '../sources/movielens-items.js';
import { readText } from '../sources/read-text.js';
import type { SourceFile } from '../sources/source-file.js';
import type { FileFormat, SourceFiles } from './rating-format.js';

const stars = { whole: '1 to 5, whole stars', half: '0.5 to 5, half stars' };

/** The releases of MovieLens, with titles and genres that lie beside the ratings. */
export const movielens = {
  name: 'movielens',
  from: 'files',
  about: [
    {
      source: 'MovieLens 100K folder, zip, or one of `u.data`, `u1.base` … `ub.test`',
      recognisedBy: 'file names',
      scale: stars.whole,
    },
    {
      source: 'MovieLens 1M: `ratings.dat` with three or four fields, `users.dat` beside it',
      recognisedBy: 'file names',
      scale: stars.whole,
    },
    {
      source: 'MovieLens 10M: `ratings.dat` with `movies.dat` but no `users.dat` beside it',
      recognisedBy: 'file names',
      scale: stars.half,
    },
    {
      source: 'MovieLens 20M, 25M, 32M, latest: `ratings.csv`',
      recognisedBy: 'file name and header',
      scale: stars.half,
    },
  ],
  takes: ['separator', 'header', 'columns', 'scale'],
  example: { name: 'u.data', content: '1\t10\t5\t881250949\n1\t20\t3\t881250950\n2\t10\t4\t891717742\n' },
  companions: /^(?:u\.item|u\.genre|users\.dat|movies\.dat|movies\.csv)(?:\.gz)?$/,
  recognises: async (found) => (await releaseIn(found)) !== undefined,
  async read(found, request) {
    const release = await releaseIn(found);
    if (release === undefined)
      throw new BadDataError(
        { file: found.source },
        'there is no MovieLens ratings file in it',
        'Expected u.data, ratings.dat or ratings.csv (also as .gz).',
      );
    const scale = request.scale ?? release.scale;
    const read = await readText(release.ratings, release.layout, {
      ...request,
      ...(scale !== undefined && { scale }),
    });
    return { ...read, name: release.name, itemFacts: () => movieFacts(found.neighbours) };
  },
} as const satisfies FileFormat;

/** A MovieLens release found among the files of a source. */
interface MovieLensRelease {
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
async function releaseIn({ files, neighbours }: SourceFiles): Promise<MovieLensRelease | undefined> {
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
