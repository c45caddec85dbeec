import { createEngine, randomFactors, transpose, zeroFactors } from '@hushrec/numerics';
import { byTurns, printTable } from './measure.mjs';
import { syntheticRatings, uniform } from './synthetic-ratings.mjs';

/** How much of a second core this machine has to give just now: two spinning threads against one. */
async function idleSpeedUp() {
  const { Worker } = await import('node:worker_threads');
  const spin = () =>
    new Promise((resolve) => {
      const source = `let x = 0; for (let k = 0; k < 4e8; k++) x = (x * 3 + k) | 0; require('node:worker_threads').parentPort.postMessage(x)`;
      const worker = new Worker(source, { eval: true });
      worker.once('message', () => resolve());
    });
  const best = await byTurns({ one: spin, two: () => Promise.all([spin(), spin()]).then(() => {}) }, 3, () =>
    performance.now(),
  );
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
    for (let begin = 0; begin < 10_000; begin += 1000)
      await engine.itemStatistics({
        byItem,
        users: people,
        ...grid,
        matrices: true,
        begin,
        end: begin + 1000,
      });
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
  await one.close();
  await two.close();
  const idle = await idleSpeedUp();
  const result = {
    ...best,
    userSpeedUp: best.userOne / best.userTwo,
    itemSpeedUp: best.itemOne / best.itemTwo,
    idle,
  };
  printTable(
    `Two threads against one, d = ${d}, 2 million ratings; milliseconds on the wall, least of ${rounds} rounds`,
    [
      {
        step: 'user',
        'one thread': best.userOne,
        'two threads': best.userTwo,
        'speed-up': result.userSpeedUp,
      },
      {
        step: 'item',
        'one thread': best.itemOne,
        'two threads': best.itemTwo,
        'speed-up': result.itemSpeedUp,
      },
      { step: 'empty loop (what the machine can give)', 'speed-up': idle },
    ],
  );
  return result;
}
