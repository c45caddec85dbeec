// Tables that keep old versions, on a real Spark with their own readers: nobody who was removed is read.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterPlace, fetchPeople, readSparkAddress, SparkConnection } from '@hushrec/cluster';
import { readManifest } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SparkCluster, sparkWithTables } from '../../../packages/cluster/src/spark-cluster.test.data.js';
import { hushrec, started } from './started-command.test.data.js';

const spark = sparkWithTables();
const reason = 'missing' in spark ? ` (skipped: ${spark.missing})` : '';
let folder: string;
let cluster: SparkCluster;
let connection: SparkConnection;

const run = (...statements: readonly string[]) =>
  connection.attempt(async (session) => {
    for (const statement of statements) await session.run(statement, { name: 'making a table' });
  });

const how = () => [
  ...['--engine', `sc://127.0.0.1:${cluster.port}`, '--trust-network'],
  ...['--storage', join(folder, 'storage'), '--scale', '1:5:1'],
];

/** Runs the command line in a process of its own. */
const command = (...args: readonly string[]) =>
  started(process.execPath, [hushrec, ...args], folder, { HUSHREC_LEDGER: join(folder, 'ledger.sqlite') });

/** Imports a source by command; what its folder says, and who of these people is in the blocks. */
async function imported(source: string, name: string, asked: readonly string[]) {
  const directory = join(folder, name);
  const flags = ['--account', 'shop', '--new-ledger', '--overwrite', '--json'];
  const result = await command('import', source, directory, ...how(), ...flags);
  expect(result.code, result.errors).toBe(0);
  const manifest = await readManifest(directory);
  const place = clusterPlace(manifest)!;
  const { ids } = await fetchPeople(connection, place, asked);
  return {
    ...(JSON.parse(result.text) as { people: number; ratings: number; format: string }),
    place,
    ids,
    manifest,
  };
}

/** Sixty people with twelve ratings each. */
const ratings = `SELECT concat('u', id % 60) AS user, concat('i', ((id % 60) * 7 + (id div 60) * 3) % 40) AS item,
  double(1 + id % 5) AS rating FROM range(0, 720, 1, 2)`;
const erased = ['u7', 'u8'];

