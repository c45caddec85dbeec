import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { experiments } from '../list-of-experiments.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = ['dpals', 'dp-cmf', 'am-ssp', 'friedman', 'dpimf'];
const pageOf = (folder: string) => readFileSync(`${root}papers/${folder}/README.md`, 'utf8');
const overview = readFileSync(`${root}docs/papers.md`, 'utf8');

describe('the pages that lead from the papers to the code', () => {
  it('name every experiment, and none that does not exist', () => {
    const named = new Set(
      [...folders.map(pageOf), overview].flatMap((page) =>
        [...page.matchAll(/`(?:hushrec )?(?:reproduce )?([a-z0-9-]+\/[a-z0-9-]+)`/g)].map(([, id]) => id),
      ),
    );
    named.delete('x/y'); // the pages' own example
    const known = experiments.map(({ id }) => id);
    expect([...named].filter((id) => !known.includes(id) && !existsSync(root + id))).toEqual([]);
    // Those of hush stand on its own pages.
    expect(known.filter((id) => !named.has(id) && !id.startsWith('hush/'))).toEqual([]);
  });

  it.each(folders)('papers/%s/README.md links files that exist', (folder) => {
    const links = [...pageOf(folder).matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path);
    expect(links.length).toBeGreaterThan(8);
    expect(links.filter((path) => !existsSync(join(root, 'papers', folder, path)))).toEqual([]);
  });

  it('show what the stored results say', async () => {
    const { drawPages } = (await import('../../tools/papers-page.mjs' as string)) as {
      drawPages: () => { path: string; text: string }[];
    };
    for (const { path, text } of drawPages()) expect(readFileSync(root + path, 'utf8'), path).toBe(text);
  });

  // What each paper numbers, read off the papers themselves.
  it.each([
    [
      'dpals',
      {
        Algorithm: upTo(1),
        Assumption: upTo(2),
        Definition: ['3'],
        Theorem: upTo(2),
        Lemma: ['3', '4'],
        Remark: upTo(8),
        Table: upTo(1),
        Figure: upTo(5),
      },
    ],
    [
      'dp-cmf',
      {
        Algorithm: upTo(1),
        Definition: ['2.1'],
        Proposition: ['3.1'],
        Remark: ['2.2', '3.1', '3.2', '3.3', '3.4', '3.5'],
        Figure: upTo(5),
      },
    ],
    [
      'am-ssp',
      {
        Algorithm: upTo(8),
        Assumption: upTo(1),
        Definition: upTo(1),
        Theorem: upTo(3),
        Lemma: upTo(1),
        Proposition: upTo(3),
        Remark: upTo(7),
        Table: upTo(2),
        Figure: upTo(10),
      },
    ],
    [
      'friedman',
      { Algorithm: upTo(6), Definition: upTo(1), Theorem: upTo(6), Table: upTo(5), Figure: upTo(6) },
    ],
    [
      'dpimf',
      {
        Algorithm: upTo(3),
        Definition: upTo(5),
        Theorem: upTo(6),
        Lemma: upTo(2),
        Corollary: upTo(1),
        Problem: upTo(1),
        Figure: upTo(8),
      },
    ],
  ] as [string, Record<string, string[]>][])(
    'papers/%s/README.md lists everything that the paper numbers',
    (folder, numbered) => {
      const lines = pageOf(folder)
        .split('\n')
        .map((line) => line.split('|')[1] ?? '');
      const missing = Object.entries(numbered).flatMap(([kind, numbers]) =>
        numbers
          .filter((number) => !lines.some((line) => numbersOf(line, kind).includes(number)))
          .map((number) => `${kind} ${number}`),
      );
      expect(missing).toEqual([]);
    },
  );

  it.each(['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII'])('lists Table %s of Ran et al.', (number) => {
    expect(pageOf('dpimf')).toMatch(new RegExp(`Tables? (?:[IVX]+, )*${number}, `));
  });
});

/** '1' to a number. */
function upTo(most: number): string[] {
  return Array.from({ length: most }, (_, at) => String(at + 1));
}

/**
 * “Algorithms 2, 3, SSP-i”: 2 and 3. “Figure 3a”: 3. “Definitions 1–3”: 1, 2, 3. “Remarks 2.2, 3.4”: both.
 */
function numbersOf(line: string, kind: string): string[] {
  return [...line.matchAll(new RegExp(`${kind}s? ((?:\\d+[a-c]?(?:\\.\\d)?(?:, |–)?)+)`, 'g'))].flatMap(
    ([, list]) =>
      list
        .split(', ')
        .filter((part) => part !== '')
        .flatMap((part) => {
          if (part.includes('.')) return [part];
          const [from, to = from] = part.split('–').map((number) => Number.parseInt(number, 10));
          return upTo(to).slice(from - 1);
        }),
  );
}
