// Parquet files of tables that keep old versions: read as plain files they give back people who were erased.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { encodeTable } from '../dataset-folder/parquet-table.js';
import { BadDataError, heldOutPeople, importSource } from '../index.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-versioned-table-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const scale = { min: 1, max: 5, step: 1 };

function write(path: string, content: string | Uint8Array = ''): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

/** Fifty people from `first` on, each with one rating. */
function people(first: number): Uint8Array {
  const ids = Array.from({ length: 50 }, (_, at) => `u${first + at}`);
  return encodeTable([
    { name: 'user', type: 'text', data: ids },
    { name: 'item', type: 'text', data: ids.map((_, at) => `i${at % 5}`) },
    { name: 'rating', type: 'float32', data: Float32Array.from(ids, (_, at) => 1 + (at % 5)) },
  ]);
}

let count = 0;
const imported = (source: string, options = {}) =>
  importSource(join(folder, source), join(folder, `set-${++count}`), { scale, ...options });

// 150 people, of whom the fifty of part-1 were removed since.
for (const part of [0, 1, 2]) write(`delta/part-${part}.parquet`, people(50 * part));
write(
  'delta/_delta_log/00000000000000000000.json',
  [0, 1, 2].map((part) => JSON.stringify({ add: { path: `part-${part}.parquet` } })).join('\n'),
);
write('delta/_delta_log/00000000000000000001.json', JSON.stringify({ remove: { path: 'part-1.parquet' } }));
write('delta/day=1/hour=2/part-3.parquet', people(150));
write('delta/current.csv', 'user,item,rating\nu1,i1,5\nu2,i2,4\n');
write('delta/odd', people(0));
write('iceberg/data/part-0.parquet', people(0));
write('iceberg/data/day=1/part-1.parquet', people(50));
write('iceberg/metadata/00000-7a1c.metadata.json', '{}');
write('packed/data/part-0.parquet', people(0));
write('packed/metadata/v1.metadata.json.gz');
write('hudi/part-0.parquet', people(0));
write('hudi/.hoodie/hoodie.properties');
write('plain/part-0.parquet', people(0));
write('plain/metadata/notes.json', '{}');
symlinkSync(join(folder, 'delta', 'part-1.parquet'), join(folder, 'elsewhere.parquet'));

describe('files of a table that keeps old versions', () => {
  it.each([
    ['delta', 'a Delta table'],
    ['delta/part-1.parquet', 'a Delta table'],
    ['delta/day=1/hour=2', 'a Delta table'],
    ['delta/day=1/hour=2/part-3.parquet', 'a Delta table'],
    ['elsewhere.parquet', 'a Delta table'],
    ['iceberg', 'an Iceberg table'],
    ['iceberg/data', 'an Iceberg table'],
    ['iceberg/data/day=1', 'an Iceberg table'],
    ['iceberg/data/day=1/part-1.parquet', 'an Iceberg table'],
    ['packed/data', 'an Iceberg table'],
    ['hudi', 'a Hudi table'],
  ])('%s is not read as plain Parquet', async (source, table) => {
    const error = await imported(source).catch((caught: Error) => caught);
    expect(error).toBeInstanceOf(BadDataError);
    expect(String(error)).toContain(`it belongs to ${table}`);
    expect(String(error)).toContain('erased');
    expect(String(error)).toContain('table:CATALOG.SCHEMA.NAME');
  });

  it('is not read under another name, nor by tests', async () => {
    await expect(imported('delta/odd', { format: 'parquet' })).rejects.toThrow('a Delta table');
    await expect(heldOutPeople(join(folder, 'delta/part-1.parquet'), scale)).rejects.toThrow('a Delta table');
  });

  it('does not stand in the way of other files', async () => {
    expect(await imported('plain')).toMatchObject({ people: 50, format: 'parquet' });
    expect(await imported('delta/current.csv')).toMatchObject({ people: 2, format: 'csv' });
  });
});
