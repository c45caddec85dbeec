import type { HistoryEntry } from '@hushrec/recommend';
import { CommandError, exitCodes } from './exit-codes.js';

/** An entry of a history file, and where it stands: a line of text, or a place in a JSON list, from 1. */
export interface PlacedEntry extends HistoryEntry {
  readonly place: number;
}

/**
 * One person's own history: lines of `item,rating` (also tab, `;` or `::`), a rating left out for likes, an
 * optional header; or JSON: a list `[{"id": "…", "rating": 4}, …]`, the same one object a line, or
 * `{"…": 4}` of items with their ratings. Item ids may contain the separator: only the
 * last field is a number. Rows with more columns, as exports have them (`item,rating,time`,
 * `user,item,rating[,time]`), are read by the names in their header, or by which column holds items that the
 * model knows.
 *
 * @param known ids of the model, to tell a header from a first line
 */
export function parseHistory(text: string, file: string, known: ReadonlySet<string>): PlacedEntry[] {
  if (text.includes('\0') || text.startsWith('\x1f\ufffd'))
    throw new CommandError(
      exitCodes.badData,
      `${file}: it is no text, or packed. Give a text of item,rating, unpacked; tables of many people go to --histories.`,
    );
  const listed = /^\s*[[{]/.test(text) ? parseJson(text, file) : undefined;
  if (listed !== undefined) return listed;
  const entries: PlacedEntry[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const table = parseTable(lines, file, known);
  if (table !== undefined) return table;
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const match = /^(.*?)\s*(?:::|[,;\t])\s*([^,;\t:]*)$/.exec(line);
    const id = unquote(match?.[1] ?? line);
    const field = match?.[2]?.trim() ?? '';
    if (field === '') {
      entries.push({ id, place: at + 1 });
      continue;
    }
    const rating = Number(field);
    if (Number.isNaN(rating)) {
      if (known.has(line.trim())) entries.push({ id: line.trim(), place: at + 1 });
      else if (entries.length > 0 || at > 0)
        throw new CommandError(
          exitCodes.badData,
          `${file}, line ${at + 1}: the rating is not a number. Expected item,rating.`,
        );
      continue;
    }
    entries.push({ id, rating, place: at + 1 });
  }
  return entries;
}

interface Row {
  readonly place: number;
  readonly fields: readonly string[];
}

const itemName =
  /^(?:id|(?:item|movie|film|product|article|track|song|artist|book|game|isbn|asin|sku)[ _-]?(?:id)?)$/i;
const userName = /^(?:user|customer|member|reviewer|person|uid)[ _-]?(?:id)?$/i;
const ratingName = /^(?:ratings?|score|stars|grade|value)$/i;

/** Rows of three or more columns; undefined where the file is not such a table. */
function parseTable(
  lines: readonly string[],
  file: string,
  known: ReadonlySet<string>,
): PlacedEntry[] | undefined {
  const separator = ['::', '\t', ';', ','].find((each) =>
    lines.find((line) => line.trim() !== '')?.includes(each),
  );
  if (separator === undefined) return undefined;
  const rows: Row[] = lines
    .map((line, at) => ({ place: at + 1, fields: splitQuoted(line, separator) }))
    .filter(({ fields }) => fields.length > 1 || fields[0] !== '');
  if (rows.length === 0) return undefined;
  const [first, ...rest] = rows;
  const isPairs =
    first.fields.some((name) => userName.test(name)) && first.fields.some((name) => itemName.test(name));
  if (!isPairs && rows.some(({ fields }) => fields.length < 3)) return undefined;
  const named = first.fields.findIndex((name) => itemName.test(name));
  const isHeader =
    named >= 0 &&
    (isPairs || !known.has(first.fields[named]) || first.fields.some((name) => ratingName.test(name)));
  const data = isHeader ? rest : rows;
  const { item, rating } = isHeader
    ? { item: named, rating: first.fields.findIndex((name) => ratingName.test(name)) }
    : columnsByContent(data, known, separator);
  if (item < 0) return undefined;
  const user = isHeader ? first.fields.findIndex((name) => userName.test(name)) : item - 1;
  if (user >= 0 && new Set(data.map(({ fields }) => fields[user])).size > 1) throw severalPeople(file);
  return data.map(({ fields, place }) => {
    const value = rating < 0 ? undefined : Number(fields[rating]);
    if (value !== undefined && (Number.isNaN(value) || fields[rating] === ''))
      throw new CommandError(
        exitCodes.badData,
        `${file}, line ${place}: the rating is not a number. Expected columns item,rating or user,item,rating.`,
      );
    return { id: fields[item] ?? '', place, ...(value !== undefined && { rating: value }) };
  });
}

/**
 * `item,rating,…` or `user,item,rating,…`, whichever has more items that the model knows; neither where ids
 * hold separators.
 */
function columnsByContent(rows: readonly Row[], known: ReadonlySet<string>, separator: string) {
  const hits = (idOf: (fields: readonly string[]) => string | undefined) =>
    rows.filter(({ fields }) => known.has(idOf(fields) ?? '')).length;
  const [first, second] = [hits((fields) => fields[0]), hits((fields) => fields[1])];
  const whole = Math.max(
    hits((fields) => fields.join(separator)),
    hits((fields) => fields.slice(0, -1).join(separator)),
  );
  if (whole >= Math.max(first, second)) return { item: -1, rating: -1 };
  return first >= second ? { item: 0, rating: 1 } : { item: 1, rating: 2 };
}

function splitQuoted(line: string, separator: string): string[] {
  const fields: string[] = [];
  let rest = line.trim();
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"/.exec(rest);
    const end = rest.indexOf(separator, quoted?.[0].length ?? 0);
    fields.push(unquote(end < 0 ? rest : rest.slice(0, end)));
    if (end < 0) return fields;
    rest = rest.slice(end + separator.length).trimStart();
  }
}

/** A list, objects line by line, or ratings by item; undefined where braces belong to ids. */
function parseJson(text: string, file: string): PlacedEntry[] | undefined {
  const whole = parsed(text);
  if (Array.isArray(whole)) return entriesOf(whole, file, 'entry');
  if (typeof whole === 'object' && whole !== null) {
    const ratings = Object.entries(whole);
    if (ratings.length > 0 && ratings.every(([, rating]) => typeof rating === 'number'))
      if (!ratings.some(([name]) => itemName.test(name)))
        return ratings.map(([id, rating], at) => ({ id, rating: rating as number, place: at + 1 }));
    return entriesOf([whole], file, 'entry');
  }
  const lines = text
    .split(/\r?\n/)
    .map((line) => (line.trim() === '' ? undefined : (parsed(line) ?? null)))
    .filter((line) => line !== undefined);
  if (typeof lines[0] === 'object' && lines[0] !== null) return entriesOf(lines, file, 'line');
  if (/^\s*\{/.test(text)) return undefined;
  throw new CommandError(
    exitCodes.badData,
    `${file}: not valid JSON. Expected [{"id": "…", "rating": 4}, …].`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function entriesOf(objects: readonly unknown[], file: string, what: 'entry' | 'line'): PlacedEntry[] {
  const people = new Set<unknown>();
  const entries = objects.map((object, at) => {
    const fields = Object.entries((object ?? {}) as Record<string, unknown>);
    const fieldOf = (name: RegExp) => fields.find(([key]) => name.test(key))?.[1];
    const [id, rating, user] = [itemName, ratingName, userName].map(fieldOf);
    if (
      (typeof id !== 'string' && typeof id !== 'number') ||
      (rating !== undefined && typeof rating !== 'number')
    )
      throw new CommandError(
        exitCodes.badData,
        `${file}, ${what} ${at + 1}: expected {"id": "…", "rating": number}.`,
      );
    if (user !== undefined) people.add(user);
    return { id: String(id), place: at + 1, ...(rating !== undefined && { rating }) };
  });
  if (people.size > 1) throw severalPeople(file);
  return entries;
}

function severalPeople(file: string): CommandError {
  return new CommandError(
    exitCodes.badData,
    `${file}: the rows are of several people. Give the rows of one person, or lists for all by --histories.`,
  );
}

function unquote(field: string): string {
  const trimmed = field.trim();
  return trimmed.startsWith('"') && trimmed.endsWith('"') && trimmed.length > 1
    ? trimmed.slice(1, -1).replaceAll('""', '"')
    : trimmed;
}
