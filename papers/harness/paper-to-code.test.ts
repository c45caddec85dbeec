import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { experiments } from '../list-of-experiments.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${root}docs/paper-to-code.md`, 'utf8');
const letters: Readonly<Record<string, string>> = {
  F: 'packages/factorize/src',
  S: 'packages/statistics/src',
  P: 'packages/privacy/src',
  R: 'packages/ratings/src',
};

describe('the page that leads from the papers to the code', () => {
  const named = new Set([...page.matchAll(/reproduce ([\w-]+\/[\w-]+)/g)].map(([, id]) => id));
  named.delete('x/y'); // the page's own example

  it('names every experiment, and none that does not exist', () => {
    const known = new Set(experiments.map(({ id }) => id));
    expect([...named].filter((id) => !known.has(id))).toEqual([]);
    expect([...known].filter((id) => !named.has(id))).toEqual([]);
  });

  it('names files that exist', () => {
    const files = [...page.matchAll(/`([FSPR]|packages|papers|docs)\/([\w./-]+)`/g)].map(
      ([, first, rest]) => `${letters[first] ?? first}/${rest}`,
    );
    expect(files.length).toBeGreaterThan(60);
    expect(files.filter((file) => !existsSync(root + file))).toEqual([]);
  });

  // What each paper numbers, read off the papers themselves.
  it.each([
    [
      'Chien',
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
      'Curmei',
      {
        Algorithm: upTo(1),
        Definition: ['2.1'],
        Proposition: ['3.1'],
        Remark: ['2.2', '3.1', '3.2', '3.3', '3.4', '3.5'],
        Figure: upTo(5),
      },
    ],
    [
      'Krichene',
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
      'Friedman',
      { Algorithm: upTo(6), Definition: upTo(1), Theorem: upTo(6), Table: upTo(5), Figure: upTo(6) },
    ],
    [
      'Ran,',
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
  ] as [string, Record<string, string[]>][])('lists everything that %s et al. number', (paper, numbered) => {
    const own = page.split(/^## /m).find((part) => part.startsWith(paper))!;
    const lines = own.split('\n').map((line) => line.split('|')[1] ?? '');
    const missing = Object.entries(numbered).flatMap(([kind, numbers]) =>
      numbers
        .filter((number) => !lines.some((line) => numbersOf(line, kind).includes(number)))
        .map((number) => `${kind} ${number}`),
    );
    expect(missing).toEqual([]);
  });

  it.each(['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII'])('lists Table %s of Ran et al.', (number) => {
    const own = page.split(/^## /m).find((part) => part.startsWith('Ran,'));
    expect(own).toMatch(new RegExp(`Tables? (?:[IVX]+, )*${number}, `));
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
