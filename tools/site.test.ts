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

  it('has the licence of its fonts beside them', () => {
    expect(readFileSync(join(out, 'OFL.txt'), 'utf8')).toMatch(
      /Inter Project.*Newsreader Project.*OPEN FONT LICENSE/is,
    );
  });

  it('asks nobody else for anything', () => {
    for (const page of pages)
      expect(readFileSync(join(out, page), 'utf8')).not.toMatch(/<(script|link|img)[^>]+(src|href)="https?:/);
  });

  it('lists every guide for a reader, and the papers’ pages', () => {
    const home = readFileSync(join(out, 'index.html'), 'utf8');
    const [byReader] = home.split('<p>Reference</p>');
    for (const page of pages.filter((name) => /^(?:guides|papers-)/.test(name)))
      expect(byReader, page).toContain(`href="${page}"`);
  });

  it('has contents on long pages, marks up commands, and keeps their text as it is', () => {
    const page = readFileSync(join(out, 'guides-privacy-officer.html'), 'utf8');
    expect(page).toContain('<a href="#checklist">Checklist</a>');
    expect(page).toContain('<span class="option">--epsilon</span>');
    const code = (/<pre tabindex="0"><code>(.*?)<\/code>/s.exec(page) as RegExpExecArray)[1];
    const shown = code
      .replace(/<[^>]+>/g, '')
      .replace(/&#(\d+);/g, (_, letter) => String.fromCharCode(Number(letter)));
    expect(readFileSync(new URL('../docs/guides/privacy-officer.md', import.meta.url), 'utf8')).toContain(
      shown,
    );
  });

  it('has every section in its search', () => {
    expect(readFileSync(join(out, 'site.js'), 'utf8')).toContain('A limit, then a model');
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
