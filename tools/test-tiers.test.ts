import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { skippedLine } from './skipped-tests.mjs';
import { filesOf, longTests, matches, slowTests, testFiles, tierOf } from './test-tiers.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = testFiles(root);

it('every test file belongs to exactly one of `npm test` and `npm run test:rest`', () => {
  const usual = filesOf('usual', root);
  const rest = filesOf('rest', root);
  expect([...usual, ...rest].sort()).toEqual(files);
  expect(filesOf('all', root)).toEqual(files);
  expect(usual).toEqual(expect.arrayContaining(filesOf('fast', root)));
  expect(files).toContain('tools/test-tiers.test.ts');
});

it('`npm test` has one file of each long kind, and every pattern fits a file', () => {
  for (const [kind, { files: patterns, except }] of Object.entries(longTests)) {
    expect(except, kind).toHaveLength(1);
    expect(tierOf(except[0]), kind).toBe('usual');
    for (const pattern of patterns)
      expect(
        files.some((file) => matches(file, pattern)),
        pattern,
      ).toBe(true);
    for (const file of except) expect(existsSync(join(root, file)), file).toBe(true);
  }
  expect(slowTests.filter((file) => !files.includes(file))).toEqual([]);
});

it('CI runs the README’s test command and then the rest', () => {
  const lines = readFileSync(join(root, '.ci/run'), 'utf8').split('\n');
  expect(lines.filter((line) => /^npm (test|run test)/.test(line))).toEqual([
    'npm test || failed=1',
    'npm run test:rest || failed=1',
  ]);
});

it('no test has less time than all have: such limits end what hangs, and decide nothing', () => {
  const limits =
    /\btimeout(?: =|:) ([1-9][\d_]*)|^[ \t]*\}, (\d+_000)\);$|\n[ \t]*\},\n[ \t]*(\d+_000),\n[ \t]*\);/gm;
  const short = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(limits)]
      .filter((found) => Number(found.slice(1).find(Boolean)!.replaceAll('_', '')) < 600_000)
      .map(([text]) => `${file}: ${text.trim()}`),
  );
  expect(short).toEqual([]);
});

it('skipped tests are counted in one line, by reason', () => {
  expect(skippedLine([])).toBe('No test was skipped.');
  expect(
    skippedLine([
      ['a page (skipped: no browser)', 'opens'],
      ['a page (skipped: no browser)', 'closes'],
      ['PostgreSQL: there is no server'],
      ['a file that may not be written'],
    ]),
  ).toBe(
    'Skipped tests: 4: 2 (no browser), 1 (there is no server), 1 (not on this system: a file that may not be written).',
  );
});
