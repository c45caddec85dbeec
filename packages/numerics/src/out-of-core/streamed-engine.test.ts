import { mkdtemp, rm, truncate, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../create-engine.js';
import { csrFromTriples } from '../csr-from-triples.js';
import type { Engine } from '../engine.js';
import { randomFactors, zeroFactors } from '../random-factors.js';
import { transpose } from '../transpose.js';
import { type BlockSource, blocksOf, type RowBlock } from './row-blocks.js';
import { openRowFiles, writeRowFiles } from './row-files.js';
import { StreamedEngine } from './streamed-engine.js';
import { transposeRowFiles } from './transpose-files.js';

let state = 7;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

const users = 700;
const items = 90;
const d = 12;
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
const byItem = transpose(byUser);

async function collect(source: BlockSource): Promise<RowBlock[]> {
  const blocks: RowBlock[] = [];
  for await (const block of source.blocks()) blocks.push(block);
  return blocks;
}

describe('training from files', () => {
  let folder: string;
  let engine: Engine;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hushrec-rows-'));
    engine = await createEngine({ kernel: 'simd', threads: 1 });
  });
  afterAll(async () => {
    await engine.close();
    await rm(folder, { recursive: true });
  });

  it('reads back what it wrote, in blocks that respect the limit', async () => {
    await writeRowFiles(join(folder, 'a'), items, await collect(blocksOf(byUser, 300)));
    const blocks = await collect(await openRowFiles(join(folder, 'a'), 500));
    expect(blocks.length).toBeGreaterThan(10);
    let at = 0;
    for (const { begin, end, rows } of blocks) {
      expect(begin).toBe(at);
      at = end;
      expect(rows.indices.length).toBeLessThanOrEqual(500);
      const [first, last] = [byUser.offsets[begin]!, byUser.offsets[end]!];
      expect(rows.indices).toEqual(byUser.indices.slice(first, last));
      expect(rows.values).toEqual(byUser.values.slice(first, last));
    }
    expect(at).toBe(users);
  });

  it('transposes files as memory does, however small the blocks', async () => {
    await writeRowFiles(join(folder, 'b'), items, [{ rows: byUser }]);
    const source = await openRowFiles(join(folder, 'b'), 400);
    const turned = await transposeRowFiles(source, join(folder, 'b-turned'), 700);
    const [whole] = await collect(turned);
    expect(whole!.rows).toEqual(byItem);
  });

  it('gives the bytes of the engine in memory, for both steps', async () => {
    const streamed = new StreamedEngine(engine);
    const sources = await streamed.prepare(join(folder, 'c'), items, await collect(blocksOf(byUser, 800)));
    const small = {
      byUser: await openRowFiles(join(folder, 'c/by-user'), 900),
      byItem: await openRowFiles(join(folder, 'c/by-item'), 1100),
    };
    const fixed = randomFactors(items, d, 0.3, random);
    const ridge = Float32Array.from({ length: users }, () => 0.1 + random());
    const weightOf = (item: number) => Math.fround(0.5 + item / items);
    const inMemory = zeroFactors(users, d);
    await engine.solveRows({
      rows: byUser,
      fixed,
      ridge,
      out: inMemory,
      weights: Float32Array.from(byUser.indices, weightOf),
    });
    const grid = { vectorBound: 100, targetBound: 5, vectorBits: 15, targetBits: 15, matrices: true };
    const sums = await engine.itemStatistics({ byItem, users: inMemory, ...grid, begin: 0, end: items });
    for (const { byUser: rows, byItem: columns } of [sources, small]) {
      const out = zeroFactors(users, d);
      const aligned = (block: RowBlock) => ({ weights: Float32Array.from(block.rows.indices, weightOf) });
      await streamed.solveRows({ rows, fixed, ridge, out, aligned });
      expect(out.data).toEqual(inMemory.data);
      let begin = 0;
      for await (const part of streamed.itemStatistics({
        byItem: columns,
        users: out,
        ...grid,
        itemsPerBlock: 16,
      })) {
        expect(part.begin).toBe(begin);
        const count = part.vectors.length / d;
        expect(part.vectors).toEqual(sums.vectors.slice(begin * d, (begin + count) * d));
        const length = (d * (d + 1)) / 2;
        expect(part.matrices).toEqual(sums.matrices.slice(begin * length, (begin + count) * length));
        begin += count;
      }
      expect(begin).toBe(items);
    }
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
