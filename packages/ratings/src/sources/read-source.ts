import { dirname } from 'node:path';
import { BadDataError, ImportOptionError } from '../bad-data-error.js';
import type { RatingScale } from '../rating-matrix.js';
import { implicitScale, isScale } from '../rating-scale.js';
import { unusedColumns } from './column-roles.js';
import { delimitedLayout, guessSeparator, type LayoutOptions, readFirstLines } from './delimited-layout.js';
import type { EncodedRows } from './encoded-rows.js';
import { recogniseMovieLens } from './movielens.js';
import { namedColumns } from './named-columns.js';
import { readAdjacency } from './read-adjacency.js';
import { type ReadOptions, readDelimited } from './read-delimited.js';
import { looksLikeMatrix, readMatrix } from './read-matrix.js';
import { netflixFiles, netflixScale, readNetflix } from './read-netflix.js';
import { parquetColumns, readParquet } from './read-parquet.js';
import { postgresName, readPostgres } from './read-postgres.js';
import { listSourceFiles, type SourceFile } from './source-file.js';

/** Kinds of sources (`--format`; databases are known by their URL). */
export type SourceFormat = 'movielens' | 'netflix' | 'csv' | 'matrix' | 'adjacency' | 'parquet' | 'postgres';

/** How to read a source; the command line's `import` options under the same names. */
export interface SourceOptions {
  /** Guessed from names and first lines unless given. */
  readonly format?: SourceFormat;
  readonly separator?: string;
  readonly header?: boolean;
  /** Names or positions (from 1) of user, item, rating and time; '-' where there is none. */
  readonly columns?: readonly string[];
  /** Declared range of ratings; needed unless the format has a known one or there are no ratings. */
  readonly scale?: RatingScale;
  /** Leave out up to so many bad rows; 0 unless given. */
  readonly skipBadRows?: number;
  /**
   * The items there are, known apart from the ratings; a rating of any other is a bad row. Without it the
   * items are those that were rated, and the set of them must be public knowledge.
   */
  readonly catalogue?: ReadonlySet<string>;
  /** For databases. */
  readonly query?: string;
  /**
   * `auto` reads Parquet with DuckDB where it can be loaded and the data is clean; the report says which
   * reader it was.
   */
  readonly reader?: 'auto' | 'typescript';
  readonly signal?: AbortSignal | undefined;
}

/** Checked rows of a source and where they came from. */
export interface SourceRows {
  readonly rows: EncodedRows;
  readonly format: SourceFormat;
  readonly reader: 'duckdb' | 'typescript';
  /** For messages and provenance; without passwords and without folders. */
  readonly name: string;
  /** Columns of the source that nothing was read from. */
  readonly unused: readonly string[];
  /** Files beside the ratings, for titles and genres. */
  readonly neighbours: readonly SourceFile[];
}

/**
 * Reads a file, folder, archive or database into checked rows. `workFolder` takes unpacked and spilled data.
 */
