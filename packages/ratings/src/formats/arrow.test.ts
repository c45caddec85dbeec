import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { BadDataError, type ImportOptions, importSource, openDataset } from '../index.js';
import { tables } from './arrow.test.data.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-arrow-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const scale = { min: 1, max: 5, step: 1 };
let count = 0;

async function imported(name: string, content: string | Uint8Array, options: ImportOptions = {}) {
  writeFileSync(join(folder, name), content);
  const directory = join(folder, `set-${++count}`);
  const report = await importSource(join(folder, name), directory, { scale, ...options });
  return { report, dataset: await openDataset(directory) };
}

const bytesOf = (kind: string) => gunzipSync(Buffer.from(tables[kind], 'base64'));
const csv = `user,item,rating,time\n${Array.from(
  { length: 120 },
  (_, k) => `u${k % 17},${(k * 7) % 31},${1 + (k % 5)},${1_600_000_000 + k}`,
).join('\n')}\n`;

it.each(Object.keys(tables))('%s: what the same table as CSV gives', async (kind) => {
  const { dataset: expected } = await imported('r.csv', csv);
  const bytes = bytesOf(kind);
  const isFile = bytes.toString('latin1', 0, 6) === 'ARROW1';
  for (const [name, content] of [
    [isFile ? 'r.feather' : 'r.arrows', bytes],
    ['r.arrow.gz', gzipSync(bytes)],
    ...(isFile ? ([['table', bytes]] as const) : []),
  ] as const) {
    const { report, dataset } = await imported(name, content);
    expect(report).toMatchObject({ format: 'arrow', columns: { user: 'user', time: 'time' } });
    expect(dataset.manifest.contentHash, name).toBe(expected.manifest.contentHash);
  }
});

it('takes text as it was written: bytes that are not UTF-8 are refused, marks are not dropped', async () => {
  const bytes = bytesOf('plain file');
  const at = bytes.indexOf('u0u1u2');
  const changed = (first: readonly number[]) => {
    const other = Buffer.from(bytes);
    other.set(first, at);
    return other;
  };
  expect((await imported('text.arrow', changed([0x78]))).report).toMatchObject({ people: 18 });
  await expect(imported('text.arrow', changed([0xff]))).rejects.toThrow(/not a whole Arrow file.*utf-8/);
});

it('names what it does not read: other columns, and one of lists that is asked for', async () => {
  const bytes = bytesOf('file of decimals and lists');
  expect((await imported('lists.arrow', bytes)).report).toMatchObject({ unusedColumns: ['tags'] });
  await expect(imported('lists.arrow', bytes, { columns: ['user', 'tags', 'rating'] })).rejects.toThrow(
    /the column "tags" holds lists/,
  );
});

describe('a damaged Arrow table', () => {
  const outcome = async (bytes: Uint8Array) => {
    const before = process.memoryUsage.rss();
    const result = await imported('damaged.arrow', bytes, { skipBadRows: 1000 }).catch(
      (error: unknown) => error,
    );
    expect(process.memoryUsage.rss() - before).toBeLessThan(300e6);
    expect(readdirSync(folder).filter((each) => each.startsWith('.'))).toEqual([]);
    // A changed name of a column is a question to the user.
    if (result instanceof Error) expect(['data', 'usage']).toContain((result as BadDataError).kind);
    rmSync(join(folder, `set-${count}`), { recursive: true, force: true });
    return result;
  };

  it.each(Object.keys(tables))('%s: refused wherever it is cut', async (kind) => {
    const bytes = bytesOf(kind);
    // A stream may end after any message, and has no rows before the first.
    for (let end = 1; end < bytes.length - 8; end += 149) {
      const result = await outcome(bytes.subarray(0, end));
      if (kind.includes('file')) expect(result, `${end} bytes`).toBeInstanceOf(BadDataError);
    }
  });

  it.each(Object.keys(tables))('%s: claims are compared with the bytes that there are', async (kind) => {
    const bytes = bytesOf(kind);
    const claims = [0xffffffff, 0x7fffffff, 0x00ffffff];
    for (let at = 8; at + 4 <= bytes.length; at += 68) {
      const changed = Buffer.from(bytes);
      changed.writeUInt32LE(claims[(at / 4) % 3], at);
      await outcome(changed);
    }
  });
});
