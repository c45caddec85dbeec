import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from './exit-codes.js';
import { runCommand } from './run-command.test.data.js';

/** The lines of docs/ledger.md, "A weekly routine", as they stand there. */
const page = readFileSync(new URL('../../../docs/ledger.md', import.meta.url), 'utf8');
const routine = /## A weekly routine[\s\S]*?```sh\n([\s\S]*?)```/.exec(page)![1].trim().split('\n');

/** Arguments of a line; quotes hold one together. */
function argumentsOf(line: string): string[] {
  return [...line.replace(/\s+#.*$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2]);
}

describe('the weekly routine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-weekly-'));
  const before = process.cwd();
  beforeAll(() => {
    process.chdir(folder);
    for (const week of [1, 2, 3]) {
      // Forty people, most of them every week, with ratings that later weeks change.
      const rows = Array.from({ length: 400 }, (_, row) => {
        const user = (row + 3 * week) % 42;
        const item = (user * 5 + Math.floor(row / 40) * 7 + week) % 20;
        return `ann${user},book-${item},${1 + ((user + item + week) % 5)}`;
      });
      writeFileSync(`ratings-week-${week}.csv`, `user,item,rating\n${rows.join('\n')}\n`);
    }
  });
  afterAll(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(routine)('%s', async (line) => {
    const [program, ...args] = argumentsOf(line);
    expect(program).toBe('hushrec');
    const run = await runCommand(...args);
    expect(run.code, run.errors).toBe(line.includes('# refused') ? exitCodes.privacyRefused : 0);
  });

  it('ends with two models paid for, and nothing written for the third week', async () => {
    expect(routine.filter((line) => line.includes('# refused'))).toHaveLength(1);
    const shown = await runCommand('ledger', 'show', 'shop', '--json');
    expect(shown.json).toMatchObject({ runs: 2, unfinishedRuns: 0, name: 'shop' });
    expect(shown.json.spent[0].epsilon).toBeGreaterThan(1);
    expect(shown.json.spent[0].epsilon).toBeLessThanOrEqual(1.5);
    const certificate = JSON.parse(readFileSync('model-week-2/certificate.json', 'utf8'));
    expect((await runCommand('ledger', 'show', 'shop', '--expect', certificate.ledgerEntry)).code).toBe(0);
    expect(() => readFileSync('model-week-3/model.json')).toThrow();
  });
});
