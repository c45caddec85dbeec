import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from './create-engine.js';
import { csrFromTriples } from './csr-from-triples.js';
import type { Engine, ItemStatistics } from './engine.js';
import { randomFactors, zeroFactors } from './random-factors.js';
import { chunkByCost } from './threads/chunk-by-cost.js';
import { transpose } from './transpose.js';

function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const users = 3000;
const items = 500;
const d = 24;
const random = uniform(5);
const pairs: [number, number][] = [];
for (let user = 0; user < users; user++) {
  const density = Math.min(0.5, 0.02 / (random() + 0.02));
  for (let item = 0; item < items; item++) if (random() < density) pairs.push([user, item]);
}
const byUser = csrFromTriples(
  users,
  items,
  pairs.map((pair) => pair[0]),
  pairs.map((pair) => pair[1]),
  pairs.map(() => Math.ceil(random() * 5)),
);
const byItem = transpose(byUser);
const itemFactors = randomFactors(items, d, 0.3, uniform(1));

/** Every job once, each large enough to go to the threads; all results in one list of arrays. */
async function runEverything(engine: Engine): Promise<ArrayLike<number>[]> {
  const out = zeroFactors(users, d);
  await engine.solveRows({ rows: byUser, fixed: itemFactors, ridge: 0.2, out });
  const warm = { ...out, data: out.data.slice() };
  await engine.solveRows({ rows: byUser, fixed: itemFactors, ridge: 0.2, out: warm, solver: 'cg' });
  const vectorBound = 100;
  const statistics = await engine.itemStatistics({
    byItem,
    users: out,
    vectorBound,
    targetBound: 5,
    vectorBits: 15,
    targetBits: 20,
    matrices: true,
    begin: 0,
    end: items,
  });
  const solved = zeroFactors(items, d);
  const noisy = statistics.matrices.map((value, k) => value / 2 ** 30 + ((k * 7919) % 13) - 6);
  await engine.solvePsd({
    width: d,
    count: items,
    matrices: noisy,
    vectors: statistics.vectors,
    ridge: new Float64Array(items).fill(1),
    out: solved,
    begin: 0,
  });
  const bags = zeroFactors(users, d);
  await engine.sumBags({ bags: byUser, table: itemFactors, out: bags });
  const top = await engine.topK({ rows: out, items: itemFactors, exclude: byUser, k: 10 });
  return [
    out.data,
    warm.data,
    await engine.gramian(out),
    statistics.matrices,
    statistics.vectors,
    await engine.exactGramian({ users: out, vectorBound, vectorBits: 15 }),
    solved.data,
    bags.data,
    top.indices,
    top.scores,
    await engine.predictPairs(out, itemFactors, byUser),
  ];
}

describe.each(['scalar', 'simd'] as const)('%s kernels', (kernel) => {
  let expected: ArrayLike<number>[];
  beforeAll(async () => {
    const engine = await createEngine({ kernel, threads: 1 });
    expected = await runEverything(engine);
    await engine.close();
  });

  it.each([2, 4])('give the same bytes with %i threads as with one', async (threads) => {
    const engine = await createEngine({ kernel, threads });
    const actual = await runEverything(engine);
    await engine.close();
    expect(actual.length).toBe(expected.length);
    actual.forEach((array, k) => {
      expect(array.length).toBe(expected[k].length);
      let same = true;
      for (let at = 0; at < array.length; at++) same &&= Object.is(array[at], expected[k][at]);
      expect(same, `result ${k}`).toBe(true);
    });
  });
});

