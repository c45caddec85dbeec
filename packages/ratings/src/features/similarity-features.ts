import { type Csr, csrFromTriples } from '@hushrec/numerics';
import { BadDataError } from '../bad-data-error.js';
import type { FeatureSource } from '../rating-matrix.js';
import { parseDecimal } from '../sources/row-rules.js';
import { type FeatureReport, reportOf } from './feature-report.js';
import type { FeatureTable, FeatureTableOptions } from './feature-table.js';
import { type NearestOptions, nearestItems } from './nearest-items.js';

/** How to read item vectors or similar pairs. */
export interface SimilarityOptions extends FeatureTableOptions, Partial<NearestOptions> {
  readonly kind: 'similarity';
  /**
   * Rows of the file: an item's vector, or an item, another item and their similarity. Three columns are
   * pairs unless told.
   */
  readonly content?: 'vectors' | 'pairs';
}

/**
 * Neighbours of items, computed from a table of vectors or taken from a table of pairs; 30 by cosine unless
 * told.
 */
export function readSimilarity(
  table: FeatureTable,
  name: string,
  options: SimilarityOptions,
  index: ReadonlyMap<string, number>,
): { readonly source: FeatureSource; readonly report: FeatureReport } {
  const { k = 30, measure = 'cosine', values = 'actual' } = options;
  const nearest = { k, measure, values };
  const content = options.content ?? (table.columns.length === 3 ? 'pairs' : 'vectors');
  const { byItem, present, unknownRows } =
    content === 'vectors' ? fromVectors(table, nearest, index) : fromPairs(table, nearest, index);
  return { source: { kind: 'similarity', name, byItem }, report: reportOf(present, unknownRows) };
}

interface Neighbours {
  readonly byItem: Csr;
  readonly present: Uint8Array;
  readonly unknownRows: number;
}

function fromVectors(
  table: FeatureTable,
  nearest: NearestOptions,
  index: ReadonlyMap<string, number>,
): Neighbours {
  const numbers = numberColumns(table);
  const vectors = new Float32Array(index.size * numbers.length);
  const present = new Uint8Array(index.size);
  let unknownRows = 0;
  for (const { line, fields } of table.rows) {
    const item = index.get(fields[table.itemColumn] ?? '');
    if (item === undefined) {
      unknownRows++;
      continue;
    }
    numbers.forEach((column, f) => {
      const value = parseDecimal(fields[column] ?? '');
      if (Number.isNaN(value)) throw bad(table, line, `"${table.columns[column]}" is not a number`);
      vectors[item * numbers.length + f] = value;
    });
    present[item] = 1;
  }
  return { byItem: nearestItems(vectors, numbers.length, present, nearest), present, unknownRows };
}

function fromPairs(
  table: FeatureTable,
  { k, values }: NearestOptions,
  index: ReadonlyMap<string, number>,
): Neighbours {
  const [otherColumn = -1, valueColumn] = numberColumns(table);
  const own = Array.from({ length: index.size }, () => new Map<number, number>());
  let unknownRows = 0;
  for (const { line, fields } of table.rows) {
    const item = index.get(fields[table.itemColumn] ?? '');
    const other = index.get(fields[otherColumn] ?? '');
    const value = valueColumn === undefined ? 1 : parseDecimal(fields[valueColumn] ?? '');
    if (Number.isNaN(value)) throw bad(table, line, 'the similarity is not a number');
    if (item === undefined || other === undefined) unknownRows++;
    else if (item !== other) own[item].set(other, value);
  }
  const present = new Uint8Array(index.size);
  const rows: number[] = [];
  const columns: number[] = [];
  const similarities: number[] = [];
  own.forEach((others, item) => {
    const best = [...others].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, k);
    for (const [other, value] of best) {
      present[item] = 1;
      rows.push(item);
      columns.push(other);
      similarities.push(values === 'binary' ? 1 : value);
    }
  });
  return {
    byItem: csrFromTriples(index.size, index.size, rows, columns, similarities),
    present,
    unknownRows,
  };
}

function numberColumns({ columns, itemColumn }: FeatureTable): number[] {
  return columns.map((_, column) => column).filter((column) => column !== itemColumn);
}

function bad(table: FeatureTable, line: number, reason: string): BadDataError {
  return new BadDataError({ file: table.file, line }, reason, 'Correct the row.');
}
