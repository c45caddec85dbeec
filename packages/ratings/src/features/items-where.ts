import { BadDataError, ImportOptionError } from '../bad-data-error.js';
import { readFeatureTable } from './feature-table.js';

/**
 * Ids of the items that have a value in a column of a public table about items; `|` stands between several
 * values of a cell. Case does not matter.
 *
 * @throws ImportOptionError where there is no such column; BadDataError where no item has the value
 */
export async function itemsWhere(path: string, column: string, value: string): Promise<ReadonlySet<string>> {
  const { columns, itemColumn, rows } = await readFeatureTable(path, {});
  const wanted = column.toLowerCase();
  const at = columns.findIndex((name) => name.toLowerCase() === wanted);
  if (at < 0)
    throw new ImportOptionError('where', `${path} has no column ${column}. It has ${columns.join(', ')}.`);
  const sought = value.trim().toLowerCase();
  const ids = rows
    .filter(({ fields }) =>
      (fields[at] ?? '').split('|').some((each) => each.trim().toLowerCase() === sought),
    )
    .map(({ fields }) => fields[itemColumn] ?? '');
  if (ids.length === 0)
    throw new BadDataError(
      { file: path },
      `no item has ${value} in ${column}`,
      'Check how it is written there.',
    );
  return new Set(ids);
}
