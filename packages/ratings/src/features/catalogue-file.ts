import { BadDataError } from '../bad-data-error.js';
import { idProblem } from '../sources/row-rules.js';
import { readFeatureTable } from './feature-table.js';

/** The ids in the item column of a table (see `readFeatureTable`); other columns are ignored. */
export async function readCatalogue(path: string): Promise<ReadonlySet<string>> {
  const { rows, itemColumn } = await readFeatureTable(path, {});
  const ids = new Set<string>();
  for (const { line, fields } of rows) {
    const id = fields[itemColumn] ?? '';
    const problem = idProblem(id, 'item');
    if (problem !== undefined) throw new BadDataError({ file: path, line }, problem, 'Correct the row.');
    ids.add(id);
  }
  return ids;
}
