import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { queuedRun } from '../testing/queued-run.test.data.js';
import { openRunStore } from './open-run-store.js';
import type { Run } from './run.js';
import { StateDamagedError } from './run-store.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-damaged-state-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (id: string): Run => {
  const { request, ...others } = queuedRun(id);
  return { ...others, request: { ...request, model: `möbel-${id}` } };
};

async function writtenState(name: string): Promise<string> {
  const file = join(folder, name);
  const store = await openRunStore(file);
  for (const id of ['a', 'b', 'c']) await store.put(run(id));
  await store.close();
  return file;
}

describe('a damaged list of runs', () => {
  it('is refused with its name and what to do, and never ends the process', async () => {
    const good = await writtenState('good.db');
    const whole = readFileSync(good);
    // A document byte that is no longer UTF-8, one that still is, a status, the header, and half of the file.
    const texts = ['möbel-b', '"rank":8', 'queued', 'SQLite format 3'];
    const damages = texts.map((text) => {
      const bytes = Buffer.from(whole);
      bytes[bytes.lastIndexOf(text) + 2] ^= 0xff;
      return bytes;
    });
    const cuts = [whole.length / 2, 511, 100, 1].map((length) => whole.subarray(0, length));
    for (const [k, bytes] of [...damages, ...cuts].entries()) {
      const file = join(folder, `damaged-${k}.db`);
      writeFileSync(file, bytes);
      const error: Error = await openRunStore(file).then(
        () => new Error(`accepted damage ${k}`),
        (cause) => cause,
      );
      expect(error).toBeInstanceOf(StateDamagedError);
      expect(error.message).toContain(file);
      expect(error.message).toContain('move it away');
    }
  });
});
