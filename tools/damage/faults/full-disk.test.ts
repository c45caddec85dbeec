import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLedger } from '@hushrec/ledger';
import { openRunStore } from '@hushrec/server';
import { afterAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('limited-writer.mjs', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'hushrec-full-disk-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
/** Writes beyond the limit fail (EFBIG) instead of ending the process. */
const limited = 'trap "" XFSZ; ulimit -f "$1"; shift; exec "$@"';
const whyNot =
  spawnSync('bash', ['-c', limited, 'bash', '64', 'true']).status === 0
    ? undefined
    : 'this system has no bash with limits on the size of files';

function write(what: string, file: string, kibibytes: number) {
  return new Promise<{ told: string[]; code: number | null; words: string }>((resolve) => {
    const child = spawn('bash', [
      '-c',
      limited,
      'bash',
      String(kibibytes),
      process.execPath,
      program,
      what,
      file,
    ]);
    let told = '';
    let words = '';
    child.stdout.on('data', (text) => (told += text));
    child.stderr.on('data', (text) => (words += text));
    child.once('close', (code) =>
      resolve({ told: told.split('\n').filter((line) => line !== ''), code, words }),
    );
  });
}

/** Tries limits from nothing on, two pages of SQLite at a time, until the writer comes to its end. */
async function untilItPasses(what: string, check: (file: string, told: readonly string[]) => Promise<void>) {
  for (let kibibytes = 0; ; kibibytes += 8) {
    const file = join(base, `${what}-${kibibytes}.sqlite`);
    const { told, code, words } = await write(what, file, kibibytes);
    const where = `${what} with ${kibibytes} KiB: ${words}`;
    if (told.at(-1) === 'end') {
      expect(code, where).toBe(0);
      await check(file, told.slice(0, -1));
      return kibibytes / 8;
    }
    expect(code, where).toBe(1);
    expect(words, where).toMatch(/^\w+Error: |^SqliteError/);
    await check(file, told);
  }
}

describe.skipIf(whyNot)(
  `a disk that is full at any page${whyNot === undefined ? '' : ` (${whyNot})`}`,
  () => {
    it('loses no run that the server had acknowledged', async () => {
      const points = await untilItPasses('state', async (file, told) => {
        const store = await openRunStore(file);
        const found = new Set((await store.list(100)).map(({ id }) => id));
        for (const id of told) expect(found.has(id)).toBe(true);
        await store.close();
      });
      process.stdout.write(`list of runs: full at ${points} places\n`);
      expect(points).toBeGreaterThan(2);
    });

    it('loses no entry of the ledger that was told, and spending goes on', async () => {
      const account = 'a'.repeat(32);
      const protection = { unit: 'user', relation: 'add-remove' } as const;
      const points = await untilItPasses('ledger', async (file, told) => {
        const ledger = await openLedger(file, { create: true });
        const entries = await ledger.entries();
        const spent = new Set(entries.map(({ hash }) => hash));
        for (const entry of told.filter((each) => each !== 'grant')) expect(spent.has(entry)).toBe(true);
        if (told.length > 0) expect(entries[0]?.event.kind).toBe('grant');
        await ledger.check();
        await ledger.grant(account, { epsilon: 5, delta: 1e-5, protection });
        await ledger.close();
      });
      process.stdout.write(`ledger: full at ${points} places\n`);
      expect(points).toBeGreaterThan(2);
    });
  },
);
