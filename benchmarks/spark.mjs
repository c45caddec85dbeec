// What Apache Spark costs beside one process: `hush` on generated ratings, on a real cluster of two workers
// with a core each on this machine (see packages/cluster). Processor time of Node workers, executor JVMs and
// the Connect server for every statistic, bytes shuffled, wall time. Needs Java and a Python with pyspark in
// HUSHREC_PYTHON. `--ratings 10000000,50000000` says how many.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  prepareBlocks,
  readSparkAddress,
  SparkConnection,
  SparkPeople,
} from '../packages/cluster/dist/index.js';
import { SparkCluster, sparkHome } from '../packages/cluster/dist/spark-cluster.test.data.js';
import { mapStatement } from '../packages/cluster/dist/statements.js';
import { questionFile } from '../packages/cluster/dist/worker/question-file.js';
import { executeRun, planRun } from '../packages/factorize/dist/index.js';
import { createEngine } from '../packages/numerics/dist/index.js';
import { peopleCoins, RunSecret } from '../packages/privacy/dist/index.js';
import { LocalPeople, peopleCount } from '../packages/statistics/dist/index.js';
import { printTable, processorTime } from './measure.mjs';
import { syntheticRatings } from './synthetic-ratings.mjs';

const scale = { min: 0.5, max: 5, step: 0.5 };
const rank = 32;
const rounds = 2;

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
    const { workers, executors, server, wall } = await measured(cluster, () => people.sum(peopleCount, null));
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

/** Ratings on the storage, prepared. */
async function onStorage(cluster, place, byUser) {
  const source = `${place}-source`;
  const blocks = `${place}-blocks`;
  await writeSource(source, byUser);
  const connection = await SparkConnection.open({
    address: readSparkAddress(`sc://127.0.0.1:${cluster.port}`),
  });
  const itemIds = Array.from({ length: byUser.columnCount }, (_, item) => String(item));
  const columns = { user: 'user', item: 'item', rating: 'rating' };
  const prepared = await measured(cluster, () =>
    prepareBlocks(connection, { source, columns, scale, itemIds, blocks }),
  );
  rmSync(source, { recursive: true });
  const { manifest } = prepared.value;
  return {
    connection,
    prepared,
    blocks,
    manifest,
    people: new SparkPeople({ connection, blocks, manifest }),
  };
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
  const onSpark = await trained(people, engine, (work) => measured(cluster, work));
  const here = await trained(
    new LocalPeople({ itemCount: items, scale, byUser }, engine),
    engine,
    async (work) => {
      const [before, started] = [processorTime(), performance.now()];
      const value = await work();
      return {
        value,
        workers: processorTime() - before,
        executors: 0,
        server: 0,
        wall: performance.now() - started,
      };
    },
  );
  await engine.close();
  if (Buffer.compare(onSpark.model, here.model) !== 0) throw new Error('The models differ.');
  const shuffled = await shuffledBytes(connection, blocks, manifest, onSpark.question);
  await connection.close();
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
        : (1000 * (workers + executors + server - alone.workers)) / calls / total,
  });
  const rows = [
    row('prepare, once', 1, prepared),
    ...[...onSpark.sums].map(([name, sum]) => row(name, sum.calls, sum, here.sums.get(name))),
    row('all sums', 1, summed(onSpark.sums), summed(here.sums)),
  ];
  printTable('hush on Spark (two workers of one core) and in one process', rows);
  console.log(
    `Blocks: ${(bytesIn(blocks) / total).toFixed(2)} bytes a rating. Shuffled in a round: ${(shuffled / 1e6).toFixed(2)} MB. The models are the same to the byte.`,
  );
  const aRound = rows.find(({ statistic }) => statistic === 'taste')['µs a rating above it'];
  return { ratings: total, users, items, rank, rounds, rows, aRound, shuffled, blockBytes: bytesIn(blocks) };
}

