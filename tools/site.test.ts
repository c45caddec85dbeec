import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const { buildSite } = (await import('./site.mjs' as string)) as { buildSite(out: string): string[] };
const { markdownPage } = (await import('./site/markdown.mjs' as string)) as {
  markdownPage(text: string, link: (to: string) => string | undefined): string;
};
const out = mkdtempSync(join(tmpdir(), 'hushrec-site-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

describe('the site of the guides', () => {
  const pages = buildSite(out);
  const files = new Set(readdirSync(out, { recursive: true }).map(String));

  it('has a page for every guide, and every link on it leads to a file of the site', () => {
    expect(pages).toContain('index.html');
    expect(pages).toContain('guides-shop.html');
    for (const page of pages) {
      const text = readFileSync(join(out, page), 'utf8');
      for (const [, to] of text.matchAll(/(?:href|src)="([^"]+)"/g))
        if (!/^(https?:|#)/.test(to!)) expect(files.has(to!.split('#')[0]), `${page}: ${to}`).toBe(true);
    }
  });

  it('asks nobody else for anything', () => {
    for (const page of pages)
      expect(readFileSync(join(out, page), 'utf8')).not.toMatch(/<(script|link|img)[^>]+(src|href)="https?:/);
  });

  it('has every section in its search', () => {
    expect(readFileSync(join(out, 'search.js'), 'utf8')).toContain('A limit, then a model');
  });
});

it('text of a document never becomes markup', () => {
  const html = markdownPage(
    '# A <b>\n\n**x** `<i>` [l](a.md) <script>\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n',
    () => 'a.html',
  );
  expect(html).not.toMatch(/<b>|<i>|<script>/);
  expect(html).toContain('<strong>x</strong>');
  expect(html).toContain('<a href="a.html">l</a>');
  expect(html).toContain('<td>2</td>');
});
