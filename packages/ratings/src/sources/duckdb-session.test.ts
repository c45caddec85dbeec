import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { parquet } from '../formats/parquet.js';
import { importSource } from '../import-source.js';

vi.mock('@duckdb/node-api', () => {
  throw new Error('no binary for this platform');
});

const base = await mkdtemp(join(tmpdir(), 'hushrec-no-duckdb-'));
afterAll(() => rm(base, { recursive: true, force: true }));

it('imports Parquet without DuckDB where its binary cannot be loaded, and says so in the report', async () => {
  const { name, content } = parquet.example;
  const source = join(base, name);
  await writeFile(source, await content());
  const report = await importSource(source, join(base, 'set'), { scale: { min: 1, max: 5, step: 1 } });
  expect(report).toMatchObject({ people: 2, items: 2, ratings: 3, reader: 'typescript' });
});
