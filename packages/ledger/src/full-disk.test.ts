import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { gaussianAccountant } from './example-accountant.test.data.js';
import { killedAccount, killedCharge } from './killed-process.test.data.js';
import { openLedger } from './open-ledger.js';

const program = fileURLToPath(new URL('../dist/killed-process.test.data.js', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'hushrec-full-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/**
 * A limit on the size of files fails the first write beyond it, wherever that is: in the journal, a page, a
 * new page.
 */
describe.skipIf(process.platform === 'win32')('a disk that gets full', () => {
  it.each([1, 8, 20, 60, 68, 72, 90])(
    'at %d KiB a file leaves all that was paid for, and nothing more',
    async (limit) => {
      expect(existsSync(program), 'build first: npm run build').toBe(true);
      const folder = mkdtempSync(join(root, 'try-'));
      const location = join(folder, 'ledger.sqlite');
      const child = spawnSync(
        'bash',
        ['-c', `ulimit -f ${limit}; exec "$0" "$@"`, process.execPath, program, 'spend', location, folder],
        { encoding: 'utf8' },
      );
      expect(child.status).toBe(1);
      expect(child.stderr).toMatch(/LedgerUnavailableError: The ledger .*ledger\.sqlite cannot be used/);
      const paid = readdirSync(folder)
        .filter((name) => name.endsWith('.log'))
        .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
        .flatMap((line) => (line.startsWith('paid ') ? [line.slice(5)] : []));
      expect(readdirSync(folder).filter((name) => name.includes('.new-'))).toEqual([]);
      expect(existsSync(location)).toBe(limit >= 60);
      const ledger = await openLedger(location, { accountant: gaussianAccountant, create: true });
      expect((await ledger.entries()).map(({ hash }) => hash)).toEqual(paid);
      await ledger.check();
      const protection = { unit: 'user', relation: 'add-remove' } as const;
      const more = {
        account: killedAccount,
        jobKey: 'more',
        method: 'toy',
        protection,
        charge: killedCharge,
      };
      expect((await ledger.spend(more)).number).toBe(paid.length + 1);
      await ledger.close();
    },
  );
});
