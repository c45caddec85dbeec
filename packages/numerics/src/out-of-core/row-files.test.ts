import { existsSync } from 'node:fs';
import { mkdtemp, rm, truncate, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csrFromTriples } from '../csr-from-triples.js';
import type { BlockSource, RowBlock } from './row-blocks.js';
import { openRowFiles, writeRowFiles } from './row-files.js';

let state = 7;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

const users = 700;
const items = 90;
const pairs: [number, number, number][] = [];
for (let user = 0; user < users; user++) {
  const density = user % 11 === 0 ? 0 : 0.4 * random();
  for (let item = 0; item < items; item++)
    if (random() < density) pairs.push([user, item, Math.ceil(random() * 5)]);
}
const byUser = csrFromTriples(
  users,
  items,
  pairs.map((p) => p[0]),
  pairs.map((p) => p[1]),
  pairs.map((p) => p[2]),
);

/** All rows, ten in a block. */
function rowsInTens(): RowBlock[] {
  return Array.from({ length: users / 10 }, (_, block) => {
    const [begin, end] = [10 * block, 10 * block + 10];
    const [first, last] = [byUser.offsets[begin], byUser.offsets[end]];
    const offsets = byUser.offsets.slice(begin, end + 1).map((offset) => offset - first);
    const [indices, values] = [byUser.indices.subarray(first, last), byUser.values.subarray(first, last)];
    return { begin, end, rows: { rowCount: 10, columnCount: items, offsets, indices, values } };
  });
}

async function collect(source: BlockSource): Promise<RowBlock[]> {
  const blocks: RowBlock[] = [];
  for await (const block of source.blocks()) blocks.push(block);
  return blocks;
}

describe('rows in files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hushrec-rows-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('reads back what it wrote, in blocks that respect the limit', async () => {
    await writeRowFiles(join(folder, 'a'), items, rowsInTens());
    const source = await openRowFiles(join(folder, 'a'), { entriesPerBlock: 500 });
    const blocks = await collect(source);
    await source.close();
    expect(blocks.length).toBeGreaterThan(10);
    let at = 0;
    for (const { begin, end, rows } of blocks) {
      expect(begin).toBe(at);
      at = end;
      expect(rows.indices.length).toBeLessThanOrEqual(500);
      const [first, last] = [byUser.offsets[begin], byUser.offsets[end]];
      expect(rows.indices).toEqual(byUser.indices.slice(first, last));
      expect(rows.values).toEqual(byUser.values.slice(first, last));
    }
    expect(at).toBe(users);
  });

  it('leaves nothing behind where the folder is the reader’s own', async () => {
    await writeRowFiles(join(folder, 'b'), items, [{ rows: byUser }]);
    const source = await openRowFiles(join(folder, 'b'), { remove: true });
    if (process.platform !== 'win32') expect(existsSync(join(folder, 'b'))).toBe(false);
    for (const pass of [1, 2])
      expect((await collect(source))[0].rows.values, `${pass}`).toEqual(byUser.values);
    await source.close();
    expect(existsSync(join(folder, 'b'))).toBe(false);
  });

  it('refuses a folder that is cut short or was never finished', async () => {
    const at = join(folder, 'd');
    await writeRowFiles(at, items, [{ rows: byUser }]);
    await truncate(join(at, 'values.f32'), 100);
    await expect(openRowFiles(at)).rejects.toThrow(/values\.f32 should have/);
    await unlink(join(at, 'shape.json'));
    await expect(openRowFiles(at)).rejects.toThrow(/not complete/);
  });
});
