import { type BlockSource, type Csr, createEngine, type RowBlock, randomFactors } from '@hushrec/numerics';
import { SeededRandom } from '@hushrec/ratings';
import { blocksOf } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { revealToMechanism } from '../../../privacy/src/recorder/sensitive.js';
import { choices } from '../hush/choices.js';
import { itemEffects, residualVariance } from '../hush/item-effects.js';
import { itemWeights } from '../hush/item-weights.js';
import { levelVariance } from '../hush/level-variance.js';
import { itemPreference } from '../hush/person-weights.js';
import { meanRating, peopleCount, weightedCounts } from '../hush/population.js';
import { taste, tasteQuestion } from '../hush/taste.js';
import { evenCuts, peopleBetween } from './cut-shares.js';
import { FilePeople } from './file-people.js';
import { LocalPeople } from './local-people.js';
import { NoPeople } from './no-people.js';
import { type People, type PersonStatistic, SumError } from './people.js';
import { deal, inSharedMemory, sumInThreads } from './sum-in-threads.js';

const scale = { min: 1, max: 5, step: 1 };
const itemCount = 60;
const width = 4;

function generated(people: number, most: number): Csr {
  const random = new SeededRandom(11);
  const rows = Array.from({ length: people }, (_, user) => {
    const share = user === 7 ? 0 : (random.uniform() * most) / itemCount;
    return Array.from({ length: itemCount }, (_, item) => item).filter(() => random.uniform() < share);
  });
  const indices = Uint32Array.from(rows.flat());
  const offsets = new Uint32Array(people + 1);
  rows.forEach((row, user) => {
    offsets[user + 1] = offsets[user] + row.length;
  });
  const values = Float32Array.from(indices, () => 1 + Math.floor(random.uniform() * 5));
  return { rowCount: people, columnCount: itemCount, offsets, indices, values };
}

const random = new SeededRandom(3);
const items = randomFactors(itemCount, width, 1, () => random.uniform());
const counts = Float64Array.from({ length: itemCount }, (_, item) => 5 + item);
const preference = itemPreference(counts, 0.25);
const level = { offset: 3, effects: counts.map((count) => Math.sin(count)), shrinkage: 5 };
const released = {
  width,
  vectors: Float64Array.from(items.data),
  effects: level.effects,
  weights: counts,
  offset: 3,
};
const prior = { residualVariance: 0.8, interceptRidge: 10 };
const bounds = { vectorBound: 0.8, momentBound: 4 };
const gramian = new Float64Array(width * width).map((_, at) => (at % (width + 1) === 0 ? 4 : 0.5));

/** Every statistic with something to publish. */
const asked: readonly (readonly [PersonStatistic<never>, unknown])[] = [
  [peopleCount, null],
  [meanRating, { middle: 2.7, bound: 2 }],
  [weightedCounts, null],
  [itemWeights, preference],
  [itemEffects, { ...preference, ...level, bound: 0.9 }],
  [residualVariance, { ...level, bound: 4 }],
  [levelVariance, { ...level, bound: 1 }],
  [taste, tasteQuestion(released, preference, prior, bounds)],
  [
    choices,
    {
      items,
      gramian,
      ridge: 0.1,
      unobservedWeight: 0.1,
      itemWeights: counts,
      gauge: 1.3,
      leftOut: true,
      ...bounds,
    },
  ],
];

async function everything(people: People) {
  const sums: Record<string, { values: Float64Array; sensitivity: number; gridStep: number }> = {};
  for (const [at, [statistic, published]] of asked.entries()) {
    const found = await people.sum(statistic, published as never);
    for (const [name, { statistic: sum, gridStep }] of Object.entries(found)) {
      const values = revealToMechanism(sum);
      sums[`${at} ${statistic.id} ${name}`] = { values, sensitivity: sum.sensitivity, gridStep };
    }
  }
  return sums;
}

