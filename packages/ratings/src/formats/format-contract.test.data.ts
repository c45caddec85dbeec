import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { BadDataError } from '../bad-data-error.js';
import { readSource, type SourceOptions } from '../sources/read-source.js';
import { recogniseFiles } from '../sources/recognise-files.js';
import { listSourceFiles } from '../sources/source-file.js';
import type { FileFormat } from './rating-format.js';

/** What holds for every format of files; `among` is the list that it stands in. */
export const formatContract: readonly {
  readonly says: string;
  holds(format: FileFormat, among: readonly FileFormat[]): Promise<void>;
}[] = [
  {
    says: 'is recognised by its example',
    holds: (format, among) =>
      withExample(format, async (source) => {
        const files = await listSourceFiles(source);
        const found = { source, files, neighbours: files };
        expect((await recogniseFiles(among, found, {})).name).toBe(format.name);
      }),
  },
  {
    says: 'reads the ratings of its example',
    holds: (format) =>
      withExample(format, async (source) => {
        const { ratings, rows } = await read(source, { format });
        const isImplicit = rows.scale.min === rows.scale.max;
        const given = isImplicit ? ['1 10 1', '1 20 1', '2 10 1'] : ['1 10 5', '1 20 3', '2 10 4'];
        expect(ratings).toEqual(given);
      }),
  },
  {
    says: 'refuses items outside a catalogue, and leaves as many rows out as it may',
    holds: (format) =>
      withExample(format, async (source) => {
        const options = { format, catalogue: new Set(['10']) };
        await expect(read(source, options)).rejects.toThrow(/the item is not in the catalogue/);
        const { ratings, rows } = await read(source, { ...options, skipBadRows: 1 });
        expect(ratings).toHaveLength(2);
        expect(rows.badRows).toBe(1);
      }),
  },
  {
    says: 'stops when told to',
    holds: (format) =>
      withExample(format, async (source) => {
        const signal = AbortSignal.abort();
        await expect(read(source, { format, signal })).rejects.toMatchObject({ name: 'AbortError' });
      }),
  },
  {
    says: 'reads a file that was cut short, or says what is wrong with it',
    holds: (format) =>
      withExample(format, async (source, bytes) => {
        const step = Math.ceil(bytes.length / 80);
        let refused = 0;
        for (let length = 0; length < bytes.length; length += step) {
          await writeFile(source, bytes.subarray(0, length));
          await read(source, { format, reader: 'typescript' }).catch((error: unknown) => {
            expect(error).toBeInstanceOf(BadDataError);
            refused++;
          });
        }
        expect(refused).toBeGreaterThan(0);
      }),
  },
];

/** A file with the format's example, in a folder of its own. */
async function withExample(
  { example }: FileFormat,
  work: (source: string, bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hushrec-format-'));
  try {
    const { name, content } = example;
    const bytes = typeof content === 'string' ? Buffer.from(content) : await content();
    await writeFile(join(folder, name), bytes);
    await work(join(folder, name), bytes);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function read(source: string, options: SourceOptions) {
  const scale = { min: 1, max: 5, step: 1 };
  const { rows } = await readSource(source, { assumeScale: () => scale, ...options }, join(source, '..'));
  const ratings = [...rows.ratings].map(
    (rating, k) => `${rows.userIds[rows.users[k]]} ${rows.itemIds[rows.items[k]]} ${rating}`,
  );
  return { rows, ratings: ratings.sort() };
}
