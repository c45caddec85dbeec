import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BadDataError, ImportOptionError } from '../bad-data-error.js';
import type { FileFormat, FormatOption, FormatRequest, FormatRows } from '../formats/rating-format.js';
import { fileFormats, formatOfAddress, ratingFormats, type SourceFormat } from '../formats.js';
import { isScale, scaleOf } from '../rating-scale.js';
import { recogniseFiles } from './recognise-files.js';
import { listSourceFiles, type SourceFile } from './source-file.js';
import { refuseVersionedTable } from './versioned-table.js';

/** How to read a source; the command line's `import` options under the same names. */
export interface SourceOptions extends Partial<Omit<FormatRequest, 'workFolder'>> {
  /**
   * The name of a known format, or a format of one's own; guessed from names and first lines unless given.
   * Databases are known by their address.
   */
  readonly format?: SourceFormat | FileFormat;
  /** Leave out up to so many bad rows; 0 unless given. */
  readonly skipBadRows?: number;
}

/** Checked rows of a source and where they came from. */
export interface SourceRows extends FormatRows {
  readonly format: string;
  readonly reader: 'duckdb' | 'typescript';
  readonly unused: readonly string[];
  /** What was said about the source and does not matter for its format. */
  readonly unusedOptions: readonly FormatOption[];
}

const formatOptions = ['separator', 'header', 'columns', 'scale', 'events', 'query'] as const;

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
  const request: FormatRequest = { ...options, skipBadRows, reader: options.reader ?? 'auto', workFolder };
  const said = formatOptions.filter((name) => options[name] !== undefined);
  const finish = ({ name, takes }: Pick<FileFormat, 'name' | 'takes'>, read: FormatRows): SourceRows => ({
    ...read,
    format: name,
    reader: read.reader ?? 'typescript',
    unused: read.unused ?? [],
    unusedOptions: said.filter((option) => !takes.includes(option)),
  });
  const database = formatOfAddress(source);
  if (database !== undefined) return finish(database, await database.read(source, request));
  const files = await listSourceFiles(source);
  await refuseVersionedTable(source, nameOf(options.format));
  if (files.length === 0) await refuseParts(source);
  const found = { source, files, neighbours: files.length > 1 ? files : await besides(source, files) };
  const format =
    options.format === undefined
      ? await recogniseFiles(fileFormats, found, request)
      : fileFormatOf(options.format);
  refuseUnused(format, options);
  return finish(format, await format.read(found, request));
}

/** @throws BadDataError where a folder holds folders alone: `day=1/`, `event=buy/` are columns, too */
async function refuseParts(source: string): Promise<void> {
  const entries = await readdir(source, { withFileTypes: true }).catch(() => []);
  if (!entries.some((entry) => entry.isDirectory() && !entry.name.startsWith('.'))) return;
  throw new BadDataError(
    { file: source },
    'it holds folders and no files, as a table in partitions does',
    'Write it as one file, with the columns that its folders are named by: pandas.read_parquet(FOLDER).to_parquet(FILE).',
  );
}

/** What changes the meaning of rows is never left unused in silence. */
function refuseUnused({ name, takes }: FileFormat, said: SourceOptions): void {
  if (said.events !== undefined && !takes.includes('events'))
    throw new ImportOptionError(
      'events',
      `The format ${name} has no column of events: leave --events out, or say --format csv if it is a list of one event a line.`,
    );
  if (!takes.includes('scale')) scaleOf(said, false);
}
const nameOf = (format: SourceFormat | FileFormat | undefined) =>
  typeof format === 'object' ? format.name : format;

function fileFormatOf(given: SourceFormat | FileFormat): FileFormat {
  if (typeof given !== 'string') return given;
  const known = ratingFormats.find(({ name }) => name === given);
  if (known?.from === 'files') return known;
  throw new ImportOptionError(
    'format',
    known?.addressHint ??
      `There is no format "${given}". Known: ${fileFormats.map(({ name }) => name).join(', ')}.`,
  );
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
