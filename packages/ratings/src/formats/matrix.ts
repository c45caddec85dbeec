import type { RatingScale } from '../rating-matrix.js';
import { declaredScale, isOnScale } from '../rating-scale.js';
import { collectRows } from '../sources/collect-rows.js';
import { roleOfName } from '../sources/column-roles.js';
import { guessSeparator, readFirstLines } from '../sources/delimited-layout.js';
import { onlyFile } from '../sources/only-file.js';
import { RowCollector } from '../sources/row-collector.js';
import { parseDecimal } from '../sources/row-rules.js';
import { splitFields } from '../sources/split-fields.js';
import type { FileFormat } from './rating-format.js';

/** What spreadsheets and data frames write where there is no rating. */
const blank = /^(?:|na|n\/a|nan|null|none|-|\?)$/i;

/**
 * A matrix of ratings, people by rows and items by columns, named by the first column and the first line. A
 * blank cell is no rating; 0 is one only where the declared scale has it.
 */
export const matrix = {
  name: 'matrix',
  from: 'files',
  about: [
    {
      source: 'a matrix, people by rows, items by columns',
      recognisedBy: 'item names, then numbers',
      scale: 'declared',
    },
  ],
  takes: ['separator', 'scale'],
  example: { name: 'matrix.csv', content: 'user,10,20,30\n1,5,3,\n2,4,,\n' },
  async recognises({ files }, { separator: given, header, columns }) {
    if (files.length !== 1 || columns !== undefined || header === false) return false;
    const lines = await readFirstLines(files[0], 20);
    const separator = given ?? guessSeparator(files[0].name, lines[0]);
    return separator !== '' && looksLikeMatrix(lines, separator);
  },
  async read(found, request) {
    const file = onlyFile(found);
    const separator = request.separator ?? guessSeparator(file.name, (await readFirstLines(file, 1))[0]);
    const scale = declaredScale(request);
    const rows = await collectRows(
      file,
      () => new MatrixSink(separator, scale, request.catalogue),
      request,
      'Expected a first line of item names, then one line a person.',
    );
    return { rows, name: file.name };
  },
} as const satisfies FileFormat;

/**
 * Whether a text looks like a matrix with people by rows: a first line of different item names, then lines of
 * one name and numbers or blanks. A table with a column of items, ratings or times is none, however wide.
 */
function looksLikeMatrix(lines: readonly string[], separator: string): boolean {
  const quoted = separator.length === 1 && separator !== '\t' && separator !== ' ';
  const cut = (line: string) => splitFields(line, separator, quoted);
  const [names, ...rows] = lines.map(cut);
  if (names === undefined || rows.length === 0 || names.length < 4) return false;
  const items = names.slice(1);
  const holdsRole = items.some((name) => roleOfName(name) !== undefined);
  if (holdsRole || new Set(items).size < items.length || items.some((name) => name.trim() === ''))
    return false;
  // Numbers as item names are told from a row of numbers by the first field, which is then the word for
  // people, or empty.
  const first = names[0].trim();
  if (first !== '' && roleOfName(first) !== 'user' && items.some((name) => !Number.isNaN(parseDecimal(name))))
    return false;
  // A person has one row in a matrix and several in a list of ratings; a list has at most four columns of
  // numbers.
  const people = rows.map((fields) => fields?.[0]);
  if (new Set(people).size < people.length) return false;
  if (names.length === 4 && !rows.some((fields) => fields?.some((cell) => blank.test(cell.trim()))))
    return false;
  return rows.every(
    (fields) =>
      fields?.length === names.length &&
      fields.slice(1).every((cell) => blank.test(cell.trim()) || !Number.isNaN(parseDecimal(cell))),
  );
}

class MatrixSink {
  readonly collector: RowCollector;
  readonly #separator: string;
  readonly #scale: RatingScale;
  readonly #quoted: boolean;
  #items: readonly string[] | undefined;

  constructor(separator: string, scale: RatingScale, catalogue: ReadonlySet<string> | undefined) {
    this.#separator = separator;
    this.#quoted = separator.length === 1 && separator !== '\t' && separator !== ' ';
    this.#scale = scale;
    this.collector = new RowCollector(scale, false, catalogue);
  }

  onLine(text: string, line: number): void {
    const fields = splitFields(text, this.#separator, this.#quoted);
    if (fields === undefined) {
      this.collector.bad.add(line, 'a quote is not closed or is followed by text');
      return;
    }
    if (this.#items === undefined) {
      this.#items = fields.slice(1).map((name) => name.trim());
      return;
    }
    const [user = '', ...cells] = fields;
    if (cells.length !== this.#items.length) {
      this.collector.bad.add(
        line,
        `there are ${fields.length} fields where the first line has ${this.#items.length + 1}`,
      );
      return;
    }
    const zeroIsRating = isOnScale(0, this.#scale);
    for (const [at, cell] of cells.entries()) {
      const trimmed = cell.trim();
      if (blank.test(trimmed) || (!zeroIsRating && parseDecimal(trimmed) === 0)) continue;
      this.collector.addText(line, user, this.#items[at], trimmed, undefined);
    }
  }
}
