import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  parquetFiles,
  prepareBlocks,
  readSparkAddress,
  SparkConnection,
  SparkPeople,
} from '../../packages/cluster/dist/index.js';
import { mapStatement } from '../../packages/cluster/dist/statements.js';
import { questionFile } from '../../packages/cluster/dist/worker/question-file.js';
import { measuredOnCluster } from './cluster-cost.mjs';

export const scale = { min: 0.5, max: 5, step: 0.5 };

/** Ratings on the storage, prepared. */
export async function onStorage(cluster, place, byUser) {
  const source = `${place}-source`;
  const blocks = `${place}-blocks`;
  await writeSource(source, byUser);
  const connection = await SparkConnection.open({
    address: readSparkAddress(`sc://127.0.0.1:${cluster.port}`),
  });
  const itemIds = Array.from({ length: byUser.columnCount }, (_, item) => String(item));
  const columns = { user: 'user', item: 'item', rating: 'rating' };
  const prepared = await measuredOnCluster(cluster, () =>
    prepareBlocks(connection, { source: parquetFiles(source), columns, scale, itemIds, blocks }),
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

/** Columns of integers in files of a million rows. */
async function writeSource(folder, { rowCount, offsets, indices, values }) {
  const require = createRequire(new URL('../../packages/ratings/package.json', import.meta.url));
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

/** Bytes that the map tasks of a round send to reducers. */
export async function shuffledBytes(connection, blocks, manifest, published) {
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

export function bytesIn(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
