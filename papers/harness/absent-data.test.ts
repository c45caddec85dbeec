import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { memoryOutcomeStore } from '@hushrec/evaluate';
import { createEngine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { experiments } from '../list-of-experiments.js';
import { isThere, loadRealData, type RealDataName } from './real-data.js';

let data: string;
const signal = new AbortController().signal;

/** Who rated what, how, and when: enough people and items for 99 candidates that nobody had. */
const ratings = Array.from({ length: 60 }, (_, user) =>
  Array.from({ length: 24 }, (_, k) => ({
    user: user + 1,
    item: 1 + ((user * 7 + k * k * 3) % 160),
    stars: 3 + ((user + k) % 3),
    day: 1 + (k % 9),
  })).filter(({ item }, at, all) => all.findIndex((each) => each.item === item) === at),
).flat();
const items = Array.from({ length: 160 }, (_, k) => k + 1);

/** The four sets that may not be passed on, in the form they are published in. */
const files: Readonly<Record<string, string>> = {
  'ml-10m/ratings.dat': ratings
    .map((r) => `${r.user}::${r.item}::${r.stars - 0.5}::${1e9 + r.day}`)
    .join('\n'),
  'ml-10m/movies.dat': items.map((item) => `${item}::Film ${item} (1999)::Drama`).join('\n'),
  'ml-20m/ratings.csv': [
    'userId,movieId,rating,timestamp',
    ...ratings.map((r) => `${r.user},${r.item},${r.stars - 0.5},${1e9 + r.day}`),
  ].join('\n'),
  'ml-20m/movies.csv': ['movieId,title,genres', ...items.map((i) => `${i},Film ${i} (1999),Drama`)].join(
    '\n',
  ),
  ...Object.fromEntries(
    items.map((item) => [
      `netflix/mv_${String(item).padStart(7, '0')}.txt`,
      [
        `${item}:`,
        ...ratings.filter((r) => r.item === item).map((r) => `${r.user},${r.stars},2005-09-0${r.day}`),
      ].join('\n'),
    ]),
  ),
  'yahoo-music/ydata-ymusic-rating-study-v1_0-train.txt': ratings
    .map((r) => `${r.user}\t${r.item}\t${r.stars}`)
    .join('\n'),
};

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'hushrec-absent-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(data, name)), { recursive: true });
    await writeFile(join(data, name), text);
  }
});
afterAll(() => rm(data, { recursive: true, force: true }));

describe('data that may not be passed on', () => {
  it.each([
    ['ml-10m', 0.5],
    ['ml-20m', 0.5],
    ['netflix', 1],
    ['yahoo-music', 1],
  ] as const)('%s is read in the form it is published in', async (name: RealDataName, least: number) => {
    const dataset = await loadRealData({ data, signal }, name);
    expect(dataset.ratings.userCount).toBe(60);
    expect(dataset.ratings.byUser.values).toHaveLength(ratings.length);
    expect(dataset.ratings.scale).toMatchObject({ min: least, max: 5 });
    const [first] = dataset.userIds.map((_, user) =>
      dataset.ratings.byUser.values.subarray(
        dataset.ratings.byUser.offsets[user],
        dataset.ratings.byUser.offsets[user + 1],
      ),
    );
    const own = ratings.filter(({ user }) => String(user) === dataset.userIds[0]);
    const expected = own
      .sort((a, b) => a.item - b.item)
      .map(({ stars }) => (least === 1 ? stars : stars - 0.5));
    expect([...first]).toEqual(expected);
  });

  it.each(['ml-10m', 'ml-20m', 'netflix', 'yahoo-music'] as const)(
    'says what to download where %s is not there',
    async (name) => {
      expect(isThere(join(data, 'elsewhere'), name)).toBe(false);
      const load = loadRealData({ data: join(data, 'elsewhere'), signal }, name);
      await expect(load).rejects.toThrow(new RegExp(`needs ${name}, which is not in .*Get .*${name}/`));
    },
  );

  it.each([
    ['dpimf/table5', 'yahoo-music, choosing λ and β'],
    ['user-level/ml-10m', 'ML-10M: dpals'],
    ['user-level/ml-20m-ranking', 'ML-20M likes: dpals'],
    ['friedman/table3-large', 'ml-10m'],
  ])('is used by %s once it is there', async (id, stage) => {
    const experiment = experiments.find((each) => each.id === id)!;
    expect(experiment.needs.every((needed) => isThere(data, needed))).toBe(true);
    const engine = await createEngine({ threads: 1 });
    const stop = new AbortController();
    const began: string[] = [];
    const run = experiment.run({
      data,
      engine,
      quick: true,
      seed: 1,
      store: memoryOutcomeStore(),
      // The first look is enough: the whole table is run where the whole data is.
      progress: (now) => {
        began.push(now);
        stop.abort(new Error('seen enough'));
      },
      signal: stop.signal,
    });
    await expect(run).rejects.toThrow('seen enough');
    await engine.close();
    expect(began[0]).toContain(stage);
  });
});
