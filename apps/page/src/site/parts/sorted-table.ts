import type { Table } from '@hushrec/report';
import { element, listening } from '../build-element.js';
import { dataTable } from './data-table.js';

type Cell = Table['rows'][number][number];

/** A table that is sorted by a column and filtered by words that its rows have. */
export function sortedTable(table: Table, label: string): HTMLElement {
  const filter = element('input', { type: 'search', placeholder: 'hush 0.3', autocomplete: 'off' });
  const by = element(
    'select',
    {},
    element('option', { value: '' }, 'as measured'),
    table.columns.map((column, at) =>
      element('option', { value: at }, typeof column === 'string' ? column : column.label),
    ),
  );
  const isDown = element('input', { type: 'checkbox' });
  const shown = element('p', { class: 'small quiet', role: 'status' });
  const place = element('div');
  const draw = () => {
    const rows = filtered(table.rows, filter.value);
    const sorted = by.value === '' ? rows : sortedBy(rows, Number(by.value), isDown.checked);
    shown.textContent = `${rows.length} of ${table.rows.length} rows`;
    place.replaceChildren(
      dataTable(
        { ...table, rows: sorted.map((row) => row.map((cell) => (cell === Infinity ? '∞' : cell))) },
        label,
      ),
    );
  };
  draw();
  return listening(
    element(
      'div',
      {},
      element(
        'div',
        { class: 'row table-tools' },
        element('label', { class: 'row small' }, 'Only rows with', filter),
        element('label', { class: 'row small' }, 'Sort by', by),
        element('label', { class: 'row small' }, isDown, 'largest first'),
      ),
      shown,
      place,
    ),
    { input: draw },
  );
}

/** Rows in which every word stands at the beginning of a cell. */
export function filtered(rows: Table['rows'], words: string): Table['rows'] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) =>
    wanted.every((word) =>
      row.some((cell) =>
        String(cell ?? '')
          .toLowerCase()
          .startsWith(word),
      ),
    ),
  );
}

/** By one column: numbers by size, words by the alphabet, what is missing last. */
export function sortedBy(rows: Table['rows'], column: number, isDown: boolean): Table['rows'] {
  const order = (a: Cell, b: Cell) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
  return rows.toSorted(({ [column]: a = null }, { [column]: b = null }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    // ∞ less ∞ is no number.
    return a === b ? 0 : (isDown ? -1 : 1) * order(a, b);
  });
}