describe('an engine with threads', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ kernel: 'simd', threads: 2 });
  });
  afterAll(() => engine.close());

  it('takes and fills arrays that are not shared', async () => {
    const shared = zeroFactors(users, d);
    const own = { rowCount: users, width: d, data: new Float32Array(users * d) };
    const plainFixed = { ...itemFactors, data: Float32Array.from(itemFactors.data) };
    await engine.solveRows({ rows: byUser, fixed: itemFactors, ridge: 0.2, out: shared });
    await engine.solveRows({ rows: byUser, fixed: plainFixed, ridge: 0.2, out: own });
    expect(own.data.every((value, k) => value === shared.data[k])).toBe(true);
  });

  it('puts sums where it is told to if they fit, and elsewhere if not', async () => {
    const grid = { vectorBound: 100, targetBound: 5, vectorBits: 15, targetBits: 20, matrices: true };
    const people = randomFactors(users, d, 0.3, uniform(2));
    const sums = (begin: number, end: number, into?: ItemStatistics) =>
      engine.itemStatistics({ byItem, users: people, ...grid, begin, end, ...(into && { into }) });
    const [first, second] = [await sums(0, 250), await sums(250, 490)];
    const copy = { matrices: first.matrices.slice(), vectors: first.vectors.slice() };
    const reused = await sums(250, 490, first);
    expect(reused.matrices.buffer).toBe(first.matrices.buffer);
    expect(reused).toEqual(second);
    const larger = await sums(0, 250, second);
    expect(larger.matrices.buffer).not.toBe(second.matrices.buffer);
    expect(larger).toEqual(copy);
    const notShared = await sums(250, 490, copy);
    expect(notShared.matrices.buffer).not.toBe(copy.matrices.buffer);
  });

  it('runs jobs that are started together one after the other', async () => {
    const first = zeroFactors(users, d);
    const second = zeroFactors(users, d);
    await Promise.all([
      engine.solveRows({ rows: byUser, fixed: itemFactors, ridge: 0.2, out: first }),
      engine.gramian(itemFactors),
      engine.solveRows({ rows: byUser, fixed: itemFactors, ridge: 0.2, out: second }),
    ]);
    expect(second.data.every((value, k) => value === first.data[k])).toBe(true);
  });

  it('fails with the cause when a job fails in a thread, and works again', async () => {
    const singular = zeroFactors(items, d);
    const out = zeroFactors(users, d);
    await expect(engine.solveRows({ rows: byUser, fixed: singular, ridge: 0, out })).rejects.toMatchObject({
      name: 'NotPositiveDefiniteError',
    });
    await engine.solveRows({ rows: byUser, fixed: itemFactors, ridge: 0.2, out });
    expect(out.data.some((value) => value !== 0)).toBe(true);
  });

  it('refuses inexact sums found in a thread with the same error as in one', async () => {
    const people = randomFactors(users, d, 0.1, uniform(8));
    const targets = Float32Array.from(byItem.values);
    targets[targets.length - 1] = Number.NaN;
    const grid = { vectorBound: 10, targetBound: 5, vectorBits: 15, targetBits: 15, matrices: true };
    await expect(
      engine.itemStatistics({ byItem, users: people, targets, ...grid, begin: 0, end: items }),
    ).rejects.toMatchObject({ name: 'ExactnessError', input: 'targets' });
  });

  it('refuses work after it was closed', async () => {
    const closed = await createEngine({ kernel: 'simd', threads: 2 });
    await closed.close();
    await expect(closed.gramian(itemFactors)).rejects.toThrow(/closed/);
  });
});

describe('splitting by cost', () => {
  it('gives a costly row a range of its own and groups cheap ones', () => {
    const costs = [1, 1, 1, 100, 1, 1, 1, 1, 1, 1];
    const bounds = chunkByCost(costs.length, (row) => costs[row], { cost: 4, rows: 100 });
    expect([...bounds]).toEqual([0, 3, 4, 8, 10]);
  });

  it('covers every row once and respects the limits', () => {
    const { offsets } = byUser;
    const costOf = (row: number) => (offsets[row + 1] - offsets[row]) * d;
    const limits = { cost: 5000, rows: 40, entries: 700 };
    const bounds = chunkByCost(users, costOf, limits, offsets);
    expect(bounds[0]).toBe(0);
    expect(bounds.at(-1)).toBe(users);
    for (let k = 0; k + 1 < bounds.length; k++) {
      const begin = bounds[k];
      const end = bounds[k + 1];
      expect(end).toBeGreaterThan(begin);
      expect(end - begin).toBeLessThanOrEqual(limits.rows);
      if (end - begin > 1) expect(offsets[end] - offsets[begin]).toBeLessThanOrEqual(limits.entries);
    }
  });

  it('has no range for no rows', () => {
    expect(chunkByCost(0, () => 1, { cost: 1, rows: 1 }).length).toBe(1);
  });
});

describe('createEngine', () => {
  it.each([0, 1.5, -1, Number.NaN])('refuses %d threads', async (threads) => {
    await expect(createEngine({ threads })).rejects.toThrow(/whole number/);
  });

  it('describes itself and, here, lacks nothing', async () => {
    const engine = await createEngine({ threads: 2, kernel: 'simd' });
    expect(engine.description).toBe('simd kernels, 2 threads');
    expect(engine.warnings).toEqual([]);
    await engine.close();
  });

  it('says what does not fit instead of reading beyond arrays', async () => {
    const engine = await createEngine({ threads: 1 });
    const out = zeroFactors(users, d);
    const narrow = zeroFactors(items, d - 1);
    await expect(engine.solveRows({ rows: byUser, fixed: narrow, ridge: 1, out })).rejects.toThrow(
      /out does not fit/,
    );
    const few = zeroFactors(items - 1, d);
    await expect(engine.solveRows({ rows: byUser, fixed: few, ridge: 1, out })).rejects.toThrow(/fixed/);
    await expect(engine.topK({ rows: out, items: itemFactors, k: 0 })).rejects.toThrow(/k does not fit/);
    await engine.close();
  });
});
