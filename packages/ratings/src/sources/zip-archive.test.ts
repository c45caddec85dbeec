import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { afterAll, describe, expect, it } from 'vitest';
import { readZipDirectory } from './zip-archive.js';

const base = await mkdtemp(join(tmpdir(), 'hushrec-zip-test-'));
afterAll(() => rm(base, { recursive: true, force: true }));
const path = join(base, 'a.zip');
const text = Buffer.from('line of text\n'.repeat(5000));
const archive = zipSync({
  'folder/packed.txt': text,
  'stored.txt': [Buffer.from('as it is'), { level: 0 }],
  'empty.txt': new Uint8Array(0),
});

async function unpack(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readZipDirectory(path, 'a.zip')) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry.stream() as AsyncIterable<Buffer>) chunks.push(chunk);
    files.set(entry.name, Buffer.concat(chunks).toString());
  }
  return files;
}

/** The same archive with 64-bit sizes and offsets, as archives above 4 GiB have them. */
function withZip64(zip: Uint8Array): Buffer {
  const bytes = Buffer.from(zip);
  const end = bytes.length - 22;
  const directoryOffset = bytes.readUInt32LE(end + 16);
  const count = bytes.readUInt16LE(end + 10);
  const records: Buffer[] = [];
  for (let at = directoryOffset, k = 0; k < count; k++) {
    const nameLength = bytes.readUInt16LE(at + 28);
    const record = Buffer.from(bytes.subarray(at, at + 46 + nameLength));
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    const extra = Buffer.alloc(28);
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    extra.writeBigUInt64LE(BigInt(record.readUInt32LE(24)), 4);
    extra.writeBigUInt64LE(BigInt(record.readUInt32LE(20)), 12);
    extra.writeBigUInt64LE(BigInt(record.readUInt32LE(42)), 20);
    for (const field of [20, 24, 42]) record.writeUInt32LE(0xffffffff, field);
    record.writeUInt16LE(28, 30);
    record.writeUInt16LE(0, 32);
    records.push(record, extra);
  }
  const directory = Buffer.concat(records);
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(directory.length), 40);
  end64.writeBigUInt64LE(BigInt(directoryOffset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(directoryOffset + directory.length), 8);
  const last = Buffer.from(bytes.subarray(end));
  last.writeUInt32LE(0xffffffff, 16);
  return Buffer.concat([bytes.subarray(0, directoryOffset), directory, end64, locator, last]);
}

describe('zip archives', () => {
  it.each([
    ['usual', archive],
    ['Zip64', withZip64(archive)],
  ])('%s ones give back their files', async (_, bytes) => {
    await writeFile(path, bytes);
    expect(await unpack()).toEqual(
      new Map([
        ['folder/packed.txt', text.toString()],
        ['stored.txt', 'as it is'],
        ['empty.txt', ''],
      ]),
    );
  });

  it('are refused when any part is missing or changed', async () => {
    for (const length of [0, 21, 200, archive.length - 1]) {
      await writeFile(path, archive.subarray(0, length));
      await expect(unpack(), `cut to ${length}`).rejects.toThrow(/damaged or cut short/);
    }
    const stored = Buffer.from(archive).indexOf('as it is');
    const changed = Buffer.from(archive);
    changed[stored] ^= 1;
    await writeFile(path, changed);
    await expect(unpack()).rejects.toThrow(/stored\.txt: the zip archive is damaged/);
  });
});
