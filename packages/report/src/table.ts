import { escapeMarkup, formatNumber } from './markup.js';

interface Column {
  readonly label: string;
  readonly align?: 'left' | 'right';
}

/** A table as plain data. Numbers are shown with four significant digits and downloaded with all. */
export interface Table {
  readonly caption?: string;
  /** What stands above each; a column with a number in it is set to the right unless said otherwise. */
  readonly columns: readonly (string | Column)[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** Columns with what each is called, and whether it is set to the right. */
export function columnsOf({ columns, rows }: Table): { readonly label: string; readonly isRight: boolean }[] {
  return columns.map((column, c) => {
    const { label, align }: Column = typeof column === 'string' ? { label: column } : column;
    const isRight = align === undefined ? rows.some((row) => typeof row[c] === 'number') : align === 'right';
    return { label, isRight };
  });
}

/** The table as HTML, with header cells that screen readers announce. */
export function tableHtml(table: Table): string {
  const columns = columnsOf(table);
  const side = (c: number) => (columns[c].isRight ? ' class="number"' : '');
  const head = columns
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