describe.skipIf('missing' in spark)(`tables on Spark${reason}`, { timeout: 600_000 }, () => {
  beforeAll(async () => {
    if ('missing' in spark) return;
    folder = mkdtempSync(join(tmpdir(), 'hushrec-tables-'));
    mkdirSync(join(folder, 'cluster'));
    cluster = new SparkCluster(join(folder, 'cluster'), spark.home, {
      inOneProcess: true,
      quick: true,
      conf: {
        // A log of a few lines needs no fifty tasks.
        'spark.databricks.delta.snapshotPartitions': '1',
        'spark.sql.shuffle.partitions': '2',
        'spark.sql.extensions':
          'io.delta.sql.DeltaSparkSessionExtension,org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions',
        'spark.sql.catalog.spark_catalog': 'org.apache.spark.sql.delta.catalog.DeltaCatalog',
        'spark.sql.catalog.ice': 'org.apache.iceberg.spark.SparkCatalog',
        'spark.sql.catalog.ice.type': 'hadoop',
        'spark.sql.catalog.ice.warehouse': join(folder, 'ice'),
      },
    });
    await cluster.start();
    const address = readSparkAddress(`sc://127.0.0.1:${cluster.port}`);
    connection = await SparkConnection.open({ address, trustNetwork: true });
    await run(
      `CREATE TABLE ratings USING delta LOCATION '${join(folder, 'delta')}' TBLPROPERTIES ('delta.enableDeletionVectors' = 'true') AS ${ratings}`,
      "DELETE FROM ratings WHERE user = 'u7'",
      "DELETE FROM ratings WHERE user = 'u8'",
      `CREATE TABLE ice.db.ratings USING iceberg TBLPROPERTIES ('format-version' = '2', 'write.delete.mode' = 'merge-on-read') AS ${ratings}`,
      "DELETE FROM ice.db.ratings WHERE user = 'u7'",
      "CALL ice.system.rewrite_data_files(table => 'db.ratings', options => map('rewrite-all', 'true'))",
      "DELETE FROM ice.db.ratings WHERE user = 'u8'",
    );
  }, 600_000);

  afterAll(async () => {
    await connection?.close();
    await cluster?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['a table of Delta by its name', 'table:spark_catalog.default.ratings', 'table'],
    ['a table of Delta by its folder', 'delta:', 'delta'],
  ])('%s is read without those who were removed', async (_, given, format) => {
    const source = given === 'delta:' ? `delta:${join(folder, 'delta')}` : given;
    const read = await imported(source, `of-${format}`, [...erased, 'u9']);
    expect(read).toMatchObject({ people: 58, ratings: 696, format, ids: ['u9'] });
    // Made, and twice deleted from.
    expect(read.place.version).toBe('Delta version 2');
  });

  it('a table of Iceberg is read at its snapshot, without those who were removed', async () => {
    const [[snapshot]] = await connection.rows(
      "SELECT string(snapshot_id) AS id FROM ice.db.ratings.refs WHERE name = 'main'",
      { name: 'test' },
    );
    const read = await imported('table:ice.db.ratings', 'of-iceberg', [...erased, 'u9']);
    expect(read).toMatchObject({ people: 58, ratings: 696, ids: ['u9'] });
    expect(read.place.version).toBe(`Iceberg snapshot ${snapshot}`);
  });

  it('a scale is refused where there is no rating to be on it, and nothing is prepared', async () => {
    const to = join(folder, 'no-rating');
    const source = 'table:spark_catalog.default.ratings';
    const refused = await command('import', source, to, ...how(), '--columns', 'user,item,-', '--new-ledger');
    expect(refused.code).toBe(2);
    expect(refused.errors).toContain('There is no column with ratings');
    expect(readdirSync(folder)).not.toContain('no-rating');
  });

  it('their files hold those who were removed, and are refused as plain Parquet', async () => {
    const [[inFiles]] = await connection.rows(
      `SELECT string(count(DISTINCT user)) AS people FROM parquet.\`${join(folder, 'delta')}/*.parquet\``,
      { name: 'test' },
    );
    expect(inFiles).toBe('60');
    const [file] = readdirSync(join(folder, 'delta')).filter((name) => name.endsWith('.parquet'));
    for (const [path, words] of [
      [join(folder, 'delta'), 'erased'],
      [join(folder, 'delta', file), 'erased'],
      [join(folder, 'ice', 'db', 'ratings'), 'erased'],
      [join(folder, 'ice', 'db', 'ratings', 'data'), 'erased'],
      [`table:parquet.\`${join(folder, 'delta')}\``, 'TABLE_OR_VIEW_NOT_FOUND'],
    ]) {
      const refused = await command('import', path, join(folder, 'refused'), ...how(), '--new-ledger');
      expect(refused.code, path).not.toBe(0);
      expect(refused.errors).toContain(words);
      if (!path.startsWith('table:')) {
        const here = await command(
          'import',
          path,
          join(folder, 'refused'),
          '--scale',
          '1:5:1',
          '--new-ledger',
        );
        expect(here.code, path).toBe(3);
        expect(here.errors).toContain('erased');
      }
    }
  });

  it('a model is trained by a table’s name, again after another delete, and says nothing of versions', async () => {
    const out = join(folder, 'model');
    const train = () =>
      command(
        ...['train', 'table:ratings', ...how(), '--new-ledger', '--account', 'shop', '--seed', '1'],
        ...['--epsilon', '1', '--set', 'vectors=false', '--out', out, '--overwrite'],
      );
    const first = await train();
    expect(first.code, first.errors).toBe(0);
    expect(first.errors).toContain('in ratings.hushrec: 696 ratings of 58 people in');
    expect(first.errors).toContain('from Delta version 2');
    await run("DELETE FROM ratings WHERE user = 'u9'");
    const second = await train();
    expect(second.code, second.errors).toBe(0);
    expect(second.errors).toContain('table:ratings changed since it was prepared');
    expect(second.errors).toContain('684 ratings of 57 people');
    const third = await train();
    expect(third.errors).toContain('from Delta version 3, prepared before and unchanged');
    for (const name of readdirSync(out)) {
      const content = readFileSync(join(out, name), 'latin1');
      expect(content).not.toContain('Delta version');
      expect(content).not.toContain('spark_catalog');
    }
  });

  it('a view is read, as whoever made it means it', async () => {
    await run("CREATE VIEW most AS SELECT * FROM ice.db.ratings WHERE user <> 'u10'");
    const { people, place } = await imported('table:most', 'of-view', ['u10']);
    expect(people).toBe(57);
    expect(place.version).toBeUndefined();
  });
});
