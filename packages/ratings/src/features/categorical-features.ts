import { BadDataError, ImportOptionError } from '../bad-data-error.js';
import type { FeatureSource } from '../rating-matrix.js';
import { parseDecimal } from '../sources/row-rules.js';
import { CategoricalFieldBuilder } from './categorical-field.js';
import { type FeatureReport, reportOf } from './feature-report.js';
import { columnPosition, type FeatureTable, type FeatureTableOptions, rowsOfItems } from './feature-table.js';

/** How to read tokens from a table about items. */
export interface CategoricalOptions extends FeatureTableOptions {
  readonly kind: 'categorical';
  /** Columns with tokens, by name or position; all but the item id and titles unless given. */
  readonly fields?: readonly string[];
  /** Between the tokens of one cell; '|' unless given. */
  readonly tokenSeparator?: string;
  /** Column with the weight of the row's tokens; 1 unless given. */
  readonly weight?: string;
}

/** Tokens from the cells of a table: several fields, several tokens in a cell, several rows per item. */
export function readCategorical(
  table: FeatureTable,
  name: string,
  options: CategoricalOptions,
  index: ReadonlyMap<string, number>,
): { readonly source: FeatureSource; readonly report: FeatureReport } {
  const itemCount = index.size;
  const { columns, itemColumn } = table;
  const weight = options.weight === undefined ? -1 : columnPosition(options.weight, columns, 'weight');
  const positions =
    options.fields?.map((field) => columnPosition(field, columns, 'fields')) ??
    columns
      .map((_, column) => column)
      .filter(
        (column) =>
          column !== itemColumn && column !== weight && !/^(?:title|name|url)$/i.test(columns[column]),
      );
  if (positions.length === 0)
    throw new ImportOptionError('fields', `${table.file} has no column with tokens besides the item id.`);
  const builders = positions.map(() => new CategoricalFieldBuilder());
  const present = new Uint8Array(itemCount);
  const { known, unknownRows } = rowsOfItems(table, index);
  for (const { line, fields, item } of known) {
    const value = weight < 0 ? 1 : parseDecimal(fields[weight] ?? '');
    if (!(value > 0))
      throw new BadDataError(
        { file: table.file, line },
        'the weight is not a number above 0',
        'Correct the row.',
      );
    positions.forEach((column, k) => {
      for (const token of (fields[column] ?? '').split(options.tokenSeparator ?? '|')) {
        if (token.trim() === '') continue;
        builders[k].add(item, token.trim(), value);
        present[item] = 1;
      }
    });
  }
  const source: FeatureSource = {
    kind: 'categorical',
    name,
    fields: builders.map((builder, k) => builder.finish(columns[positions[k]], itemCount)),
  };
  return { source, report: reportOf(present, unknownRows) };
}
