import { escapeMarkup, formatNumber } from './markup.js';

/** A table as plain data. Numbers are shown with four significant digits and downloaded with all. */
export interface Table {
  readonly caption?: string;
  readonly columns: readonly { readonly label: string; readonly align?: 'left' | 'right' }[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** The table as HTML, with header cells that screen readers announce. */
export function tableHtml(table: Table): string {
  const side = (c: number, value: string | number | null) =>
    (table.columns[c]?.align ?? (typeof value === 'number' ? 'right' : 'left')) === 'right'
      ? ' class="number"'
      : '';
  const first = table.rows[0];
  const head = table.columns
    .map(({ label }, c) => `<th scope="col"${side(c, first?.[c] ?? null)}>${escapeMarkup(label)}</th>`)
    .join('');
  const body = table.rows
    .map((row) => `<tr>${row.map((value, c) => `<td${side(c, value)}>${show(value)}</td>`).join('')}</tr>`)
    .join('\n');
  const caption = table.caption === undefined ? '' : `<caption>${escapeMarkup(table.caption)}</caption>`;
  return `<table>${caption}<thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

function show(value: string | number | null): string {
  if (value === null) return '–';
  return typeof value === 'number' ? formatNumber(value) : escapeMarkup(value);
}
