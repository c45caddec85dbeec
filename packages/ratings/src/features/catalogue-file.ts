import { BadDataError } from '../bad-data-error.js';
import { idProblem } from '../sources/row-rules.js';
import { readFeatureTable } from './feature-table.js';

/**
 * The ids in the item column of a table (see `readFeatureTable`), or one id a line, blanks included; other
 * columns are ignored.
 */
export async function readCatalogue(path: string): Promise<ReadonlySet<string>> {
  const { rows, itemColumn } = await readFeatureTable(path, { otherwise: '\n' });
  const ids = new Set<string>();
  for (const { line, fields } of rows) {
    const id = fields[itemColumn] ?? '';
    const problem = idProblem(id, 'item');
    if (problem !== undefined) throw new BadDataError({ file: path, line }, problem, 'Correct the row.');
    ids.add(id);
  }
  return ids;
}
