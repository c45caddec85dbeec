import { readFileSync } from 'node:fs';
import { methods } from '@hushrec/factorize';
import '@hushrec/papers/register';
import { describe, expect, it } from 'vitest';
import { notationPage, plansOf, releaseNames } from './notation-page.mjs';

describe('docs/notation.md', () => {
  it('is what the schemas and plans say (node tools/notation-page.mjs writes it)', () => {
    const page = readFileSync(new URL('../docs/notation.md', import.meta.url), 'utf8');
    // The formatter aligns tables; only that may differ.
    const plain = (text: string) => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---');
    expect(plain(page)).toBe(plain(notationPage(methods)));
  });

  it('refuses a symbol whose word is no setting', () => {
    expect(() => notationPage(methods.filter(({ id }) => id === 'popularity'))).toThrow(
      'rank, which no method has',
    );
  });
});

describe('one vocabulary', () => {
  it('has one word for the length of vectors, for passes and for ridges', () => {
    const names = methods.flatMap(({ settings }) => Object.keys(settings));
    expect(names.length).toBeGreaterThan(100);
    for (const name of names) expect(name).not.toMatch(/dimension|iteration|epoch|regulari[sz]ation|lambda/i);
  });

  it('spells release labels in one way: lower-case words joined by hyphens', () => {
    const labels = methods.flatMap((method) => plansOf(method).flatMap(releaseNames));
    expect(new Set(labels).size).toBeGreaterThan(30);
    expect(labels).toContain('taste-vectors-round-1');
    for (const label of labels) expect(label).toMatch(/^[a-z]+(-[a-z]+)*(-round-[1-9]\d*)?$/);
  });
});
