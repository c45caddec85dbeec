import { Readable } from 'node:stream';
import { BadDataError } from '../bad-data-error.js';
import type { RatingScale } from '../rating-matrix.js';
import type { EncodedRows } from './encoded-rows.js';
import { readLinesInEitherEncoding } from './line-reader.js';
import type { ReadOptions } from './read-delimited.js';
import { RowCollector } from './row-collector.js';
import type { SourceFile } from './source-file.js';

/** By the description that came with the data. */
export const netflixScale: RatingScale = { min: 1, max: 5, step: 1 };

/**
 * The files of the Netflix Prize among these: one a film (`mv_0000001.txt` …), or many films in each
 * (`combined_data_1.txt` …).
 */
export function netflixFiles(files: readonly SourceFile[]): readonly SourceFile[] {
  return files.filter(({ name }) => /^(?:mv_\d+|combined_data_\d+)\.txt$/.test(name));
}

/** Reads `film:` and, on the lines that follow it, `person,stars,date`; file after file. */
export async function readNetflix(
  source: string,
  files: readonly SourceFile[],
  options: ReadOptions,
): Promise<EncodedRows> {
  const begin = () => {
    const collector = new RowCollector(options.scale, true, options.catalogue);
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
  };
  const joined: SourceFile = {
    name: files[0].name,
    displayName: files.length === 1 ? files[0].displayName : `${source} (files one after the other)`,
    stream: () => Readable.from(contents(files)),
  };
  const { sink } = await readLinesInEitherEncoding(joined, begin, options.signal);
  sink.collector.bad.check(joined.displayName, options.skipBadRows);
  const rows = sink.collector.finish();
  if (rows.users.length === 0)
    throw new BadDataError(
      { file: source },
      'it has no ratings',
      'Expected a line “film:” and then lines “person,stars,date”.',
    );
  return rows;
}

/** Bytes of all of them, with a line end between two. */
async function* contents(files: readonly SourceFile[]): AsyncGenerator<Buffer> {
  for (const file of files) {
    for await (const block of file.stream()) yield block as Buffer;
    yield Buffer.from('\n');
  }
}
