import { readFileSync } from 'node:fs';
import { createEngine, randomFactors, transpose, zeroFactors } from '@hushrec/numerics';
import { itemBlocks } from '../papers/dist/shared/statistics/item-sum-bounds.js';
import { byTurns, printTable, processorTime } from './measure.mjs';
import { syntheticRatings, uniform } from './synthetic-ratings.mjs';

/** Processor time of the main thread alone, in milliseconds; undefined where the host does not say. */
function mainThreadTime() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return undefined;
  }
}

/**
 * Processor time of a job in one thread over what two idle cores would need for it: the main thread's part,
 * which nothing overlaps, and half of the threads' part. What a busy machine hides from the clock on the
 * wall.
 */
async function idleEstimate(one, two, job, rounds) {
  let least = Infinity;
  let parallel = Infinity;
  for (let round = 0; round <= rounds; round++) {
    let before = processorTime();
    await job(one);
    least = Math.min(least, processorTime() - before);
    before = processorTime();
    const main = mainThreadTime();
    if (main === undefined) return undefined;
    await job(two);
    const serial = mainThreadTime() - main;
    parallel = Math.min(parallel, serial + (processorTime() - before - serial) / 2);
  }
  return least / parallel;
}

/** How much two spinning threads get done against one: what the machine has to give just now. */
async function spinSpeedUp() {
  const { Worker } = await import('node:worker_threads');
  const source = `let x = 0; for (let k = 0; k < 4e8; k++) x = (x * 3 + k) | 0; require('node:worker_threads').parentPort.postMessage(x)`;
  const spin = () =>
    new Promise((resolve) => {
      new Worker(source, { eval: true }).once('message', () => resolve());
    });
  const both = async () => {
    await Promise.all([spin(), spin()]);
  };
  const best = await byTurns({ one: spin, two: both }, 2, () => performance.now());
  return (2 * best.one) / best.two;
}

/** One thread against two on the user step and the item step, by the clock on the wall. */
export async function benchmarkThreads({ rounds }) {
  const d = 64;
  const rows = syntheticRatings({ users: 14_000, items: 10_000, ratings: 2_000_000, seed: 4 });
  const byItem = transpose(rows);
  const fixed = randomFactors(10_000, d, 1 / Math.sqrt(d), uniform(1));
  const people = randomFactors(14_000, d, 0.5 / Math.sqrt(d), uniform(2));
  const out = zeroFactors(14_000, d);
  const one = await createEngine({ kernel: 'simd', threads: 1 });
  const two = await createEngine({ kernel: 'simd', threads: 2 });
  const grid = { vectorBound: 2, targetBound: 5, vectorBits: 15, targetBits: 15 };
  const userStep = (engine) => engine.solveRows({ rows, fixed, ridge: 0.1, out });
  const itemStep = async (engine) => {
    // As training does: in blocks of its size, the memory of one block of sums serving the next.
    let into;
    for (const { begin, end } of itemBlocks(10_000, d)) {
      const job = { byItem, users: people, ...grid, matrices: true, begin, end };
      into = await engine.itemStatistics({ ...job, ...(into && { into }) });
    }
  };
  const best = await byTurns(
    {
      userOne: () => userStep(one),
      userTwo: () => userStep(two),
      itemOne: () => itemStep(one),
      itemTwo: () => itemStep(two),
    },
    rounds,
    () => performance.now(),
  );
  const userIdle = await idleEstimate(one, two, userStep, rounds);
  const itemIdle = await idleEstimate(one, two, itemStep, rounds);
  await one.close();
  await two.close();
  const spin = await spinSpeedUp();
  const result = {
    ...best,
    userSpeedUp: best.userOne / best.userTwo,
    itemSpeedUp: best.itemOne / best.itemTwo,
    userIdle,
    itemIdle,
    spin,
  };
  printTable(
    `Two threads against one, d = ${d}, 2 million ratings; milliseconds on the wall, least of ${rounds} rounds`,
    [
      {
        step: 'user',
        'one thread': best.userOne,
        'two threads': best.userTwo,
        'speed-up': result.userSpeedUp,
        'speed-up on idle cores, from processor time': userIdle,
      },
      {
        step: 'item',
        'one thread': best.itemOne,
        'two threads': best.itemTwo,
        'speed-up': result.itemSpeedUp,
        'speed-up on idle cores, from processor time': itemIdle,
      },
      { step: 'empty loop (what the machine has to give)', 'speed-up': spin },
    ],
  );
  return result;
}
