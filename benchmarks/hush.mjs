// Training alone, from ratings in memory to a model: `hush` in one thread and in two; every other method for
// people in one.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { methods, trainModel } from '@hushrec/factorize';
import '@hushrec/papers/register';
import { createEngine } from '@hushrec/numerics';
import { generateCatalogue } from '@hushrec/ratings';
import { printTable, processorTime } from './measure.mjs';
import { syntheticRatings } from './synthetic-ratings.mjs';

const scale = { min: 0.5, max: 5, step: 0.5 };

function syntheticMatrix(shape) {
  const byUser = syntheticRatings(shape);
  return { userCount: shape.users, itemCount: shape.items, scale, byUser };
}

const sets = {
  'shape of ML-1M': () =>
    generateCatalogue({ users: 6040, items: 3706, ratings: 1_000_000, seed: 1 }).ratings,
  '10,000 items': () =>
    generateCatalogue({ users: 20_000, items: 10_000, ratings: 2_000_000, seed: 1 }).ratings,
  '10 million ratings': () =>
    syntheticMatrix({ users: 70_000, items: 10_000, ratings: 10_000_000, seed: 10 }),
};

/**
 * Processor seconds of each thread of this process so far, where the system tells (Linux); the first is the
 * main one.
 */
function threadTimes() {
  const tasks = '/proc/self/task';
  if (!existsSync(`${tasks}/${process.pid}/schedstat`)) return undefined;
  const secondsOf = (task) => Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
  return new Map(readdirSync(tasks).map((task) => [task, secondsOf(task)]));
}

/**
 * Seconds of the main thread and of the busiest other one: what a run would take at least on cores of its
 * own. Main and other threads wait for each other here, so this does not count anything twice.
 */
function longestPath(before, after) {
  const used = (task) => after.get(task) - (before.get(task) ?? 0);
  const main = String(process.pid);
  const others = [...after.keys()].filter((task) => task !== main).map(used);
  return used(main) + Math.max(0, ...others);
}

/** Least processor and wall seconds of several runs, and the model's bytes. */
async function timed(method, ratings, threads, runs, settings = {}) {
  const engine = await createEngine({ kernel: 'simd', threads });
  let [processor, wall, path] = [Infinity, Infinity, Infinity];
  let model;
  try {
    for (let run = 0; run < runs; run++) {
      const threadsBefore = threadTimes();
      const [started, used] = [performance.now(), processorTime()];
      ({ model } = await trainModel({
        method,
        settings,
        ratings,
        epsilon: 1,
        delta: 1e-6,
        seed: 1,
        engine,
        declaredPeople: ratings.userCount,
      }));
      processor = Math.min(processor, (processorTime() - used) / 1000);
      wall = Math.min(wall, (performance.now() - started) / 1000);
      if (threadsBefore) path = Math.min(path, longestPath(threadsBefore, threadTimes()));
    }
  } finally {
    await engine.close();
  }
  return { processor, wall, path, bytes: Buffer.from(model.itemFactors.buffer) };
}

export async function benchmarkHush({ rounds }) {
  const rows = [];
  for (const name of ['shape of ML-1M', '10 million ratings']) {
    const ratings = sets[name]();
    const one = await timed('hush', ratings, 1, rounds);
    const two = await timed('hush', ratings, 2, rounds);
    if (!one.bytes.equals(two.bytes)) throw new Error('Two threads gave another model than one.');
    rows.push({
      data: name,
      'one thread, CPU s': one.processor,
      'two threads, CPU s': two.processor,
      'one thread, longest path s': one.path,
      'two threads, longest path s': two.path,
      'times faster with two': one.path / two.path,
      'on the wall': one.wall / two.wall,
    });
  }
  printTable('hush, default settings at ε = 1, training alone', rows);
  return rows;
}

/** Methods that add up a matrix of all pairs of items, which grows fastest with the catalogue. */
const ofWholeRows = ['dp-svd', 'dp-fw'];

/** `only`: the data sets whose name contains it. */
export async function benchmarkPeopleMethods({ only = '' } = {}) {
  const rows = [];
  const others = methods.filter((method) => method.needs === 'people' && method.id !== 'hush');
  for (const [data, ids] of [
    ['shape of ML-1M', others.map(({ id }) => id)],
    ['10,000 items', ofWholeRows],
  ]) {
    if (!data.includes(only)) continue;
    const ratings = sets[data]();
    for (const method of ids) {
      const { processor } = await timed(method, ratings, 1, 1);
      rows.push({ data, method, 'one thread, CPU s': processor });
    }
  }
  const { maxRSS } = process.resourceUsage();
  printTable(
    `Other methods for people, default settings at ε = 1; ${Math.round(maxRSS / 1024)} MB of memory at most`,
    rows,
  );
  return rows;
}
