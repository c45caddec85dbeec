import { BadDataError, ImportOptionError } from '../bad-data-error.js';
import { roleOfName } from '../sources/column-roles.js';
import { listSourceFiles } from '../sources/source-file.js';
import { splitFields } from '../sources/split-fields.js';
import { readWholeText } from '../sources/whole-text.js';

/** How to cut a text table about items into fields. */
export interface FeatureTableOptions {
  readonly separator?: string;
  /** What separates fields where the first line has none of the usual characters; a blank unless given. */
  readonly otherwise?: string;
  /** Whether the first line names the columns; guessed from "item", "movieId", … unless given. */
  readonly header?: boolean;
  /** Name or position (from 1) of the item id; found by its name, else the first column. */
  readonly item?: string;
}

/** A text table about items, cut into fields. */
export interface FeatureTable {
  readonly file: string;
  readonly columns: readonly string[];
  readonly itemColumn: number;
  readonly rows: readonly { readonly line: number; readonly fields: readonly string[] }[];
}

/** Reads a table about items whole: there are few items compared with ratings. */
export async function readFeatureTable(path: string, options: FeatureTableOptions): Promise<FeatureTable> {
  const files = await listSourceFiles(path);
  const file = files[0];
  if (files.length !== 1 || file === undefined)
    throw new BadDataError({ file: path }, 'it is not one file', 'Name the file with the features.');
  const lines = (await readWholeText(file)).split('\n').map((line) => line.replace(/\r$/, ''));
  const first = lines.findIndex((line) => line !== '');
  if (first < 0) throw new BadDataError({ file: path }, 'it is empty', 'Give a file with one item per line.');
  const separator =
    options.separator ??
    ['::', '\t', ',', ';', '|'].find((each) => lines[first].includes(each)) ??
    options.otherwise ??
    ' ';
  const quoted = separator.length === 1 && separator !== '\t' && separator !== ' ';
  const cut = (line: number) => {
    const fields = splitFields(lines[line], separator, quoted);
    if (fields === undefined)
      throw new BadDataError({ file: path, line: line + 1 }, 'a quote is not closed', 'Correct the line.');
    return fields;
  };
  const names = cut(first);
  const looksNamed = (name: string) => roleOfName(name) === 'item' || /^(?:ml_)?id$/i.test(name.trim());
  const header =
    options.header ?? (options.item !== undefined ? names.includes(options.item) : names.some(looksNamed));
  const columns = header ? names.map((name) => name.trim()) : names.map((_, column) => `field${column + 1}`);
  const rows = [];
  for (let line = header ? first + 1 : first; line < lines.length; line++)
    if (lines[line] !== '') rows.push({ line: line + 1, fields: cut(line) });
  return { file: path, columns, itemColumn: itemColumn(options.item, columns, looksNamed), rows };
}

/** The rows that are about items of the data set, and how many are about others. */
export function rowsOfItems({ itemColumn, rows }: FeatureTable, index: ReadonlyMap<string, number>) {
  const known = rows.flatMap((row) => {
    const item = index.get(row.fields[itemColumn] ?? '');
    return item === undefined ? [] : [{ ...row, item }];
  });
  return { known, unknownRows: rows.length - known.length };
}

function itemColumn(
  asked: string | undefined,
  columns: readonly string[],
  looksNamed: (name: string) => boolean,
): number {
  if (asked === undefined) return Math.max(0, columns.findIndex(looksNamed));
  return columnPosition(asked, columns, 'item');
}

/** Position of a column given by name or by number (from 1). */
export function columnPosition(asked: string, columns: readonly string[], option: string): number {
  const named = columns.indexOf(asked);
  const position = named >= 0 ? named : /^[1-9][0-9]*$/.test(asked) ? Number(asked) - 1 : -1;
  if (position < 0 || position >= columns.length)
    throw new ImportOptionError(
      option,
      `There is no column "${asked}"; there are ${columns.slice(0, 12).join(', ')}.`,
    );
  return position;
}
