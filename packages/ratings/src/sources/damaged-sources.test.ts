import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, describe, expect, it } from 'vitest';
import { BadDataError } from '../bad-data-error.js';
import { type ImportOptions, importSource } from '../import-source.js';

const base = await mkdtemp(join(tmpdir(), 'hushrec-damaged-'));
afterAll(() => rm(base, { recursive: true, force: true }));
const scale = { min: 1, max: 5, step: 1 };
let files = 0;

async function outcome(name: string, bytes: Uint8Array | string, options: ImportOptions = {}) {
  const folder = join(base, String(files++));
  const source = join(await mkdtemp(join(base, 'source-')), name);
  await writeFile(source, bytes);
  const result = await importSource(source, join(folder, 'set'), {
    assumeScale: () => scale,
    ...options,
  }).catch((error: unknown) => error);
  const left = await readdir(folder).catch(() => []);
  return { result, left: left.filter((each) => each !== 'set') };
}

describe('a Parquet file that claims more than it holds', () => {
  const rows = 60;
  const whole = Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'user', data: Array.from({ length: rows }, (_, k) => k % 7), type: 'INT32', nullable: false },
        { name: 'item', data: Array.from({ length: rows }, (_, k) => k), type: 'INT32', nullable: false },
        {
          name: 'rating',
          data: Array.from({ length: rows }, (_, k) => 1 + (k % 5)),
          type: 'INT32',
          nullable: false,
        },
      ],
      codec: 'UNCOMPRESSED',
    }),
  );
  /** 60 as a zigzag varint, as Thrift writes counts; in its place a number of five bytes: 2³¹ − 1 or so. */
  const small = Buffer.from([(rows * 2) & 0xff]);
  const huge = Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f]);
  const places = [...whole.keys()].filter((at) => whole[at] === small[0]);

  it.each(['auto', 'typescript'] as const)(
    'is refused wherever the claim stands (%s reader)',
    async (reader) => {
      expect((await outcome('whole.parquet', whole, { reader })).result).toMatchObject({ ratings: rows });
      expect(places.length).toBeGreaterThan(6);
      for (const at of places) {
        // A longer number moves the footer's end: its length is in the last eight bytes.
        const bytes = Buffer.concat([whole.subarray(0, at), huge, whole.subarray(at + 1)]);
        const footer = whole.length - 8 - whole.readUInt32LE(whole.length - 8);
        if (at >= footer) bytes.writeUInt32LE(whole.readUInt32LE(whole.length - 8) + 4, bytes.length - 8);
        const before = process.memoryUsage.rss();
        const { result, left } = await outcome('claims.parquet', bytes, { reader });
        expect(left).toEqual([]);
        if (result instanceof Error) expect(result).toBeInstanceOf(BadDataError);
        else expect(result).toMatchObject({ people: 7, items: rows, ratings: rows });
        expect(process.memoryUsage.rss() - before).toBeLessThan(300e6);
      }
    },
  );
});

describe('text that readers take in two ways', () => {
  const mark = '\ufeff';

  it.each([
    ['before the second line', 'user', `user,item,rating\n${mark}a,x,5\nb,y,4\n`],
    ['before an id in the middle of a line', 'item', `user,item,rating\na,${mark}x,5\na,x,4\n`],
    ['at the end of an id', 'item', `user,item,rating\na,x${mark},5\na,x,4\n`],
    ['alone in a field', 'user', `user,item,rating\n${mark},y,4\na,x,5\n`],
  ])('a byte-order mark %s is refused with its line', async (_, what, text) => {
    const { result } = await outcome('marks.csv', text);
    expect(result).toBeInstanceOf(BadDataError);
    expect((result as BadDataError).line).toBe(2);
    expect((result as Error).message).toContain(`byte-order mark (U+FEFF) in the ${what} id`);
    expect((await outcome('marks.csv', text, { skipBadRows: 1 })).result).toMatchObject({ ratings: 1 });
  });

  const tableOf = (users: readonly (string | Uint8Array)[], type: 'STRING' | 'BYTE_ARRAY') =>
    Buffer.from(
      parquetWriteBuffer({
        columnData: [
          { name: 'user', data: [...users], type, nullable: false },
          { name: 'item', data: users.map((_, k) => `i${k % 2}`), type: 'STRING', nullable: false },
          { name: 'rating', data: users.map(() => 4), type: 'INT32', nullable: false },
        ],
      }),
    );

  it.each(['auto', 'typescript'] as const)(
    'a byte-order mark in a Parquet file is refused with its row and makes no two ids one (%s reader)',
    async (reader) => {
      const table = tableOf(['a', `${mark}a`, 'b', 'b'], 'STRING');
      const { result } = await outcome('marks.parquet', table, { reader });
      expect(result).toBeInstanceOf(BadDataError);
      expect((result as BadDataError).line).toBe(2);
      const skipped = await outcome('marks.parquet', table, { reader, skipBadRows: 1 });
      expect(skipped.result).toMatchObject({ people: 2, ratings: 3, badRows: 1 });
    },
  );

  it.each(['auto', 'typescript'] as const)(
    'ids in a Parquet file that are not UTF-8 are refused: they would all become the same (%s reader)',
    async (reader) => {
      for (const type of ['STRING', 'BYTE_ARRAY'] as const) {
        const users = [Uint8Array.of(0x61, 0xff), Uint8Array.of(0x61, 0xfe)];
        const { result } = await outcome('bytes.parquet', tableOf(users, type), { reader });
        expect(result).toBeInstanceOf(BadDataError);
      }
    },
  );

  it.each(['utf16le', 'utf16be'] as const)(
    'adjacency lists in %s are refused, with or without a mark',
    async (encoding) => {
      for (const text of [`${mark}1 10 11\n2 12\n`, '1 10 11\n2 12\n']) {
        const bytes = Buffer.from(text, 'utf16le');
        if (encoding === 'utf16be') bytes.swap16();
        for (const options of [{ format: 'adjacency' }, { format: 'csv' }, {}] as const) {
          const { result } = await outcome('lists.txt', bytes, options);
          expect(result).toBeInstanceOf(BadDataError);
          expect((result as Error).message).toMatch(/UTF-16.*Convert it to UTF-8/);
        }
      }
    },
  );

  it('a NUL far into a file is refused with its line', async () => {
    const text = `user,item,rating\n${'a,x,5\n'.repeat(99_999)}a,\0y,5\n`;
    const { result } = await outcome('nul.csv', text);
    expect((result as BadDataError).line).toBe(100_001);
  });
});
