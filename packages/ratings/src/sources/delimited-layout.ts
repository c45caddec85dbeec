import { BadDataError, ImportOptionError } from '../bad-data-error.js';
import { columnRoles, roleOfName } from './column-roles.js';
import type { EventChoice } from './event-filter.js';
import { collectFirstBlock } from './first-block.js';
import { refuseForeignText } from './foreign-text.js';
import type { NamedColumns } from './named-columns.js';
import { parseDecimal, parseTime } from './row-rules.js';
import type { SourceFile } from './source-file.js';
import { splitFields } from './split-fields.js';
import { eventColumn, sampledRows, unusedColumns } from './unused-columns.js';

/** How the lines of a text file give ratings. Field positions start at 0. */
export interface DelimitedLayout {
  readonly separator: string;
  readonly quoted: boolean;
  readonly header: boolean;
  readonly fieldCount: number;
  readonly user: number;
  readonly item: number;
  /** Absent: implicit feedback. */
  readonly rating?: number;
  readonly time?: number;
  /** What happened, where only some events are kept. */
  readonly event?: number;
  /** What the columns are called; their positions from 1 on where there is no header. */
  readonly names: NamedColumns;
  /** Names of columns that nothing is read from. */
  readonly unused: readonly string[];
}

/** What the user said about the columns; the rest is worked out from the first line. */
export interface LayoutOptions {
  readonly separator?: string;
  readonly header?: boolean;
  /** Names or positions (from 1) of user, item, rating and time; '-' or absent where there is none. */
  readonly columns?: readonly string[];
  readonly events?: EventChoice;
}

/** Works the layout out from the options and the first lines of the file. */
export async function delimitedLayout(file: SourceFile, options: LayoutOptions): Promise<DelimitedLayout> {
  const firstLines = await readFirstLines(file, sampledRows);
  const { separator, quoted, fields } = fieldsOfFirstLine(file, firstLines[0], options);
  const columns = options.columns ?? [];
  if (columns.length > 4)
    throw new ImportOptionError('columns', '--columns takes user,item,rating,time: at most four.');
  const byPosition = columns.length > 0 && columns.every((column) => /^(?:[1-9][0-9]*|-)$/.test(column));
  const header = options.header ?? looksLikeHeader(fields, columns, byPosition);
  const rows = firstLines.map((line) => splitFields(line, separator, quoted) ?? []);
  if (!header && options.header === undefined && columns.length === 0) refuseUnknownHeader(file, rows);
  const valuesOf = (at: number) => rows.slice(header ? 1 : 0).map((row) => row[at] ?? '');
  const event = options.events && eventPosition(fields, options.events, header, valuesOf);
  const positions = byPosition
    ? columns.map((column) => (column === '-' ? undefined : Number(column) - 1))
    : columns.length > 0
      ? namedColumns(file, fields, columns, header)
      : header
        ? columnRoles.map((role) => named(fields, (name) => roleOfName(name) === role))
        : positionsByOrder(file, rows.slice(0, 20), event);
  const [user, item, rating, time] = presentColumns(file, fields, positions, columns, header);
  const nameOf = (at: number) => (header ? fields[at].trim() : String(at + 1));
  const columnNames = {
    user: nameOf(user),
    item: nameOf(item),
    ...(rating !== undefined && { rating: nameOf(rating) }),
    ...(time !== undefined && { time: nameOf(time) }),
    ...(event !== undefined && { event: nameOf(event) }),
  };
  return {
    separator,
    quoted,
    header,
    fieldCount: fields.length,
    names: columnNames,
    unused: unusedColumns(
      fields.map((_, at) => nameOf(at)),
      columnNames,
      columns.length > 0,
      (name) => valuesOf(fields.findIndex((_, at) => nameOf(at) === name)),
    ),
    user,
    item,
    ...(rating !== undefined && { rating }),
    ...(time !== undefined && { time }),
    ...(event !== undefined && { event }),
  };
}

