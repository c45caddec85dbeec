import { BadDataError } from '../bad-data-error.js';
import { scaleOf } from '../rating-scale.js';
import { collectRows } from '../sources/collect-rows.js';
import { readFirstLines } from '../sources/delimited-layout.js';
import { EventFilter } from '../sources/event-filter.js';
import { findColumns } from '../sources/named-columns.js';
import { onlyFile } from '../sources/only-file.js';
import { RowCollector } from '../sources/row-collector.js';
import type { SourceFile } from '../sources/source-file.js';
import { eventColumn, sampledRows, unusedColumns } from '../sources/unused-columns.js';
import type { FileFormat, FormatRequest } from './rating-format.js';

type Entry = Readonly<Record<string, unknown>>;

/** One JSON object a line: fields by name, as columns are. */
export const jsonl = {
  name: 'jsonl',
  from: 'files',
  about: [
    {
      source: 'JSON Lines (NDJSON), one object a line',
      recognisedBy: '`.jsonl`, `.ndjson`, or `{` first',
      scale: 'declared',
    },
  ],
  takes: ['columns', 'scale', 'events'],
  example: {
    name: 'ratings.jsonl',
    content:
      '{"user": 1, "item": 10, "rating": 5}\n{"user": 1, "item": 20, "rating": 3}\n{"user": "2", "item": "10", "rating": 4}\n',
  },
  async recognises({ files }) {
    if (files.length !== 1 || /\.(?:csv|tsv|dat|parquet|pq|zip)$/i.test(files[0].name)) return false;
    if (/\.(?:jsonl|ndjson)$/i.test(files[0].name)) return true;
    return (await readFirstLines(files[0], 1))[0].trimStart().startsWith('{');
  },
  async read(found, request) {
    const file = onlyFile(found);
    const { columns, unused } = await fieldsOf(file, request);
    const { user, item, rating, time, event } = columns;
    const scale = scaleOf(request, rating !== undefined);
    const begin = () => {
      const events = request.events && new EventFilter(request.events.keep);
      const collector = new RowCollector(scale, time !== undefined, request.catalogue, events);
      return {
        collector,
        onLine(text: string, line: number) {
          const entry = parseEntry(text);
          if (entry === undefined) collector.bad.add(line, 'it is no JSON object');
          else if (isInexact(entry[user]) || isInexact(entry[item]))
            collector.bad.add(line, 'an id is a number that JSON does not hold exactly: write it as text');
          else if (isNested(entry[user]) || isNested(entry[item]))
            collector.bad.add(line, 'an id is a list or an object: write it as text or a whole number');
          else if (event === undefined || events?.takes(plainText(entry[event])) !== false)
            collector.addText(
              line,
              plainText(entry[user]),
              plainText(entry[item]),
              rating === undefined ? undefined : plainText(entry[rating]),
              time === undefined ? undefined : plainText(entry[time]),
            );
        },
      };
    };
    const rows = await collectRows(file, begin, request, 'Give a file with one JSON object per line.');
    return { rows, name: file.name, columns, unused };
  },
} as const satisfies FileFormat;

/** What is read from which field, by the fields of the first lines. */
async function fieldsOf(file: SourceFile, request: FormatRequest) {
  const entries = (await readFirstLines(file, sampledRows)).map(parseEntry);
  if (entries[0] === undefined)
    throw new BadDataError(
      { file: file.displayName, line: 1 },
      'it is no JSON object',
      'Give one object per line, {"user": …, "item": …, "rating": …}; write a list or a nested document that way first: jq -c ".[]" FILE.',
    );
  const available = [...new Set(entries.flatMap((entry) => Object.keys(entry ?? {})))];
  const valuesOf = (name: string) => entries.map((entry) => plainText(entry?.[name]));
  const found = findColumns(file.displayName, available, request.columns);
  const event = request.events && eventColumn(request.events, available, valuesOf);
  const columns = { ...found, ...(event !== undefined && { event }) };
  return { columns, unused: unusedColumns(available, columns, request.columns !== undefined, valuesOf) };
}

function parseEntry(text: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Entry)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Beyond 2⁵³ numbers fall together when they are read, and so would people. */
function isInexact(id: unknown): boolean {
  return typeof id === 'number' && !Number.isSafeInteger(id);
}

function isNested(id: unknown): boolean {
  return typeof id === 'object' && id !== null;
}

/** '' for what is missing or nested. */
function plainText(value: unknown): string {
  return ['string', 'boolean', 'number'].includes(typeof value) ? String(value) : '';
}
