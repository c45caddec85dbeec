import { declaredScale, implicitScale } from '../rating-scale.js';
import { unusedColumns } from '../sources/column-roles.js';
import { namedColumns } from '../sources/named-columns.js';
import { onlyFile } from '../sources/only-file.js';
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
  takes: ['columns', 'scale'],
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
    const { parquetColumns, readParquet } = await import('../sources/read-parquet.js');
    const tables = found.files.filter(isTable);
    const first = tables[0] ?? onlyFile(found);
    const available = await parquetColumns(first);
    const columns = namedColumns(first.displayName, available, request.columns);
    const unused = unusedColumns(available, [columns.user, columns.item, columns.rating, columns.time], {
      hasRating: columns.rating !== undefined,
      columnsGiven: request.columns !== undefined,
    });
    const scale = columns.rating === undefined ? implicitScale : declaredScale(request);
    const read = await readParquet(tables.length > 0 ? tables : [first], columns, { ...request, scale });
    return { ...read, name: first.name, unused };
  },
} as const satisfies FileFormat;
