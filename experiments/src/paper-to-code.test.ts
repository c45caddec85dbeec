import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { experiments } from './experiments.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${root}docs/paper-to-code.md`, 'utf8');
const letters: Readonly<Record<string, string>> = {
  F: 'packages/factorize/src',
  S: 'packages/statistics/src',
  P: 'packages/privacy/src',
  R: 'packages/ratings/src',
  X: 'experiments/src',
};

describe('the page that leads from the papers to the code', () => {
  const named = new Set([...page.matchAll(/reproduce ([\w-]+\/[\w-]+)/g)].map(([, id]) => id!));
  named.delete('x/y'); // the page's own example

  it('names every experiment, and none that does not exist', () => {
    const known = new Set(experiments.map(({ id }) => id));
    expect([...named].filter((id) => !known.has(id))).toEqual([]);
    expect([...known].filter((id) => !named.has(id))).toEqual([]);
  });

  it('names files that exist', () => {
    const files = [...page.matchAll(/`([FSPRX]|packages|docs)\/([\w./-]+)`/g)].map(
      ([, first, rest]) => `${letters[first!] ?? first}/${rest}`,
    );
    expect(files.length).toBeGreaterThan(60);
    expect(files.filter((file) => !existsSync(root + file))).toEqual([]);
  });

  // What each paper has, counted in the papers themselves.
  it.each([
    ['Chien', { Algorithm: 1, Theorem: 2, Table: 1, Figure: 5 }],
    ['Curmei', { Algorithm: 1, Proposition: 1, Figure: 5 }],
    ['Krichene', { Algorithm: 8, Theorem: 3, Proposition: 3, Table: 2, Figure: 10 }],
    ['Friedman', { Algorithm: 6, Theorem: 6, Table: 5, Figure: 6 }],
    ['Ran,', { Algorithm: 3, Theorem: 6, Figure: 8 }],
  ] as const)('lists everything that %s et al. number', (paper, counts) => {
    const own = page.split(/^## /m).find((part) => part.startsWith(paper))!;
    const lines = own.split('\n').map((line) => line.split('|')[1] ?? '');
    for (const [kind, most] of Object.entries(counts)) {
      for (let number = 1; number <= most; number++) {
        const mentions = lines.some((line) => numbersOf(line, kind).includes(number));
        expect(mentions, `${kind} ${number}`).toBe(true);
      }
    }
  });

  it.each(['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII'])('lists Table %s of Ran et al.', (number) => {
    const own = page.split(/^## /m).find((part) => part.startsWith('Ran,'));
    expect(own).toMatch(new RegExp(`Tables? (?:[IVX]+, )*${number}, `));
  });
});

/**
 * “Algorithms 2, 3, SSP-i”: 2 and 3. “Figure 3a”: 3. “Definitions 1–3”: 1, 2, 3. “Proposition 3.1” counts as
 * 1, the only one there.
 */
function numbersOf(line: string, kind: string): number[] {
  return [...line.matchAll(new RegExp(`${kind}s? ((?:\\d+[a-c]?(?:\\.\\d)?(?:, |–)?)+)`, 'g'))].flatMap(
    ([, list]) =>
      list!
        .split(', ')
        .filter((part) => part !== '')
        .flatMap((part) => {
          if (/^\d+\.\d/.test(part)) return [1];
          const [from, to = from] = part.split('–').map((number) => Number.parseInt(number, 10));
          return Array.from({ length: to! - from! + 1 }, (_, k) => from! + k);
        }),
  );
}