describe('people anywhere', () => {
  it('give the same integers in one share, in several, and with or without what can be kept', async () => {
    const engine = await createEngine({ threads: 1, kernel: 'simd' });
    const ratings = { itemCount, scale, byUser: generated(300, 40) };
    const one = await everything(new LocalPeople(ratings, engine));
    for (const { values } of Object.values(one)) {
      expect(values.every(Number.isInteger)).toBe(true);
      expect(values.some((value) => value !== 0)).toBe(true);
    }
    for (const options of [{ shares: 3 }, { shares: 8 }, { shares: 1000 }, { keep: false }])
      expect(await everything(new LocalPeople(ratings, engine, options))).toEqual(one);
    // The control that must differ: one person left out.
    expect(ratings.byUser.offsets[1]).toBeGreaterThan(3);
    const rows = peopleBetween(ratings.byUser, 1, 300);
    const without = await everything(new LocalPeople({ ...ratings, byUser: rows }, engine));
    for (const [name, sum] of Object.entries(without)) expect(sum, name).not.toEqual(one[name]);
    await engine.close();
  });

  it('give the same integers in one thread, two, three and four', async () => {
    const ratings = { itemCount, scale, byUser: generated(900, 50) };
    const sums = [];
    for (const threads of [1, 2, 3, 4]) {
      const engine = await createEngine({ threads, kernel: 'simd' });
      sums.push(await everything(new LocalPeople(ratings, engine, { threadsFrom: 1 })));
      await engine.close();
    }
    expect(sums[1]).toEqual(sums[0]);
    expect(sums[2]).toEqual(sums[0]);
    expect(sums[3]).toEqual(sums[0]);
  });

  it('of a statistic that took the id of another are its own, in threads too', async () => {
    const ratings = { itemCount, scale, byUser: generated(900, 50) };
    const engine = await createEngine({ threads: 2, kernel: 'simd' });
    const own = {
      ...weightedCounts,
      add: ({ rows }: { rows: { rowCount: number } }, _: null, { counts }: { counts: Float64Array }) => {
        counts[0] += rows.rowCount;
      },
    };
    const { counts } = await new LocalPeople(ratings, engine, { threadsFrom: 1 }).sum(own, null);
    expect((revealToMechanism(counts.statistic) as Float64Array)[0]).toBe(900);
    await engine.close();
  });

  it('give the same integers where threads take several shares each, three threads too', async () => {
    const ratings = { itemCount, scale, byUser: generated(900, 50) };
    const alone = await createEngine({ threads: 1, kernel: 'simd' });
    const { counts: expected } = await new LocalPeople(ratings, alone).sum(weightedCounts, null);
    await alone.close();
    const rows = inSharedMemory(ratings.byUser);
    const shapes = weightedCounts.shapes(null, itemCount);
    for (const threads of [2, 3, 4]) {
      const engine = await createEngine({ threads, kernel: 'simd' });
      for (const shares of [3, 7, 8, 12]) {
        const dealt = deal({ rows, first: 0 }, shares);
        expect(dealt).toHaveLength(shares);
        const { counts: sums } = await sumInThreads(engine, weightedCounts.id, null, shapes, dealt);
        expect(Array.from(sums), `${shares} shares in ${threads} threads`).toEqual(
          Array.from(revealToMechanism(expected.statistic)),
        );
      }
      await engine.close();
    }
  });

  it('give the same integers from blocks, and notice blocks that are missing or come twice', async () => {
    const ratings = { itemCount, scale, byUser: generated(900, 50) };
    const engine = await createEngine({ threads: 1, kernel: 'simd' });
    const one = await everything(new LocalPeople(ratings, engine));
    const source = blocksOf(ratings.byUser, 3000);
    expect(await everything(new FilePeople(source, scale, engine))).toEqual(one);
    const changed = (change: (blocks: RowBlock[]) => RowBlock[]): BlockSource => ({
      ...source,
      async *blocks() {
        const blocks: RowBlock[] = [];
        for await (const block of source.blocks()) blocks.push(block);
        yield* change(blocks);
      },
    });
    for (const change of [
      (blocks: RowBlock[]) => blocks.slice(1),
      (blocks: RowBlock[]) => blocks.slice(0, -1),
      (blocks: RowBlock[]) => [blocks[0], ...blocks],
    ])
      await expect(new FilePeople(changed(change), scale, engine).sum(peopleCount, null)).rejects.toThrow(
        SumError,
      );
    await engine.close();
  });

  it('are zero of the same shape where there is nobody', async () => {
    const engine = await createEngine({ threads: 1, kernel: 'simd' });
    const some = await everything(new LocalPeople({ itemCount, scale, byUser: generated(30, 40) }, engine));
    const nobody = await everything(new NoPeople(itemCount, scale));
    const empty = { itemCount, scale, byUser: generated(0, 1) };
    expect(await everything(new LocalPeople(empty, engine))).toEqual(nobody);
    expect(Object.keys(nobody)).toEqual(Object.keys(some));
    for (const [name, { values, ...rest }] of Object.entries(nobody)) {
      expect(rest).toEqual({ sensitivity: some[name].sensitivity, gridStep: some[name].gridStep });
      expect(values).toEqual(new Float64Array(some[name].values.length));
    }
    await engine.close();
  });

  it('refuse sums that are not exact, twice-rated items, and work that was cancelled', async () => {
    const engine = await createEngine({ threads: 1, kernel: 'scalar' });
    const byUser = generated(4, 40);
    const people = new LocalPeople({ itemCount, scale, byUser }, engine, { shares: 4 });
    const adding = (value: number): PersonStatistic<null, 'sum'> => ({
      id: 'test',
      parallel: 'engine',
      shapes: () => ({ sum: { length: 1, sensitivity: 1, gridStep: 1 } }),
      add: ({ rows }, _published, { sum }) => {
        sum[0] += value * rows.rowCount;
      },
    });
    await expect(people.sum(adding(2 ** 51 - 1), null)).resolves.toBeDefined();
    for (const value of [2 ** 51, -(2 ** 51), Number.NaN, Infinity])
      await expect(people.sum(adding(value), null)).rejects.toThrow(SumError);
    await expect(people.sum(adding(1), null, AbortSignal.abort())).rejects.toThrow(/abort/i);
    const twice = { rowCount: 1, columnCount: 2, offsets: [0, 2], indices: [1, 1], values: [1, 2] };
    const rows: Csr = {
      ...twice,
      offsets: Uint32Array.from(twice.offsets),
      indices: Uint32Array.from(twice.indices),
      values: Float32Array.from(twice.values),
    };
    expect(() => new LocalPeople({ itemCount: 2, scale, byUser: rows }, engine)).toThrow(
      'two ratings for one item',
    );
    await engine.close();
  });

  it('are dealt out whole, in order and about evenly', () => {
    const rows = generated(200, 40);
    for (const count of [1, 2, 3, 8, 200, 500]) {
      const cuts = evenCuts(rows, count);
      expect(cuts[0]).toBe(0);
      expect(cuts.at(-1)).toBe(200);
      expect(cuts.length - 1).toBeLessThanOrEqual(count);
      expect([...cuts].sort((a, b) => a - b)).toEqual(cuts);
      expect(new Set(cuts).size).toBe(cuts.length);
    }
    const entries = evenCuts(rows, 4)
      .slice(1)
      .map((cut) => rows.offsets[cut]);
    expect(Math.max(...entries.map((end, at) => end - (entries[at - 1] ?? 0)))).toBeLessThan(
      rows.indices.length / 3,
    );
  });

  it('hide what they are: no rows, no number of people, no content of sums', async () => {
    const people: People = new NoPeople(itemCount, scale);
    const sums = await people.sum(peopleCount, null);
    // @ts-expect-error rows are not reachable
    expect(people.byUser).toBeUndefined();
    // @ts-expect-error the number of people is not reachable
    expect(people.userCount).toBeUndefined();
    // @ts-expect-error what was summed is not reachable
    expect(sums.count.statistic.value).toBeUndefined();
    // @ts-expect-error a statistic has the sums it names
    expect(sums.total).toBeUndefined();
    expect(JSON.stringify(people)).toBe(JSON.stringify({ itemCount, scale }));
  });
});
