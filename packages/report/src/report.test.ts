import { describe, expect, it } from 'vitest';
import { type Report, renderReport } from './report.js';

const report: Report = {
  title: 'Sweep <1>',
  intro: ['First.', 'Second.'],
  sections: [
    {
      heading: 'Quality',
      text: 'Lower is better.',
      chart: {
        kind: 'line',
        title: 'RMSE',
        x: { label: 'ε' },
        y: { label: 'RMSE' },
        series: [{ name: 'a', points: [{ x: 1, y: 0.912345678 }] }],
      },
      table: {
        columns: [{ label: 'method' }, { label: 'sd' }],
        rows: [
          ['=SUM(A1)', 0.123456789],
          ['b, "c"', null],
        ],
      },
    },
  ],
  footer: 'hushrec compare',
};
const html = renderReport(report);

/** The content behind the download link of that name. */
function downloadOf(name: string): string {
  const href = new RegExp(`download="${name}" href="data:[^,]*,([^"]*)"`).exec(html)?.[1];
  return decodeURIComponent(href ?? 'no such link');
}

describe('renderReport', () => {
  it('lists its sections where there are several, and folds a list that would fill the first page', () => {
    const of = (count: number) =>
      renderReport({ title: 't', sections: Array.from({ length: count }, (_, s) => ({ heading: `h${s}` })) });
    expect(of(3)).not.toContain('<nav');
    expect(of(4)).toContain('<nav aria-label="Sections"><ol><li><a href="#s1">h0</a></li>');
    expect(of(17)).toContain('<nav aria-label="Sections"><details><summary>All 17 sections</summary><ol>');
  });

  it('folds a table up that would fill pages', () => {
    const of = (count: number) =>
      renderReport({
        title: 't',
        sections: [
          { heading: 'h', table: { columns: ['a'], rows: Array.from({ length: count }, () => [1]) } },
        ],
      });
    expect(of(40)).not.toContain('<details>');
    expect(of(41)).toContain('<details><summary>All 41 rows</summary>');
  });

  it('needs nothing from outside and forbids itself to ask', () => {
    const requests = [...html.matchAll(/(?:src|href|action)="(?!data:|#)([^"]*)"/g)].map((match) => match[1]);
    expect(requests).toEqual([]);
    expect(html).not.toMatch(/<script|@import|url\(http/);
    expect(html).toContain(
      `content="default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:"`,
    );
  });

  it('offers the numbers behind the chart with full precision', () => {
    expect(downloadOf('rmse.csv')).toBe('series,ε,RMSE,low,high\r\na,1,0.912345678,,\r\n');
    expect(downloadOf('rmse.svg')).toMatch(
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg".*<style>.*<\/svg>$/s,
    );
  });

  it('writes tables that a spreadsheet does not take for formulas', () => {
    expect(downloadOf('quality.csv')).toBe(`method,sd\r\n'=SUM(A1),0.123456789\r\n"b, ""c""",\r\n`);
    expect(html).toContain('<td class="number">0.1235</td>');
    expect(html).toContain('<td class="number">–</td>');
  });

  it('escapes texts and is the same for the same input', () => {
    expect(html).toContain('<h1>Sweep &#60;1&#62;</h1>');
    expect(renderReport(report)).toBe(html);
  });

  it('carries the fonts it is given, and draws no title that is the heading above it', () => {
    const bytes = Uint8Array.from([1, 2, 255]);
    const carried = renderReport({ ...report, sections: [{ ...report.sections[0], heading: 'RMSE' }] }, [
      { family: 'Inter', weight: '400 700', bytes, characters: 'U+370-3FF' },
    ]);
    expect(carried).toContain(
      '@font-face{font-family:Inter;font-weight:400 700;unicode-range:U+370-3FF;src:url(data:font/woff2;base64,AQL/) format("woff2")}',
    );
    expect(carried).not.toContain('class="heading"');
    expect(html).toContain('class="heading"');
  });
});
