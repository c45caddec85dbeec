import { createEngine } from '@hushrec/numerics';
import { generateCatalogue } from '@hushrec/ratings';
import { itemEffects, itemPreference, LocalPeople } from '@hushrec/statistics';
import { expect, it, vi } from 'vitest';
import { revealToMechanism } from '../../../privacy/src/recorder/sensitive.js';
import { collect } from '../spark-people.js';
import { mapBlocks } from './map-blocks.js';
import { packPeople } from './pack-people.js';

const made = vi.hoisted((): string[] => []);
vi.mock('@hushrec/numerics', async (load) => {
  const numerics = await load<typeof import('@hushrec/numerics')>();
  return {
    ...numerics,
    async createEngine(...given: Parameters<typeof numerics.createEngine>) {
      const engine = await numerics.createEngine(...given);
      made.push(engine.kernel);
      return engine;
    },
  };
});

it('sums on a worker with the kernel that gives the same bits on every host, as everywhere else', async () => {
  const { ratings } = generateCatalogue({ users: 60, items: 30, ratings: 900, seed: 3 });
  const { itemCount, scale, byUser } = ratings;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const items = Array.from({ length: itemCount }, (_, item) => base64(`item ${item}`));
  async function* source() {
    for (let user = 0; user < byUser.rowCount; user++)
      for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++)
        yield [base64(`user ${user}`), items[byUser.indices[at]], String(byUser.values[at]), ''];
  }
  const blocks: string[][] = [];
  await packPeople(source(), { scale, items }, async (...row) => void blocks.push([row[0], row.at(-1)!]));

  const counts = Float64Array.from({ length: itemCount }, (_, item) => 5 + item);
  const level = { offset: 3.1, effects: counts.map((count) => Math.sin(count)), shrinkage: 5 };
  const published = { ...itemPreference(counts, 0.25), ...level, bound: 0.9 };
  const engine = await createEngine({ threads: 1, kernel: 'simd' });
  const sums = await new LocalPeople(ratings, engine).sum(itemEffects, published);
  const expected = Object.fromEntries(
    Object.entries(sums).map(([name, { statistic }]) => [
      name,
      new Float64Array(revealToMechanism(statistic)),
    ]),
  );
  await engine.close();
  made.length = 0;
  const out: string[][] = [];
  async function* rows() {
    yield* blocks;
  }
  await mapBlocks(
    rows(),
    {
      format: 'hushrec-question-1',
      statistic: itemEffects.id,
      published,
      itemCount,
      scale,
      blocks: blocks.map(([name]) => name).join(''),
    },
    async (...row) => void out.push([...row]),
  );
  expect(made).toEqual(['simd']);
  const totals = Object.fromEntries(
    Object.entries(expected).map(([name, { length }]) => [name, new Float64Array(length)]),
  );
  collect('test', out, totals, blocks.length);
  expect(totals).toEqual(expected);
});
