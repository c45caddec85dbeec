// What Apache Spark costs beside one process: `hush` on generated ratings, on a real cluster of two workers
// with a core each on this machine (see packages/cluster). Processor time of Node workers, executor JVMs and
// the Connect server for every statistic, bytes shuffled, wall time. Needs Java and a Python with pyspark in
// HUSHREC_PYTHON. `--ratings 10000000,50000000` says how many.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SparkCluster, sparkHome } from '../packages/cluster/dist/spark-cluster.test.data.js';
import { createEngine } from '../packages/numerics/dist/index.js';
import { LocalPeople, peopleCount } from '../packages/statistics/dist/index.js';
import { printTable } from './measure.mjs';
import { measuredHere, measuredOnCluster, summed } from './spark/cluster-cost.mjs';
import { bytesIn, onStorage, scale, shuffledBytes } from './spark/ratings-on-storage.mjs';
import { rank, rounds, trainMeasured } from './spark/train-measured.mjs';
import { syntheticRatings } from './synthetic-ratings.mjs';

export async function benchmarkSpark({ ratings: sizes }) {
  const spark = sparkHome();
  if ('missing' in spark) throw new Error(`No cluster can be started: ${spark.missing}.`);
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-bench-spark-'));
  mkdirSync(join(folder, 'cluster'));
  const cluster = new SparkCluster(join(folder, 'cluster'), spark.home, {
    executorMemory: '1g',
    conf: { 'spark.network.timeout': '600s' },
  });
  try {
    await cluster.start();
    const results = [];
    for (const ratings of sizes) results.push(await benchmarkSize(cluster, folder, ratings));
    const fixed = await fixedPrice(cluster, folder);
    const rounds = results.map(({ aRound }) => aRound);
    console.log(
      `\nFixed price of a statement: ${fixed.cpu.toFixed(2)} s of processor time (${fixed.parts}; at most 1), ${fixed.wall.toFixed(2)} s on the wall. A round above one process: ${rounds.map((each) => each.toFixed(3)).join(', ')} µs a rating (at most 0.5).`,
    );
    if (fixed.cpu > 1 || rounds.some((each) => each > 0.5)) process.exitCode = 1;
    return { fixed, sizes: results };
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a sum over next to nobody costs, once everything is warm: the least of five. */
async function fixedPrice(cluster, folder) {
  const byUser = syntheticRatings({ users: 10, items: 50, ratings: 100 });
  const { connection, people } = await onStorage(cluster, join(folder, 'few'), byUser);
  let least = { cpu: Infinity };
  for (let round = 0; round < 5; round++) {
    const { workers, executors, server, wall } = await measuredOnCluster(cluster, () =>
      people.sum(peopleCount, null),
    );
    const cost = {
      cpu: (workers + executors + server) / 1000,
      wall: wall / 1000,
      parts: `workers ${workers / 1000}, executors ${executors / 1000}, server ${server / 1000}`,
    };
    if (cost.cpu < least.cpu) least = cost;
  }
  await connection.close();
  return least;
}

async function benchmarkSize(cluster, folder, ratings) {
  const users = Math.round(ratings / 145);
  const items = 10_000;
  const byUser = syntheticRatings({ users, items, ratings });
  const total = byUser.indices.length;
  console.log(
    `\n${total.toLocaleString('en')} ratings, ${users.toLocaleString('en')} people, ${items} items, rank ${rank}, ${rounds} rounds`,
  );
  const place = join(folder, String(ratings));
  const { connection, prepared, blocks, manifest, people } = await onStorage(cluster, place, byUser);
  const engine = await createEngine({ threads: 1, kernel: 'simd' });
  const onSpark = await trainMeasured(people, engine, (work) => measuredOnCluster(cluster, work));
  const alone = new LocalPeople({ itemCount: items, scale, byUser }, engine);
  const here = await trainMeasured(alone, engine, measuredHere);
  await engine.close();
  if (Buffer.compare(onSpark.model, here.model) !== 0) throw new Error('The models differ.');
  const shuffled = await shuffledBytes(connection, blocks, manifest, onSpark.question);
  await connection.close();
  const rows = costRows(prepared, onSpark.sums, here.sums, total);
  printTable('hush on Spark (two workers of one core) and in one process', rows);
  console.log(
    `Blocks: ${(bytesIn(blocks) / total).toFixed(2)} bytes a rating. Shuffled in a round: ${(shuffled / 1e6).toFixed(2)} MB. The models are the same to the byte.`,
  );
  const aRound = rows.find(({ statistic }) => statistic === 'taste')['µs a rating above it'];
  return { ratings: total, users, items, rank, rounds, rows, aRound, shuffled, blockBytes: bytesIn(blocks) };
}

/** A row for every statistic, beside what it costs in one process. */
function costRows(prepared, onSpark, here, ratings) {
  const seconds = (value) => value / 1000;
  const row = (name, calls, { workers, executors, server, wall }, alone) => ({
    statistic: name,
    times: calls,
    'workers, CPU s': seconds(workers),
    'executors, CPU s': seconds(executors),
    'server, CPU s': seconds(server),
    'wall, s': seconds(wall),
    'one process, CPU s': alone === undefined ? undefined : seconds(alone.workers),
    'µs a rating above it':
      alone === undefined
        ? undefined
        : (1000 * (workers + executors + server - alone.workers)) / calls / ratings,
  });
  return [
    row('prepare, once', 1, prepared),
    ...[...onSpark].map(([name, sum]) => row(name, sum.calls, sum, here.get(name))),
    row('all sums', 1, summed(onSpark), summed(here)),
  ];
}
