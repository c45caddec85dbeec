import { implicitScale } from '../rating-scale.js';
import { collectRows } from '../sources/collect-rows.js';
import { readFirstLines } from '../sources/delimited-layout.js';
import { onlyFile } from '../sources/only-file.js';
import { RowCollector } from '../sources/row-collector.js';
import type { FileFormat } from './rating-format.js';

const fieldsOf = (line: string) => line.trim().split(/[ \t]+/);

/** `user item item …`, one user a line, separated by blanks or tabs: implicit feedback without times. */
export const adjacency = {
  name: 'adjacency',
  from: 'files',
  about: [
    {
      source: 'adjacency lists, `user item item …`',
      recognisedBy: 'lines of different width',
      scale: 'implicit: every pair counts 1',
    },
  ],
  takes: [],
  example: { name: 'lists.txt', content: '1 10 20\n2 10\n' },
  async recognises({ files }) {
    if (files.length !== 1 || /\.(?:csv|tsv|dat)$/i.test(files[0].name)) return false;
    const widths = (await readFirstLines(files[0], 20)).map((line) => fieldsOf(line).length);
    return new Set(widths).size > 1 && widths.every((width) => width >= 2);
  },
  async read(found, request) {
    const file = onlyFile(found);
    const begin = () => {
      const collector = new RowCollector(implicitScale, false, request.catalogue);
      return {
        collector,
        onLine(text: string, line: number) {
          const [user, ...items] = fieldsOf(text);
          for (const item of items) collector.addText(line, user, item, undefined, undefined);
        },
      };
    };
    const expected = 'Give a file with lines of the form: user item item …';
    const rows = await collectRows(file, begin, request, expected, 'it has no interactions');
    return { rows, name: file.name };
  },
} as const satisfies FileFormat;