export async function readSource(
  source: string,
  options: SourceOptions,
  workFolder: string,
): Promise<SourceRows> {
  if (options.scale !== undefined && !isScale(options.scale))
    throw new ImportOptionError('scale', 'The scale needs min ≤ max and a step ≥ 0, e.g. 1:5:1.');
  const skipBadRows = options.skipBadRows ?? 0;
  if (!(skipBadRows >= 0))
    throw new ImportOptionError('skip-bad-rows', 'The number of bad rows to leave out must be 0 or more.');
  const { signal, catalogue } = options;
  if (/^postgres(?:ql)?:\/\//.test(source)) {
    const rows = await readPostgres(source, {
      query: options.query,
      columns: options.columns,
      scale: options.scale,
      skipBadRows,
      catalogue,
      signal,
    });
    return {
      rows,
      format: 'postgres',
      reader: 'typescript',
      name: postgresName(source),
      unused: [],
      neighbours: [],
    };
  }
  const files = await listSourceFiles(source);
  const neighbours = files.length > 1 ? files : await besides(source, files);
  const format = options.format ?? (await guessFormat(files, neighbours, options));
  const reader = options.reader ?? 'auto';
  const common = { skipBadRows, catalogue, signal, workFolder, reader };
  switch (format) {
    case 'movielens': {
      const release = await recogniseMovieLens(files, neighbours);
      if (release === undefined)
        throw new BadDataError(
          { file: source },
          'there is no MovieLens ratings file in it',
          'Expected u.data, ratings.dat or ratings.csv (also as .gz).',
        );
      const scale = options.scale ?? release.scale;
      const read = await readText(release.ratings, { ...release.layout, ...given(options) }, scale, common);
      return { ...read, format, name: release.name, neighbours };
    }
    case 'netflix': {
      const parts = netflixFiles(files);
      if (parts.length === 0)
        throw new BadDataError(
          { file: source },
          'there is no file of the Netflix Prize in it',
          'Expected mv_0000001.txt … or combined_data_1.txt … (also as .gz).',
        );
      const rows = await readNetflix(source, parts, { ...common, scale: options.scale ?? netflixScale });
      return { rows, format, reader: 'typescript', name: 'Netflix Prize', unused: [], neighbours: [] };
    }
    case 'csv': {
      const file = onlyFile(source, files);
      const read = await readText(file, given(options), options.scale, common);
      return { ...read, format, name: file.name, neighbours: [] };
    }
    case 'matrix': {
      const file = onlyFile(source, files);
      const separator = options.separator ?? guessSeparator(file.name, (await readFirstLines(file, 1))[0]);
      const rows = await readMatrix(file, separator, { ...common, scale: declared(options.scale) });
      return { rows, format, reader: 'typescript', name: file.name, unused: [], neighbours: [] };
    }
    case 'adjacency': {
      const file = onlyFile(source, files);
      const rows = await readAdjacency(file, common);
      return { rows, format, reader: 'typescript', name: file.name, unused: [], neighbours: [] };
    }
    case 'parquet': {
      const tables = files.filter(({ name }) => /\.(?:parquet|pq)$/i.test(name));
      const first = tables[0] ?? onlyFile(source, files);
      const available = await parquetColumns(first);
      const columns = namedColumns(first.displayName, available, options.columns);
      const unused = unusedColumns(available, [columns.user, columns.item, columns.rating, columns.time], {
        hasRating: columns.rating !== undefined,
        columnsGiven: options.columns !== undefined,
      });
      const scale = columns.rating === undefined ? implicitScale : declared(options.scale);
      const read = await readParquet(tables.length > 0 ? tables : [first], columns, { ...common, scale });
      return { ...read, format, name: first.name, unused, neighbours: [] };
    }
    case 'postgres':
      throw new ImportOptionError(
        'format',
        'A database is named by its URL: postgres://user:password@host/name.',
      );
    default:
      throw new ImportOptionError('format', `There is no format "${String(format satisfies never)}".`);
  }
}

async function readText(
  file: SourceFile,
  layoutOptions: LayoutOptions,
  givenScale: RatingScale | undefined,
  common: Pick<ReadOptions, 'skipBadRows' | 'catalogue' | 'signal'>,
): Promise<Pick<SourceRows, 'rows' | 'reader' | 'unused'>> {
  const layout = await delimitedLayout(file, layoutOptions);
  const scale = layout.rating === undefined ? implicitScale : declared(givenScale);
  const rows = await readDelimited(file, layout, { ...common, scale });
  return { rows, reader: 'typescript', unused: layout.unused };
}

async function guessFormat(
  files: readonly SourceFile[],
  neighbours: readonly SourceFile[],
  options: SourceOptions,
): Promise<SourceFormat> {
  if (files.some(({ name }) => /\.(?:parquet|pq)$/i.test(name))) return 'parquet';
  if ((await recogniseMovieLens(files, neighbours)) !== undefined) return 'movielens';
  if (netflixFiles(files).length > 0) return 'netflix';
  if (files.length === 1 && !/\.(?:csv|tsv|dat)$/i.test(files[0].name)) {
    const widths = (await readFirstLines(files[0], 20)).map((line) => line.trim().split(/[ \t]+/).length);
    if (new Set(widths).size > 1 && widths.every((width) => width >= 2)) return 'adjacency';
  }
  if (files.length === 1 && options.columns === undefined && options.header !== false) {
    const lines = await readFirstLines(files[0], 20);
    const separator = options.separator ?? guessSeparator(files[0].name, lines[0]);
    if (separator !== '' && looksLikeMatrix(lines, separator)) return 'matrix';
  }
  return 'csv';
}

/**
 * The files in the folder of a single file, so that titles beside `ratings.dat` are found; itself if that
 * cannot be listed.
 */
async function besides(source: string, files: readonly SourceFile[]): Promise<readonly SourceFile[]> {
  return source.toLowerCase().endsWith('.zip')
    ? files
    : await listSourceFiles(dirname(source)).catch(() => files);
}

function onlyFile(source: string, files: readonly SourceFile[]): SourceFile {
  if (files.length === 1) return files[0];
  throw new BadDataError(
    { file: source },
    files.length === 0 ? 'there is no file in it' : `there are ${files.length} files in it and none is known`,
    'Name the file with the ratings.',
  );
}

function declared(scale: RatingScale | undefined): RatingScale {
  if (scale === undefined)
    throw new ImportOptionError(
      'scale',
      'Declare the rating scale, e.g. --scale 1:5:1 (min:max:step). It is never read from the data, because noise depends on it.',
    );
  return scale;
}

function given({ separator, header, columns }: SourceOptions): LayoutOptions {
  return {
    ...(separator !== undefined && { separator }),
    ...(header !== undefined && { header }),
    ...(columns !== undefined && { columns }),
  };
}
