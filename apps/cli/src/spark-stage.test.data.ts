import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BlockManifest,
  parquetFiles,
  prepareBlocks,
  readSparkAddress,
  SparkConnection,
  SparkPeople,
} from '@hushrec/cluster';
import { implicitScale } from '@hushrec/ratings';
import { expect } from 'vitest';
import { SparkCluster } from '../../../packages/cluster/src/spark-cluster.test.data.js';
import { itemIds, rowsWithout, scale } from './spark-ratings.test.data.js';

export const token = 'the-right-token';

/** A cluster with the ratings on its storage, and ways to disturb it. */
export class SparkStage {
  readonly folder: string;
  readonly cluster: SparkCluster;
  #connection: SparkConnection | undefined;
  /** Blocks on the storage by what they hold. */
  readonly stored = new Map<string, { readonly blocks: string; readonly manifest: BlockManifest }>();

  constructor(home: string) {
    this.folder = mkdtempSync(join(tmpdir(), 'hushrec-spark-'));
    mkdirSync(join(this.folder, 'cluster'));
    const { folder } = this;
    const script = `#!/bin/sh\nif [ -e ${folder}/slow ]; then sleep 4; fi\ncase "$PWD" in */work-0/*) if [ -e ${folder}/straggler ]; then sleep 300; fi;; esac\nexec "${process.execPath}" "$@"\n`;
    writeFileSync(join(folder, 'node'), script, { mode: 0o755 });
    this.cluster = new SparkCluster(join(folder, 'cluster'), home, {
      token,
      quick: true,
      conf: {
        'spark.speculation': 'true',
        'spark.speculation.minTaskRuntime': '8s',
        'spark.speculation.quantile': '0.4',
      },
    });
  }

  async start(): Promise<void> {
    await this.cluster.start();
    this.#connection = await this.open();
    const everyone = await this.source('everyone', rowsWithout());
    await this.prepare('ratings', everyone, 3);
    await this.prepare('choices', everyone, 1, true);
    await this.prepare('without one', await this.source('fewer', rowsWithout('p11')), 8);
  }

  async stop(): Promise<void> {
    await this.#connection?.close();
    await this.cluster.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get connection(): SparkConnection {
    return this.#connection!;
  }

  /** Another session. */
  open(): Promise<SparkConnection> {
    return SparkConnection.open({
      address: readSparkAddress(`sc://127.0.0.1:${this.cluster.port}`, token),
      node: join(this.folder, 'node'),
    });
  }

  /** Has Spark write a source of Parquet files. */
  async source(
    name: string,
    rows: string,
    [user, item, rating]: readonly string[] = ['person', 'thing', 'stars'],
  ): Promise<string> {
    const [text, parquet] = [join(this.folder, `${name}.csv`), join(this.folder, name)];
    writeFileSync(text, rows);
    const columns = `_c0 AS ${user}, _c1 AS ${item}, double(_c2) AS ${rating}`;
    await this.connection.attempt((session) =>
      session.run(
        `INSERT OVERWRITE DIRECTORY '${parquet}' USING parquet SELECT ${columns} FROM csv.\`${text}\``,
        { name: 'writing a source' },
      ),
    );
    rmSync(text);
    return parquet;
  }

  async prepare(name: string, from: string, shares: number, choices = false): Promise<void> {
    const blocks = join(this.folder, `blocks-${name}`);
    const { manifest } = await prepareBlocks(this.connection, {
      source: parquetFiles(from),
      columns: { user: 'person', item: 'thing', ...(!choices && { rating: 'stars' }) },
      scale: choices ? implicitScale : scale,
      itemIds,
      blocks,
      shares,
      entriesPerBlock: 500,
    });
    this.stored.set(name, { blocks, manifest });
  }

  people(name: string, connection = this.connection): SparkPeople {
    return new SparkPeople({ connection, ...this.stored.get(name)! });
  }

  /** Sums as small as these are added where they are asked for, unless reducers are told to. */
  peopleWithReducers(name: string): SparkPeople {
    return new SparkPeople({
      connection: this.connection,
      ...this.stored.get(name)!,
      mostNumbersHere: 0,
    });
  }

  /** Workers wait before they begin: a window in which something can be killed. */
  slow(): void {
    writeFileSync(join(this.folder, 'slow'), '');
  }

  fast(): void {
    rmSync(join(this.folder, 'slow'), { force: true });
  }

  async killOne(what: string): Promise<void> {
    this.slow();
    const found = (name: string) => expect.poll(() => this.cluster.processes(name).length).toBeGreaterThan(0);
    await found(what);
    await found('hushrec-worker');
    process.kill(this.cluster.processes(what)[0], 'SIGKILL');
    this.fast();
  }

  async noWorkers(): Promise<void> {
    await expect.poll(() => this.cluster.processes('hushrec-worker')).toEqual([]);
  }
}
