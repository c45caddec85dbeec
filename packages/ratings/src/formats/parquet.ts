import { scaleOf } from '../rating-scale.js';
import { findColumns } from '../sources/named-columns.js';
import { onlyFile } from '../sources/only-file.js';
import { eventColumn, unusedColumns } from '../sources/unused-columns.js';
import type { FileFormat } from './rating-format.js';

const isTable = ({ name }: { readonly name: string }) => /\.(?:parquet|pq)$/i.test(name);

/** Parquet tables of one rating a row. The code that reads them is loaded when the first one is read. */
export const parquet = {
  name: 'parquet',
  from: 'files',
  about: [
    {
      source: 'Parquet, one file or a folder of them',
      recognisedBy: '`.parquet`, `.pq`',
      scale: 'declared',
    },
  ],
  takes: ['columns', 'scale', 'events'],
  example: {
    name: 'ratings.parquet',
    content: async () => {
      const { encodeTable } = await import('../dataset-folder/parquet-table.js');
      return encodeTable([
        { name: 'user', type: 'text', data: ['1', '1', '2'] },
        { name: 'item', type: 'text', data: ['10', '20', '10'] },
        { name: 'rating', type: 'float32', data: Float32Array.of(5, 3, 4) },
      ]);
    },
  },
  recognises: ({ files }) => files.some(isTable),
  async read(found, request) {
    const { parquetColumns, readParquet, sampleParquet } = await import('../sources/read-parquet.js');
    const tables = found.files.filter(isTable);
    const first = tables[0] ?? onlyFile(found);
    const available = await parquetColumns(first);
    const named = findColumns(first.displayName, available, request.columns);
    const isSaid = named.rating !== undefined || request.columns !== undefined;
    const used = Object.values(named);
    const unread = available.filter((name) => !used.includes(name));
    const sample = isSaid && request.events === undefined ? undefined : await sampleParquet(first, unread);
    const valuesOf = (name: string) => sample?.get(name) ?? [];
    const event = request.events && eventColumn(request.events, available, valuesOf);
    const columns = { ...named, ...(event !== undefined && { event }) };
    const unused = unusedColumns(available, columns, request.columns !== undefined, valuesOf);
    const scale = scaleOf(request, columns.rating !== undefined);
    const read = await readParquet(tables.length > 0 ? tables : [first], columns, { ...request, scale });
    return { ...read, name: first.name, columns, unused };
  },
} as const satisfies FileFormat;
