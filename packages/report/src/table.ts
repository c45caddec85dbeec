import { escapeMarkup, formatNumber } from './markup.js';

/** A table as plain data. Numbers are shown with four significant digits and downloaded with all. */
export interface Table {
  readonly caption?: string;
  readonly columns: readonly { readonly label: string; readonly align?: 'left' | 'right' }[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** The table as HTML, with header cells that screen readers announce. */
export function tableHtml(table: Table): string {
  const right = table.columns.map(
    ({ align }, c) =>
      (align ?? (table.rows.some((row) => typeof row[c] === 'number') ? 'right' : 'left')) === 'right',
  );
  const side = (c: number) => (right[c] === true ? ' class="number"' : '');
  const head = table.columns
    .map(({ label }, c) => `<th scope="col"${side(c)}>${escapeMarkup(label)}</th>`)
    .join('');
  const body = table.rows
    .map((row) => `<tr>${row.map((value, c) => `<td${side(c)}>${show(value)}</td>`).join('')}</tr>`)
    .join('\n');
  const caption = table.caption === undefined ? '' : `<caption>${escapeMarkup(table.caption)}</caption>`;
  return `<table>${caption}<thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

function show(value: string | number | null): string {
  if (value === null) return '–';
  return typeof value === 'number' ? formatNumber(value) : escapeMarkup(value);
}
