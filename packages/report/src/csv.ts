import type { Chart } from './chart-spec.js';
import { columnsOf, type Table } from './table.js';

/**
 * Comma-separated lines (RFC 4180) with full precision. A text that a spreadsheet would take for a formula
 * gets an apostrophe in front.
 */
function csvOf(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The numbers behind a chart, one row per point or bar. */
export function chartCsv(chart: Chart): string {
  switch (chart.kind) {
    case 'line':
      return csvOf([
        ['series', chart.x.label, chart.y.label, 'low', 'high'],
        ...chart.series.flatMap(({ name, points }) =>
          points.map(({ x, y, low, high }) => [name, x, y, low ?? null, high ?? null]),
        ),
        ...(chart.references ?? []).map(({ name, y }) => [name, null, y, null, null]),
      ]);
    case 'bars':
      return csvOf([
        ['series', chart.categoryLabel, chart.y.label, 'low', 'high'],
        ...chart.series.flatMap(({ name, values, low, high }) =>
          chart.categories.map((category, c) => [
            name,
            category,
            values[c] ?? null,
            low?.[c] ?? null,
            high?.[c] ?? null,
          ]),
        ),
      ]);
    case 'spans':
      return csvOf([
        ['name', 'noise', chart.words.signal],
        ...chart.rows.map(({ name, noise, signal }) => [name, noise, signal ?? null]),
      ]);
    default:
      return chart satisfies never;
  }
}

export function tableCsv(table: Table): string {
  return csvOf([columnsOf(table).map(({ label }) => label), ...table.rows]);
}
