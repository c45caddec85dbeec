import {
  collectRows,
  declaredScale,
  type FileFormat,
  onlyFile,
  RowCollector,
  readFirstLines,
} from '@hushrec/ratings';

/** JSON lines: one object a line, `{"user": …, "item": …, "rating": …}`. */
export const jsonLines = {
  name: 'json-lines',
  from: 'files',
  about: [
    {
      source: 'JSON lines, `{"user": …, "item": …, "rating": …}`',
      recognisedBy: 'a first line in braces',
      scale: 'declared',
    },
  ],
  takes: ['scale'],
  example: {
    name: 'ratings.jsonl',
    content:
      '{"user":"1","item":"10","rating":5}\n{"user":"1","item":"20","rating":3}\n{"user":"2","item":"10","rating":4}\n',
  },
  async recognises({ files }) {
    return files.length === 1 && /^\{.*\}$/.test((await readFirstLines(files[0], 1))[0]);
  },
  async read(found, request) {
    const file = onlyFile(found);
    const scale = declaredScale(request);
    const begin = () => {
      const collector = new RowCollector(scale, false, request.catalogue);
      return {
        collector,
        onLine(text: string, line: number) {
          const row = objectIn(text);
          if (row === undefined) collector.bad.add(line, 'it is not a JSON object');
          else collector.add(line, `${row['user']}`, `${row['item']}`, Number(row['rating']), Number.NaN);
        },
      };
    };
    const rows = await collectRows(file, begin, request, 'Give a file with one object per line.');
    return { rows, name: file.name };
  },
} as const satisfies FileFormat;

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { user: '', item: '', ...value } : undefined;
  } catch {
    return undefined;
  }
}
