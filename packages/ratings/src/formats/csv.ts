import { onlyFile } from '../sources/only-file.js';
import { readText } from '../sources/read-text.js';
import type { FileFormat } from './rating-format.js';

/** One rating a line, with any separator. Asked last: what nothing else recognises is read as text. */
export const csv = {
  name: 'csv',
  from: 'files',
  about: [
    {
      source: 'text with any separator, columns by name or by position',
      recognisedBy: 'otherwise',
      scale: 'declared: `--scale min:max:step`',
    },
  ],
  takes: ['separator', 'header', 'columns', 'scale', 'events'],
  example: { name: 'ratings.csv', content: 'user,item,rating\n1,10,5\n1,20,3\n2,10,4\n' },
  recognises: () => true,
  async read(found, request) {
    const file = onlyFile(found);
    return { ...(await readText(file, {}, request)), name: file.name };
  },
} as const satisfies FileFormat;
