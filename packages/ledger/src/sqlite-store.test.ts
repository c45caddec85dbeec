import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeLedger } from './sqlite-file.js';
import { SqliteStore } from './sqlite-store.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hushrec-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('gives back its lock after it found the file in use, so that others can write at once', async () => {
  const location = join(folder, 'ledger.sqlite');
  makeLedger(location);
  const other = new Database(location, { timeout: 0 });
  const whileHeld = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    other.exec('BEGIN EXCLUSIVE');
    const result = work();
    await new Promise((resolve) => setTimeout(resolve, 50));
    other.exec('COMMIT');
    return result;
  };
  const store = await whileHeld(() => SqliteStore.open(location, { patience: 5000, create: false }));
  const reads: readonly (() => Promise<unknown>)[] = [
    () => store.read({}),
    () => store.entry(1),
    () => store.jobs(),
    () => store.people(),
  ];
  for (const read of reads) {
    await whileHeld<unknown>(read);
    other.exec('BEGIN IMMEDIATE');
    other.exec('UPDATE ledger_head SET number = number');
    expect(() => other.exec('COMMIT')).not.toThrow();
  }
  await store.close();
  other.close();
});
