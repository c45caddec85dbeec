import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyNoPostgres } from '@hushrec/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase } from '../testing/fresh-database.test.data.js';
import { queuedRun } from '../testing/queued-run.test.data.js';
import { openRunStore } from './open-run-store.js';
import type { RunStore } from './run-store.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-state-'));
let postgres: Awaited<ReturnType<typeof freshDatabase>> | undefined;
const whyNot = whyNoPostgres();
beforeAll(async () => {
  if (whyNot === undefined) postgres = await freshDatabase();
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true });
});

const places: [string, string | undefined, () => string][] = [
  ['SQLite', undefined, () => join(folder, 'runs.db')],
  ['PostgreSQL', whyNot, () => postgres!.url],
];

describe.each(places)('runs in %s', (name, skipReason, place) => {
  if (skipReason !== undefined) {
    it.skip(`${name}: ${skipReason}`, () => {});
    return;
  }
  let store: RunStore;
  beforeEach(async () => {
    store = await openRunStore(place());
  });
  afterEach(() => store.close());

  it('keeps a run as it was, also after reopening', async () => {
    const stored = queuedRun('a', {
      progress: { stage: 'üben "', done: 1, total: 3 },
      result: { epsilon: 0.1 + 0.2 },
    });
    await store.put(stored);
    expect(await store.get('a')).toEqual(stored);
    await store.close();
    store = await openRunStore(place());
    expect(await store.get('a')).toEqual(stored);
    expect(await store.get('unknown')).toBeUndefined();
  });

  it('replaces a run of the same id and lists the newest first', async () => {
    await store.put(queuedRun('a', { status: 'done' }));
    await store.put(queuedRun('bb', { status: 'running' }));
    await store.put(queuedRun('ccc'));
    expect((await store.list(2)).map(({ id }) => id)).toEqual(['ccc', 'bb']);
    expect((await store.unfinished()).map(({ id }) => id)).toEqual(['bb', 'ccc']);
    await store.put(queuedRun('bb', { status: 'failed', error: 'x' }));
    expect((await store.unfinished()).map(({ id }) => id)).toEqual(['ccc']);
  });

  it('can be closed twice, and what comes after is refused', async () => {
    await store.close();
    await store.close();
    await expect(store.put(queuedRun('late'))).rejects.toThrow();
    await expect(store.list(1)).rejects.toThrow();
    store = await openRunStore(place());
  });

  it('refuses a second owner while the first lives', async () => {
    await expect(openRunStore(place())).rejects.toThrow('Another server uses');
  });
});
