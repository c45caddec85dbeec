import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BlockManifest,
  prepareBlocks,
  readSparkAddress,
  SparkConnection,
  SparkPeople,
} from '@hushrec/cluster';
import { methodById, planRun, type ReleasedPart } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import { peopleCoins, RunSecret } from '@hushrec/privacy';
import { generateCatalogue, implicitScale, type RatingMatrix, SeededRandom } from '@hushrec/ratings';
import { LocalPeople, type People } from '@hushrec/statistics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SparkCluster, sparkHome } from '../../../packages/cluster/src/spark-cluster.test.data.js';
import { watchReleases } from '../../../packages/factorize/src/watch-releases.js';

const spark = sparkHome();
const reason = 'missing' in spark ? ` (skipped: ${spark.missing})` : '';

/** Grades in sixteenths, so that a rating can be told from every other number. */
const scale = { min: 0, max: 5, step: 0.0625 };
const canaryRating = 2.8125;
const canary = 'canary-7f3a91';
const catalogue = generateCatalogue({ users: 300, items: 40, ratings: 5000, seed: 2 });
const personIds = Array.from({ length: 300 }, (_, person) => (person === 7 ? canary : `p${person}`));
const { byUser } = catalogue.ratings;
const ofCanary = (at: number) => at >= byUser.offsets[7] && at < byUser.offsets[8];
const explicit: RatingMatrix = {
  ...catalogue.ratings,
  scale,
  byUser: { ...byUser, values: byUser.values.map((value, at) => (ofCanary(at) ? canaryRating : value)) },
};
const implicit: RatingMatrix = {
  ...explicit,
  scale: implicitScale,
  byUser: { ...byUser, values: byUser.values.map(() => 1) },
};
const itemIds = Array.from({ length: explicit.itemCount }, (_, item) => `item\t${item}`);

const token = 'the-right-token';
let folder: string;
let cluster: SparkCluster;
let connection: SparkConnection;
let engine: Engine;
/** Blocks on the storage by what they hold. */
const stored = new Map<string, { readonly blocks: string; readonly manifest: BlockManifest }>();

const open = () =>
  SparkConnection.open({
    address: readSparkAddress(`sc://127.0.0.1:${cluster.port}`, token),
    node: join(folder, 'node'),
  });

/** Rows of the data as text, everyone but those left out. */
function rowsWithout(leftOut?: string): string {
  const lines: string[] = [];
  personIds.forEach((id, user) => {
    if (id === leftOut) return;
    for (let at = explicit.byUser.offsets[user]; at < explicit.byUser.offsets[user + 1]; at++)
      lines.push(`${id},"${itemIds[explicit.byUser.indices[at]]}",${explicit.byUser.values[at]}`);
  });
  return `${lines.join('\n')}\n`;
}

/** Has Spark write a source of Parquet files. */
async function source(name: string, rows: string): Promise<string> {
  const [text, parquet] = [join(folder, `${name}.csv`), join(folder, name)];
  writeFileSync(text, rows);
  const columns = '_c0 AS person, _c1 AS thing, double(_c2) AS stars';
  await connection.attempt((session) =>
    session.run(
      `INSERT OVERWRITE DIRECTORY '${parquet}' USING parquet SELECT ${columns} FROM csv.\`${text}\``,
      { name: 'writing a source' },
    ),
  );
  rmSync(text);
  return parquet;
}

async function prepare(name: string, from: string, shares: number, choices = false): Promise<void> {
  const blocks = join(folder, `blocks-${name}`);
  const { manifest } = await prepareBlocks(connection, {
    source: from,
    columns: { user: 'person', item: 'thing', ...(!choices && { rating: 'stars' }) },
    scale: choices ? implicitScale : scale,
    itemIds,
    blocks,
    shares,
    entriesPerBlock: 500,
  });
  stored.set(name, { blocks, manifest });
}

const onSpark = (name: string, over = connection) =>
  new SparkPeople({ connection: over, ...stored.get(name)! });
const here = (ratings: RatingMatrix) => new LocalPeople(ratings, engine, { ids: personIds });

/** Everything that a run on these people asks the recorder for, with its noise, and its model. */
async function run(
  id: string,
  settings: Readonly<Record<string, unknown>>,
  people: People,
  signal?: AbortSignal,
) {
  const method = methodById(id);
  const { itemCount } = people;
  const { features } = catalogue;
  const target = { epsilon: 8, delta: 1e-6, seed: 5 };
  const plan = planRun({ method, settings, itemCount, scale: people.scale, features, ...target });
  const random = new SeededRandom(5);
  const parts: ReleasedPart[] = [];
  const recorder = watchReleases(plan.recorder, (part) => parts.push(structuredClone(part)));
  const { line } = peopleCoins(new RunSecret({ seed: 5 }));
  const { model } = await method.train({
    ...{ features, settings: plan.settings, engine, recorder, people, coins: { line } },
    random: () => random.uniform(),
    ...(signal && { signal }),
  });
  return { parts, model, record: recorder.finish() };
}

