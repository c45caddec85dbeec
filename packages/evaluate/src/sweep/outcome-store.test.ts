import '@hushrec/papers/register';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fileOutcomeStore, memoryOutcomeStore, once } from './outcome-store.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-runs-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('finished runs', () => {
  it('are found again by a key with its fields in another order', async () => {
    const store = memoryOutcomeStore();
    await store.add({ method: 'dpals', settings: { rank: 8, rounds: 3 } }, { rmse: 0.9 });
    expect(store.find({ settings: { rounds: 3, rank: 8 }, method: 'dpals' })).toEqual({ rmse: 0.9 });
    expect(store.find({ settings: { rounds: 3, rank: 9 }, method: 'dpals' })).toBeUndefined();
  });

  it('survive a crash in the middle of a line, and so do those after it', async () => {
    const file = join(folder, 'runs.jsonl');
    await fileOutcomeStore(file).add({ run: 1 }, 'first');
    appendFileSync(file, '{"key":{"run":2},"outc');
    await fileOutcomeStore(file).add({ run: 3 }, 'third');
    const store = fileOutcomeStore(file);
    expect([1, 2, 3].map((run) => store.find({ run }))).toEqual(['first', undefined, 'third']);
  });

  it('are not run twice', async () => {
    const store = memoryOutcomeStore();
    let runs = 0;
    const run = async () => ++runs;
    expect([await once(store, { a: 1 }, run), await once(store, { a: 1 }, run)]).toEqual([1, 1]);
  });
});
