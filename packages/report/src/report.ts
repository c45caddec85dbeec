import type { Chart } from './chart-spec.js';
import { chartStyle } from './chart-style.js';
import { chartCsv, tableCsv } from './csv.js';
import { drawChart } from './draw-chart.js';
import { escapeMarkup, fileNameOf } from './markup.js';
import { reportStyle } from './report-style.js';
import { type Table, tableHtml } from './table.js';

/** One part of a report. Texts are plain; an array is one paragraph each. */
export interface ReportSection {
  readonly heading: string;
  readonly text?: string | readonly string[];
  readonly chart?: Chart;
  readonly table?: Table;
}

export interface Report {
  readonly title: string;
  /** What was asked and what came out, before any chart. */
  readonly intro?: string | readonly string[];
  readonly sections: readonly ReportSection[];
  /** Last line: how to make this report again. */
  readonly footer?: string;
}

/** A font that a report carries, so that it looks the same on every machine. */
export interface ReportFont {
  readonly family: 'Inter' | 'Newsreader';
  /** One weight, or the range of a variable font. */
  readonly weight: string;
  /** The file, in WOFF2. */
  readonly bytes: Uint8Array;
  /** The characters it has, as in CSS; all of them by default. */
  readonly characters?: string;
}

/**
 * One HTML file that needs nothing else: charts are inline SVG, downloads and fonts are data URLs, there is
 * no script, and the file's own content security policy forbids every request. Same input, same bytes.
 */
export function renderReport(report: Report, fonts: readonly ReportFont[] = []): string {
  const footer = report.footer === undefined ? '' : `<footer>${paragraphs(report.footer)}</footer>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:">
<meta name="color-scheme" content="light dark">
<title>${escapeMarkup(report.title)}</title>
<style>${fonts.map(fontFace).join('')}${reportStyle}${chartStyle}</style>
</head>
<body>
<main>
<h1>${escapeMarkup(report.title)}</h1>
${paragraphs(report.intro)}
${contents(report.sections)}
${report.sections.map(section).join('\n')}
${footer}
</main>
</body>
</html>
`;
}

function fontFace({ family, weight, bytes, characters }: ReportFont): string {
  const base64 = btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
  const range = characters === undefined ? '' : `unicode-range:${characters};`;
  return `@font-face{font-family:${family};font-weight:${weight};${range}src:url(data:font/woff2;base64,${base64}) format("woff2")}\n`;
}

/** Links to all sections, folded up where they would fill the first page; none where there are few. */
function contents(sections: readonly ReportSection[]): string {
  if (sections.length < 4) return '';
  const links = `<ol>${sections
    .map(({ heading }, s) => `<li><a href="#s${s + 1}">${escapeMarkup(heading)}</a></li>`)
    .join('')}</ol>`;
  const folded = `<details><summary>All ${sections.length} sections</summary>${links}</details>`;
  return `<nav aria-label="Sections">${sections.length > 16 ? folded : links}</nav>`;
}

function section({ heading, text, chart, table }: ReportSection, index: number): string {
  const id = `s${index + 1}`;
  return `<section aria-labelledby="${id}">
<h2 id="${id}">${escapeMarkup(heading)}</h2>
${paragraphs(text)}
${chart === undefined ? '' : figure(chart, `chart-${index + 1}`, chart.title === heading)}
${table === undefined ? '' : tableBlock(table, heading)}
</section>`;
}

/** As wide as a phone: without a script, a page cannot draw at the width it has. */
const narrow = { width: 340, height: 360 };

/** `untitled` where its title is the heading above it. */
function figure(chart: Chart, id: string, untitled: boolean): string {
  const name = fileNameOf(chart.title);
  const caption = chart.description === undefined ? '' : `${escapeMarkup(chart.description)} `;
  const links = [
    download(`${name}.svg`, 'image/svg+xml', drawChart(chart, { id, standalone: true }), 'SVG'),
    download(`${name}.csv`, 'text/csv', chartCsv(chart), 'CSV'),
  ];
  const drawn = `<div class="wide">${drawChart(chart, { id, untitled })}</div><div class="narrow">${drawChart(chart, { ...narrow, id: `${id}-narrow`, untitled })}</div>`;
  return `<figure>${drawn}<figcaption>${caption}<span class="downloads">${links.join(' ')}</span></figcaption></figure>`;
}

/** Rows of a table that stands open; longer ones are folded up, with their download beside them. */
const openRows = 40;

function tableBlock(table: Table, heading: string): string {
  const name = `${fileNameOf(table.caption ?? heading)}.csv`;
  const rows = `<div class="scroll" tabindex="0" role="region" aria-label="${escapeMarkup(`Table: ${table.caption ?? heading}`)}">${tableHtml(table)}</div>`;
  const shown =
    table.rows.length > openRows
      ? `<details><summary>All ${table.rows.length} rows</summary>${rows}</details>`
      : rows;
  return `${shown}<p class="downloads">${download(name, 'text/csv', tableCsv(table), 'CSV')}</p>`;
}

function download(name: string, type: string, content: string, label: string): string {
  return `<a download="${escapeMarkup(name)}" href="data:${type};charset=utf-8,${encodeURIComponent(content).replaceAll("'", '%27')}" aria-label="Download ${escapeMarkup(name)}">${label}</a>`;
}

function paragraphs(text: string | readonly string[] | undefined): string {
  if (text === undefined) return '';
  return (typeof text === 'string' ? [text] : text).map((each) => `<p>${escapeMarkup(each)}</p>`).join('\n');
}