/** Columns of integers in files of a million rows. */
async function writeSource(folder, { rowCount, offsets, indices, values }) {
  const require = createRequire(new URL('../packages/ratings/package.json', import.meta.url));
  const { parquetWriteBuffer } = await import(pathToFileURL(require.resolve('hyparquet-writer')).href);
  mkdirSync(folder);
  const people = new Int32Array(indices.length);
  for (let user = 0; user < rowCount; user++) people.fill(user, offsets[user], offsets[user + 1]);
  const rows = 1_000_000;
  for (let begin = 0; begin < indices.length; begin += rows) {
    const column = (name, data, type) => ({
      name,
      data: Array.from(data.subarray(begin, begin + rows)),
      type,
    });
    const columnData = [
      column('user', people, 'INT32'),
      column('item', indices, 'INT32'),
      column('rating', values, 'FLOAT'),
    ];
    writeFileSync(join(folder, `${begin / rows}.parquet`), Buffer.from(parquetWriteBuffer({ columnData })));
  }
}

/** Trains, and adds up what every statistic cost. */
async function trained(people, engine, measure) {
  const sums = new Map();
  let question;
  const watched = {
    itemCount: people.itemCount,
    scale: people.scale,
    async sum(statistic, published, ...rest) {
      if (statistic.id === 'taste') question = published;
      const { value, ...cost } = await measure(() => people.sum(statistic, published, ...rest));
      const before = sums.get(statistic.id) ?? { calls: 0, workers: 0, executors: 0, server: 0, wall: 0 };
      sums.set(statistic.id, { ...added(before, cost), calls: before.calls + 1 });
      return value;
    },
  };
  const secret = new RunSecret({ seed: 1 });
  const run = planRun({
    method: 'hush',
    settings: { rank, rounds },
    itemCount: people.itemCount,
    scale: people.scale,
    epsilon: 8,
    delta: 1e-6,
    seed: 1,
  });
  const { model } = await executeRun(run, {
    people: watched,
    features: [],
    engine,
    recorder: run.recorder,
    publicSeed: 1,
    coins: peopleCoins(secret),
  });
  return {
    sums,
    question,
    model: Buffer.from(model.itemFactors.buffer, model.itemFactors.byteOffset, model.itemFactors.byteLength),
  };
}

const kinds = ['workers', 'executors', 'server', 'wall'];
const added = (a, b) => Object.fromEntries(kinds.map((kind) => [kind, a[kind] + b[kind]]));
const summed = (sums) => [...sums.values()].reduce(added);

/**
 * Processor time, in milliseconds, of the cluster's processes while something is done. Node workers are
 * children of executors, which have waited for them.
 */
async function measured(cluster, work) {
  const [before, started] = [clusterTime(cluster), performance.now()];
  const value = await work();
  const wall = performance.now() - started;
  const after = clusterTime(cluster);
  const { workers, executors, server } = Object.fromEntries(
    Object.keys(after).map((kind) => [kind, after[kind] - before[kind]]),
  );
  return { value, workers, executors, server, wall };
}

function clusterTime(cluster) {
  const times = { workers: 0, executors: 0, server: 0 };
  for (const id of cluster.processes('CoarseGrainedExecutorBackend')) {
    const { own, children } = processTime(id);
    times.executors += own;
    times.workers += children;
  }
  for (const id of cluster.processes('SparkConnectServer')) times.server += processTime(id).own;
  return times;
}

/** From /proc, where time is in hundredths of a second. */
function processTime(id) {
  const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return {
    own: 10 * (Number(fields[11]) + Number(fields[12])),
    children: 10 * (Number(fields[13]) + Number(fields[14])),
  };
}

/** Bytes that the map tasks of a round send to reducers. */
async function shuffledBytes(connection, blocks, manifest, published) {
  const { itemCount } = manifest;
  const { name, bytes } = questionFile({
    statistic: 'taste',
    published,
    itemCount,
    scale,
    blocks: manifest.blocks.join(''),
  });
  const mapped = mapStatement({
    blocks,
    program: connection.program,
    question: name,
    tasks: connection.cores,
  });
  const [[sum]] = await connection.attempt(async (session) => {
    await session.addFile(name, bytes);
    return session.rows(
      `SELECT string(sum(length(key) + length(covered) + length(data))) AS bytes FROM (${mapped})`,
      { name: 'bytes' },
    );
  });
  return Number(sum);
}

function bytesIn(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
