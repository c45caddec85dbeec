import { scaleOf } from '../rating-scale.js';
import { collectFirstBlock } from '../sources/first-block.js';
import { findColumns } from '../sources/named-columns.js';
import { onlyFile } from '../sources/only-file.js';
import { eventColumn, unusedColumns } from '../sources/unused-columns.js';
import type { FileFormat } from './rating-format.js';

/** Arrow tables of one rating a row. The code that reads them is loaded when the first one is read. */
export const arrow = {
  name: 'arrow',
  from: 'files',
  about: [
    {
      source: 'Arrow: a file (Feather) or a stream, plain or packed by LZ4 or zstd',
      recognisedBy: '`.arrow`, `.arrows`, `.feather`, `.ipc`, or its first bytes',
      scale: 'declared',
    },
  ],
  takes: ['columns', 'scale', 'events'],
  example: {
    name: 'ratings.arrow',
    content: async () => Buffer.from(example, 'base64'),
  },
  async recognises({ files }) {
    if (files.length !== 1) return false;
    if (/\.(?:arrows?|feather|ipc)$/i.test(files[0].name)) return true;
    if (/\.(?:csv|tsv|txt|dat|data|jsonl|ndjson)$/i.test(files[0].name)) return false;
    const start = await collectFirstBlock(files[0]).catch(() => Buffer.alloc(0));
    return start.toString('latin1', 0, 8) === 'ARROW1\0\0';
  },
  async read(found, request) {
    const { arrowColumns, readArrow } = await import('../sources/read-arrow.js');
    const file = onlyFile(found);
    const { names, sample } = await arrowColumns(file);
    const named = findColumns(file.displayName, names, request.columns);
    const valuesOf = (name: string) => sample.get(name) ?? [];
    const event = request.events && eventColumn(request.events, names, valuesOf);
    const columns = { ...named, ...(event !== undefined && { event }) };
    const unused = unusedColumns(names, columns, request.columns !== undefined, valuesOf);
    const scale = scaleOf(request, columns.rating !== undefined);
    const rows = await readArrow(file, columns, { ...request, scale });
    return { rows, name: file.name, columns, unused };
  },
} as const satisfies FileFormat;

/** Three ratings, as pyarrow writes them. */
const example = [
  'QVJST1cxAAD/////2AAAABAAAAAAAAoADAAGAAUACAAKAAAAAAEEAAwAAAAIAAgAAAAEAAgAAAAEAAAAAwAAAHgAAAA8AAAABAAA',
  'AKT///8AAAEDEAAAACAAAAAEAAAAAAAAAAYAAAByYXRpbmcAAAAABgAIAAYABgAAAAAAAQDY////AAABBRAAAAAYAAAABAAAAAAA',
  'AAAEAAAAaXRlbQAAAADI////EAAUAAgABgAHAAwAAAAQABAAAAAAAAEFEAAAABwAAAAEAAAAAAAAAAQAAAB1c2VyAAAAAAQABAAE',
  'AAAAAAAAAP////8IAQAAFAAAAAAAAAAMABYABgAFAAgADAAMAAAAAAMEABgAAABAAAAAAAAAAAAACgAYAAwABAAIAAoAAACcAAAA',
  'EAAAAAMAAAAAAAAAAAAAAAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAAwAAAAAAAAAYAAAAAAAA',
  'AAAAAAAAAAAAGAAAAAAAAAAQAAAAAAAAACgAAAAAAAAABgAAAAAAAAAwAAAAAAAAAAAAAAAAAAAAMAAAAAAAAAAMAAAAAAAAAAAA',
  'AAADAAAAAwAAAAAAAAAAAAAAAAAAAAMAAAAAAAAAAAAAAAAAAAADAAAAAAAAAAAAAAAAAAAAAAAAAAEAAAACAAAAAwAAADExMgAA',
  'AAAAAAAAAAIAAAAEAAAABgAAADEwMjAxMAAAAACgQAAAQEAAAIBAAAAAAP////8AAAAAEAAAAAwAFAAGAAgADAAQAAwAAAAAAAQA',
  'OAAAACgAAAAEAAAAAQAAAOgAAAAAAAAAEAEAAAAAAABAAAAAAAAAAAAAAAAAAAAACAAIAAAABAAIAAAABAAAAAMAAAB4AAAAPAAA',
  'AAQAAACk////AAABAxAAAAAgAAAABAAAAAAAAAAGAAAAcmF0aW5nAAAAAAYACAAGAAYAAAAAAAEA2P///wAAAQUQAAAAGAAAAAQA',
  'AAAAAAAABAAAAGl0ZW0AAAAAyP///xAAFAAIAAYABwAMAAAAEAAQAAAAAAABBRAAAAAcAAAABAAAAAAAAAAEAAAAdXNlcgAAAAAE',
  'AAQABAAAAAABAABBUlJPVzE=',
].join('');
