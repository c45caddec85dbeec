import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { corpusOf } from './corpus.mjs';
import { zipOf } from './samples/zip.mjs';

const program = fileURLToPath(new URL('memory-of.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-memory-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As docs/data.md says: besides what the runtime takes, so many bytes of memory for each byte, unpacked. */
const most = { free: 150e6, perByte: 100 };

const lines = (count: number, line: (k: number) => string) =>
  Buffer.from(`user,item,rating\n${Array.from({ length: count }, (_, k) => line(k)).join('\n')}\n`);
const claims = (header: string) => {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, Buffer.from(header)]);
};
const longHeader = Buffer.alloc(64);
longHeader.writeBigUInt64LE(1n << 40n);
const release = (header: string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  return Buffer.concat([Buffer.from('hushrec-releases-1\n'), length, Buffer.from(header)]);
};
const text = Buffer.alloc(32e6, 'a');
const same = lines(1e6, () => 'a,b,3');

/** What each is, its bytes, and how many bytes it stands for where it is packed. */
const inputs: readonly (readonly [string, string, Uint8Array, number?])[] = [
  ['import', 'one-line.csv.gz', gzipSync(text), text.length],
  ['import', 'same-line.csv.gz', gzipSync(same), same.length],
  ['import', 'bomb.zip', zipOf({ 'ratings.dat': text }), text.length],
  ['import', 'new-ids.csv', lines(1e5, (k) => `u${k},i${k},3`)],
  ['import', 'open-quote.csv', Buffer.concat([Buffer.from('user,item,rating\n"'), text.subarray(0, 4e6)])],
  ['import', 'commas.csv', Buffer.from(`user,item,rating\n${','.repeat(2e6)}`)],
  ...corpusOf('import')
    .filter(({ name }: { name: string }) => name.startsWith('claims-'))
    .map(({ name, bytes }: { name: string; bytes: Uint8Array }) => ['import', name, bytes] as const),
  ['model', 'long-header.safetensors', longHeader],
  [
    'model',
    'shape.safetensors',
    claims('{"a":{"dtype":"F32","shape":[2147483647,4],"data_offsets":[0,34359738352]}}'),
  ],
  ['model', 'nested.json', Buffer.alloc(1e6, '[')],
  ['releases', 'count', release('{"request":{},"kind":"numbers","count":4503599627370496}')],
  ['releases', 'choice', release('{"request":{},"kind":"cells","count":2147483647}')],
];

describe('memory follows from the bytes of an input, not from numbers in it', () => {
  it.each(inputs)('%s of %s', async (what, name, bytes, unpacked = bytes.length) => {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    const { stdout } = await promisify(execFile)(process.execPath, [program, what, file]);
    const { outcome, rose } = JSON.parse(stdout) as { outcome: string; rose: number };
    process.stdout.write(
      `${name}: ${bytes.length} bytes, for ${unpacked}: ${(rose / 1e6).toFixed(0)} MB, ${outcome.slice(0, 40)}\n`,
    );
    expect(rose).toBeLessThan(most.free + most.perByte * unpacked);
  });
});