/** The same people, with something done before and during the n-th sum. */
function disturbed(people: People, during: Readonly<Record<number, () => Promise<void>>>): People {
  let sums = 0;
  return {
    itemCount: people.itemCount,
    scale: people.scale,
    async sum(...asked) {
      const disturbance = during[++sums]?.();
      const found = await people.sum(...asked);
      await disturbance;
      return found;
    },
  };
}

/** Workers wait before they begin while this file is there: a window in which something can be killed. */
const slow = () => writeFileSync(join(folder, 'slow'), '');
const fast = () => rmSync(join(folder, 'slow'), { force: true });

async function killOne(what: string): Promise<void> {
  slow();
  await expect.poll(() => cluster.processes(what).length, { timeout: 30_000 }).toBeGreaterThan(0);
  await expect.poll(() => cluster.processes('hushrec-worker').length, { timeout: 30_000 }).toBeGreaterThan(0);
  process.kill(cluster.processes(what)[0], 'SIGKILL');
  fast();
}

const noWorkers = () =>
  expect.poll(() => cluster.processes('hushrec-worker'), { timeout: 60_000 }).toEqual([]);

describe.skipIf('missing' in spark)(`people on a Spark cluster${reason}`, { timeout: 300_000 }, () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hushrec-spark-'));
    mkdirSync(join(folder, 'cluster'));
    const script = `#!/bin/sh\nif [ -e ${folder}/slow ]; then sleep 4; fi\ncase "$PWD" in */work-0/*) if [ -e ${folder}/straggler ]; then sleep 100; fi;; esac\nexec "${process.execPath}" "$@"\n`;
    writeFileSync(join(folder, 'node'), script, { mode: 0o755 });
    if ('missing' in spark) return;
    cluster = new SparkCluster(join(folder, 'cluster'), spark.home, {
      token,
      conf: {
        'spark.speculation': 'true',
        'spark.speculation.minTaskRuntime': '8s',
        'spark.speculation.quantile': '0.4',
      },
    });
    await cluster.start();
    engine = await createEngine({ threads: 1, kernel: 'simd' });
    connection = await open();
    const everyone = await source('everyone', rowsWithout());
    await prepare('ratings', everyone, 3);
    await prepare('choices', everyone, 1, true);
    await prepare('without one', await source('fewer', rowsWithout('p11')), 8);
  }, 240_000);

  afterAll(async () => {
    await connection?.close();
    await engine?.close();
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const cases: readonly (readonly [string, Readonly<Record<string, unknown>>, 'ratings' | 'choices'])[] = [
    ['hush', { rank: 3, rounds: 2 }, 'ratings'],
    ['hush', { rank: 3, rounds: 2 }, 'choices'],
    ['dpals', { contribution: 'uniform', contributionLimit: 5, counts: 'sampled' }, 'ratings'],
    ['dp-cmf', {}, 'ratings'],
    ['am-ssp', { samplingRate: 0.5 }, 'ratings'],
    ['am-dpsgd', { rounds: 2, samplingRate: 0.5 }, 'ratings'],
  ];
  it.each(cases)('%s %o of %s: the same requests, releases and model as here', async (id, settings, of) => {
    const expected = await run(id, settings, here(of === 'ratings' ? explicit : implicit));
    expect(expected.parts.length).toBeGreaterThan(2);
    expect(await run(id, settings, onSpark(of))).toEqual(expected);
  });

  it('differs where one person is left out', async () => {
    const settings = { rank: 3, rounds: 1 };
    const expected = await run('hush', settings, here(explicit));
    expect(await run('hush', settings, onSpark('without one'))).not.toEqual(expected);
  });

  it('is the same after an executor, a worker and a machine were killed, and a slow copy was overtaken', async () => {
    const settings = { rank: 3, rounds: 2 };
    const expected = await run('hush', settings, here(explicit));
    const people = disturbed(onSpark('ratings'), {
      1: () => killOne('CoarseGrainedExecutorBackend'),
      3: () => killOne('hushrec-worker'),
      5: async () => {
        slow();
        await sleep(1000);
        await cluster.kill('worker-1');
        fast();
        cluster.startWorker(1);
      },
    });
    expect(await run('hush', settings, people)).toEqual(expected);
    await noWorkers();
  });
});
