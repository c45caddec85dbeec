import { Readable } from 'node:stream';
import { BadDataError } from '../bad-data-error.js';
import type { RatingScale } from '../rating-matrix.js';
import { collectRows } from '../sources/collect-rows.js';
import { RowCollector } from '../sources/row-collector.js';
import type { SourceFile } from '../sources/source-file.js';
import type { FileFormat } from './rating-format.js';

/** By the description that came with the data. */
const wholeStars: RatingScale = { min: 1, max: 5, step: 1 };

const fileName = /^(?:mv_\d+|combined_data_\d+)\.txt$/;

/**
 * The Netflix Prize: one file a film (`mv_0000001.txt` …), or many films in each (`combined_data_1.txt` …).
 * Lines are `film:` and, after it, `person,stars,date`; file follows on file.
 */
export const netflix = {
  name: 'netflix',
  from: 'files',
  about: [
    {
      source: 'Netflix Prize: `mv_0000001.txt` … or `combined_data_1.txt` … in one folder',
      recognisedBy: 'file names',
      scale: '1 to 5, whole stars',
    },
  ],
  takes: ['scale'],
  example: {
    name: 'combined_data_1.txt',
    content: '10:\n1,5,2005-09-06\n2,4,2005-05-13\n20:\n1,3,2005-10-19\n',
  },
  recognises: ({ files }) => files.some(({ name }) => fileName.test(name)),
  async read({ source, files }, request) {
    const parts = files.filter(({ name }) => fileName.test(name));
    if (parts.length === 0)
      throw new BadDataError(
        { file: source },
        'there is no file of the Netflix Prize in it',
        'Expected mv_0000001.txt … or combined_data_1.txt … (also as .gz).',
      );
    const scale = request.scale ?? wholeStars;
    const rows = await collectRows(
      joined(source, parts),
      () => filmSink(new RowCollector(scale, true, request.catalogue)),
      request,
      'Expected a line “film:” and then lines “person,stars,date”.',
    );
    return { rows, name: 'Netflix Prize' };
  },
} as const satisfies FileFormat;

function filmSink(collector: RowCollector) {
  let film: string | undefined;
  return {
    collector,
    onLine(text: string, line: number) {
      const heading = /^(\d+):\s*$/.exec(text);
      if (heading !== null) {
        film = heading[1];
        return;
      }
      const [person = '', stars = '', date, ...more] = text.split(',');
      if (film === undefined) collector.bad.add(line, 'no film was named before it');
      else if (date === undefined || more.length > 0)
        collector.bad.add(line, 'it is not of the form person,stars,date');
      else collector.addText(line, person, film, stars, date);
    },
  };
}

/** All of them as one file, with a line end between two. */
function joined(source: string, files: readonly SourceFile[]): SourceFile {
  async function* contents(): AsyncGenerator<Buffer> {
    for (const file of files) {
      for await (const block of file.stream()) yield block as Buffer;
      yield Buffer.from('\n');
    }
  }
  return {
    name: files[0].name,
    displayName: files.length === 1 ? files[0].displayName : `${source} (files one after the other)`,
    stream: () => Readable.from(contents()),
  };
}
