import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Rows of tables that have more or fewer cells than their head, as `line: cells instead of cells`. */
function brokenRows(text: string): string[] {
  const broken: string[] = [];
  let isCode = false;
  let head: number | undefined;
  for (const [at, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) isCode = !isCode;
    if (isCode || !line.trimStart().startsWith('|')) {
      head = undefined;
      continue;
    }
    const cells = line.match(/(?<!\\)\|/g)!.length - 1;
    head ??= cells;
    if (cells !== head) broken.push(`${at + 1}: ${cells} instead of ${head}`);
  }
  return broken;
}

it('every table of every document renders: all rows have the cells of their head', () => {
  const files = execFileSync('git', ['ls-files', '--', '*.md'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)));
  expect(files.length).toBeGreaterThan(50);
  expect(
    files.flatMap((file) =>
      brokenRows(readFileSync(join(root, file), 'utf8')).map((row) => `${file}:${row}`),
    ),
  ).toEqual([]);
});

it('and a bar that is not escaped would be noticed', () => {
  expect(brokenRows('| a | b |\n| --- | --- |\n| ‖y‖ | |y|max |')).toEqual(['3: 4 instead of 2']);
  expect(brokenRows('| a | b |\n| --- | --- |\n| ‖y‖ | \\|y\\|max |')).toEqual([]);
  expect(brokenRows('```\n| a |\n| b | c |\n```')).toEqual([]);
});
