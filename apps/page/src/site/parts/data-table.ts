import { columnsOf, formatNumber, type Table } from '@hushrec/report';
import { element } from '../build-element.js';

/**
 * A report's table as elements of the page. On a phone each row stands by itself, with the names of its
 * columns, unless a narrow table is to stay one; what does not fit scrolls, by keyboard too.
 */
export function dataTable(table: Table, label: string, onPhone: 'rows' | 'table' = 'rows'): HTMLElement {
  const columns = columnsOf(table);
  const side = (c: number) => (columns[c].isRight ? { class: 'number' } : {});
  const show = (value: string | number | null) =>
    value === null ? '–' : typeof value === 'number' ? shownNumber(value) : value;
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
    element(
      'table',
      onPhone === 'rows' ? { class: 'stacked' } : {},
      table.caption === undefined ? null : element('caption', {}, table.caption),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          columns.map((column, c) => element('th', { scope: 'col', ...side(c) }, column.label)),
        ),
      ),
      element(
        'tbody',
        {},
        table.rows.map((row) =>
          element(
            'tr',
            {},
            row.map((value, c) =>
              element('td', { ...side(c), ...(c > 0 && { 'data-label': columns[c].label }) }, show(value)),
            ),
          ),
        ),
      ),
    ),
  );
}

/** In thousands from 1,000 on; smaller ones as everywhere. */
function shownNumber(value: number): string {
  const size = Math.abs(value);
  return size >= 1000 && size < 1e6 ? inThousands.format(value) : formatNumber(value);
}

const inThousands = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
