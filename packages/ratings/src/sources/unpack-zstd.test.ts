import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { BadDataError, importSource } from '../index.js';
import { unpackedZstd } from './unpack-zstd.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-zstd-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** 'user,item,rating\n' and 200 rows `u<k % 9>,i<k % 13>,<1 + k % 5>`, packed by zstd at level 19. */
const packed = Buffer.from(
  'KLUv/WB+BaULABaXMhWgl6YD5i1C7fX/skSE7L1lxf9QxQM1ACgAKQCkYzESQ3JCcRiOE0phKE6YZ3gnHM3QTjCWYZ1QrGFPKDf8hEmGdIIAgTkAKOBAwIFhQYDBCdS/CxnieEYrVtn51fWzHIkJUd60YxlbvOQTF0tJrjBe0cqaPW52+QdPFzLEWXXqTxcyxFl16k8XMsRZdepPFzLEWXXqTxcyxFl16k8XMsRZ9eFo1ak/XcgQZ9WpP13IEGfVqT9dyBBn1ak/XcgQZ9WpP13IEGfVqQeAx6gR4K62/28gM8M4IMSRDwJ1N3rcQ9dg+7uj0110Jda/Gz3uoWuw/d3R6S66EuvfjR730DXY/u7odBddifXvRo976Bpsf3d0uouuxPp3o8c9dA22vzs63UVXYv270eMeuqwL29+t3eGgFqGT1xtjDzmpeevTVPeXGiWXX6aQu09k7BvbaeZbX1O7P2qTvfyYwtxOPWfpWaez+7ca27xizhcmbCm/Cg==',
  'base64',
);
const text = `user,item,rating\n${Array.from({ length: 200 }, (_, k) => `u${k % 9},i${k % 13},${1 + (k % 5)}\n`).join('')}`;
/** A frame of blocks that are not packed. */
const plainFrame = (content: string) => {
  const head = Buffer.alloc(3);
  head.writeUIntLE((content.length << 3) | 1, 0, 3);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x00]), head, Buffer.from(content)]);
};
const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

async function unpacked(bytes: Uint8Array, step = bytes.length): Promise<string> {
  const parts = Array.from({ length: Math.ceil(bytes.length / step) }, (_, k) =>
    Buffer.from(bytes.subarray(k * step, (k + 1) * step)),
  );
  let text = '';
  for await (const part of unpackedZstd(Readable.from(parts))) text += String(part);
  return text;
}

describe('zstd', () => {
  it('is unpacked, however its bytes arrive; frames may follow each other', async () => {
    for (const step of [1, 7, 1e6]) expect(await unpacked(packed, step)).toBe(text);
    const several = Buffer.concat([plainFrame('ab'), skippable, packed, plainFrame('cd')]);
    expect(await unpacked(several, 5)).toBe(`ab${text}cd`);
  });

  it('is recognised by name or content, and read as the text in it', async () => {
    const scale = { min: 1, max: 5, step: 1 };
    for (const name of ['r.csv.zst', 'r.csv.zstd', 'r.csv']) {
      writeFileSync(join(folder, name), packed);
      const report = await importSource(join(folder, name), join(folder, `${name}-set`), { scale });
      expect(report).toMatchObject({ format: 'csv', people: 9, items: 13 });
    }
  });

  it.each<[string, Buffer, RegExp]>([
    ['cut', packed.subarray(0, -7), /ends before its data.*cut short; fetch or pack it again/],
    ['cut in its head', packed.subarray(0, 5), /ends before its data/],
    ['followed by other bytes', Buffer.concat([packed, Buffer.from('more')]), /no zstd frame/],
    [
      'with a block of no kind',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 7, 0, 0]),
      /block is of no known kind/,
    ],
    [
      'with a dictionary',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 0, 9, 1, 0, 0]),
      /packed with a dictionary/,
    ],
    ['asking for 2 GiB', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0]), /needs 2048 MiB at once/],
  ])('%s is refused', async (name, bytes, message) => {
    const source = join(folder, `${name.replaceAll(' ', '-')}.csv.zst`);
    writeFileSync(source, bytes);
    const error = await importSource(source, join(folder, 'refused'), {}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BadDataError);
    expect((error as Error).message).toMatch(message);
  });

  it('a changed byte is refused, or the text is another one', async () => {
    for (let at = 4; at < packed.length; at++) {
      const changed = Buffer.from(packed);
      changed[at] ^= 0x55;
      const result = await unpacked(changed).catch((error: unknown) => error);
      if (result instanceof Error) expect(result.name).toBe('ZstdError');
    }
  });
});