function fieldsOfFirstLine(file: SourceFile, line: string, options: LayoutOptions) {
  const place = { file: file.displayName, line: 1 };
  if (/^\s*\{\s*"/.test(line))
    throw new BadDataError(
      place,
      'it is JSON',
      'Where it has one object per line, name it .jsonl or say --format jsonl.',
    );
  const separator = options.separator ?? guessSeparator(file.name, line);
  if (separator === '') throw new ImportOptionError('separator', 'The separator is empty.');
  const quoted = separator.length === 1 && separator !== '\t' && separator !== ' ';
  const fields = splitFields(line, separator, quoted);
  if (fields === undefined)
    throw new BadDataError(place, 'a quote is not closed', 'Correct the line, or name another --separator.');
  return { separator, quoted, fields };
}

/** Where the column of events is. @throws ImportOptionError where it is not there */
function eventPosition(
  fields: readonly string[],
  events: EventChoice,
  header: boolean,
  valuesOf: (at: number) => readonly string[],
): number {
  const names = fields.map((name, at) => (header ? name : String(at + 1)));
  return names.indexOf(eventColumn(events, names, (name) => valuesOf(names.indexOf(name))));
}

/**
 * The positions of user, item, rating and time.
 *
 * @throws BadDataError where a column that is needed or asked for is not there
 */
function presentColumns(
  file: SourceFile,
  fields: readonly string[],
  positions: readonly (number | undefined)[],
  columns: readonly string[],
  header: boolean,
): readonly [number, number, number | undefined, number | undefined] {
  const place = { file: file.displayName, line: 1 };
  const advice =
    'Name the columns with --columns user,item,rating[,time] (names or positions), or give the --separator.';
  const missing = (index: number) => {
    const shown = fields.slice(0, 12).map((name) => `"${name.slice(0, 40)}"`);
    const found = header ? `; the header has ${shown.join(', ')}` : '';
    return new BadDataError(place, `there is no column for the ${columnRoles[index]}${found}`, advice);
  };
  const checked = (index: number): number | undefined => {
    const position = positions[index];
    if (position === undefined && columns[index] !== undefined && columns[index] !== '-')
      throw missing(index);
    if (position !== undefined && position >= fields.length)
      throw new BadDataError(
        place,
        `the ${columnRoles[index]} is in column ${position + 1}, but the line has ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`,
        advice,
      );
    return position;
  };
  const user = checked(0);
  if (user === undefined) throw missing(0);
  const item = checked(1);
  if (item === undefined) throw missing(1);
  return [user, item, checked(2), checked(3)];
}

/**
 * Refuses a first line of words over columns of numbers: a header in words that are not known here. It is
 * shown; a line that could be someone's row (with a digit, or a field that occurs again below) is not.
 */
function refuseUnknownHeader(file: SourceFile, [first, ...rows]: readonly (readonly string[])[]): void {
  const isNumber = (text: string | undefined) =>
    text !== undefined && text.trim() !== '' && !Number.isNaN(parseDecimal(text.replace(',', '.')));
  const isNamed = first.every(
    (name, at) =>
      /^[\p{L} _.-]{2,40}$/u.test(name.trim()) && !rows.some((row) => row[at]?.trim() === name.trim()),
  );
  if (!isNamed || rows.length < 2 || !first.some((_, at) => rows.every((row) => isNumber(row[at])))) return;
  const names = first.map((name) => name.trim());
  throw new BadDataError(
    { file: file.displayName, line: 1 },
    `it is a header whose names are not known: ${names.map((name) => `"${name}"`).join(', ')}`,
    `Say which column is what: --columns ${names.slice(0, 4).join(',')} where these are user,item,rating,time in this order.`,
  );
}

/**
 * Without a header: user, item, rating, time; or user, item, time where the third field of every line is a
 * time. A column of events is none of them.
 */
function positionsByOrder(
  file: SourceFile,
  rows: readonly (readonly string[])[],
  event: number | undefined,
): (number | undefined)[] {
  const places = rows[0].map((_, at) => at).filter((at) => at !== event);
  const fieldCount = places.length;
  if (fieldCount > columnRoles.length)
    throw new BadDataError(
      { file: file.displayName, line: 1 },
      `it has ${fieldCount} fields and no header, so that nobody knows which is which`,
      'Name them by position, e.g. --columns 1,2,3,4 for user,item,rating,time; a matrix with people by rows needs a first line of item names.',
    );
  const [user, item, third] = places;
  if (fieldCount === 3 && rows.every((fields) => isRecentTime(fields[third] ?? '')))
    return [user, item, undefined, third];
  return columnRoles.map((_, index) => places[index]);
}

/**
 * A date, or a number of seconds or milliseconds since 1970 that lies after 1980: no rating is that large.
 */
function isRecentTime(text: string): boolean {
  return parseTime(text) > 315_532_800;
}

function named(fields: readonly string[], matches: (name: string) => boolean): number | undefined {
  const position = fields.findIndex(matches);
  return position < 0 ? undefined : position;
}

function namedColumns(
  file: SourceFile,
  fields: readonly string[],
  columns: readonly string[],
  header: boolean,
) {
  if (!header)
    throw new BadDataError(
      { file: file.displayName, line: 1 },
      `the columns are given by name (${columns.join(', ')}), but the first line is not a header with these names`,
      'Give positions instead, e.g. --columns 1,2,3, or the right names.',
    );
  return columns.map((column) =>
    column === '-' ? undefined : named(fields, (name) => name.trim() === column.trim()),
  );
}

/**
 * A first line is a header when the columns asked for by name are in it, or when it holds no number and names
 * that everyone uses: two of them, or that of the user. A header that lacks a column is then reported as
 * such, and not read as a rating. Anything else is a row, so that a bad first row is reported and not
 * swallowed.
 */
function looksLikeHeader(
  fields: readonly string[],
  columns: readonly string[],
  byPosition: boolean,
): boolean {
  if (columns.length > 0 && !byPosition)
    return columns.some((column) => column !== '-' && fields.some((name) => name.trim() === column.trim()));
  const roles = new Set(fields.map(roleOfName).filter((role) => role !== undefined));
  return (roles.has('user') || roles.size >= 2) && fields.every((name) => Number.isNaN(parseDecimal(name)));
}

export function guessSeparator(name: string, firstLine: string): string {
  if (/\.tsv$/i.test(name)) return '\t';
  const candidates = ['::', '\t', ',', ';', '|'];
  return candidates.find((candidate) => firstLine.split(candidate).length >= 2) ?? ' ';
}

/** The first line that is not blank, from the first block of the file. */
export async function readFirstLine(file: SourceFile): Promise<string> {
  const lines = await readFirstLines(file, 1);
  return lines[0];
}

/** Up to `count` lines that are not blank, from the first 256 KiB. Fails on an empty file. */
export async function readFirstLines(file: SourceFile, count: number): Promise<string[]> {
  const block = await collectFirstBlock(file);
  refuseForeignText(file, block, 1);
  const text = block.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '');
  if (/\r(?!\n|$)/.test(text) && !text.includes('\n'))
    throw new BadDataError(
      { file: file.displayName },
      'its lines end with CR alone',
      'Convert it to LF or CR LF line ends.',
    );
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  if (lines.length === 0)
    throw new BadDataError(
      { file: file.displayName },
      'it is empty',
      'Give a file with one rating per line.',
    );
  return lines.slice(0, count).map((line) => Buffer.from(line, 'latin1').toString('utf8'));
}
