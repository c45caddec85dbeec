import { afterEach, describe, expect, it } from 'vitest';
import { FakeServer, respond } from './connect/fake-server.test.data.js';
import { message } from './connect/protobuf.js';
import { SparkError } from './connect/spark-errors.js';
import { SparkSession } from './connect/spark-session.js';
import { refuseTableFiles } from './plain-parquet.js';

let server: FakeServer | undefined;
let session: SparkSession | undefined;
afterEach(async () => {
  await session?.close();
  server?.close();
});

/**
 * A server on whose storage these folders hold a table's log, and where folders that are forbidden cannot be
 * looked into; all that it was asked for.
 */
async function storage(tables: readonly string[], forbidden: readonly string[] = []) {
  const folders: string[] = [];
  server = new FakeServer((stream, request, method) => {
    if (method !== 'ExecutePlan') return respond(stream, [message()]);
    const sql = request.message(3)!.message(1)!.message(10)!.text(1);
    const folder =
      /^DESCRIBE QUERY SELECT \* FROM text\.`(.*)\/\{_delta_log,\.hoodie,metadata\/\*\.metadata\.json\*\}`$/.exec(
        sql,
      )![1];
    folders.push(folder);
    if (forbidden.includes(folder)) respond(stream, [], 13, 'java.nio.file.AccessDeniedException');
    else if (tables.includes(folder)) respond(stream, [message([13, 'end'], [14, message()])]);
    else respond(stream, [], 13, '[PATH_NOT_FOUND] Path does not exist.');
  });
  session = new SparkSession({ host: '127.0.0.1', port: await server.start(), tls: false });
  return { spark: session, folders };
}

describe('Parquet on a cluster', () => {
  it.each([
    ['s3a://shop/t', 's3a://shop/t/part-0.parquet'],
    ['s3a://shop/t/day=1', 's3a://shop/t/day=1/hour=2/part-0.parquet'],
    ['s3a://shop/t/day=1/part-0.parquet', 's3a://shop/t/day=1/part-0.parquet'],
    ['s3a://shop/t/data', 's3a://shop/t/data/00/11/day=1/part-0.parquet'],
    ['t/../t', 's3a://shop/t/part-0.parquet'],
  ])('%s of a table is refused', async (source, file) => {
    const { spark } = await storage(['s3a://shop/t']);
    const files = [file, file.replace('part-0', 'part-1')];
    const refused = refuseTableFiles(spark, source, files);
    await expect(refused).rejects.toThrow(
      /belongs to a Delta, Iceberg or Hudi table \(s3a:..shop.t\).*erased/,
    );
    await expect(refused).rejects.toThrow('table:CATALOG.SCHEMA.NAME');
  });

  it('is refused before it is listed where the table itself is named', async () => {
    const { spark } = await storage(['s3a://shop/t']);
    await expect(refuseTableFiles(spark, 's3a://shop/t/', undefined)).rejects.toThrow('erased');
  });

  it('is refused where a partition is a table', async () => {
    const { spark } = await storage(['file:/data/region=eu']);
    const files = ['file:/data/region=eu/0.parquet', 'file:/data/region=us/0.parquet'];
    await expect(refuseTableFiles(spark, '/data', files)).rejects.toThrow('(file:/data/region=eu)');
  });

  it('that is plain is not, and its names mean themselves', async () => {
    const { spark, folders } = await storage([]);
    const files = ['file:/my%20data/a,b/%7Bx%7D/k=1/0.parquet', 'file:/my%20data/a,b/%7Bx%7D/k=2/0.parquet'];
    await refuseTableFiles(spark, '/my data/a,b/{x}', files);
    expect(folders).toEqual([
      'file:/my data/a\\,b/\\{x\\}/k=1',
      'file:/my data/a\\,b/\\{x\\}/k=2',
      'file:/my data/a\\,b/\\{x\\}',
      'file:/my data/a\\,b',
      'file:/my data',
      'file:',
    ]);
  });

  it('must be known to be plain; storage above that is closed to us is not asked on', async () => {
    const file = 's3a://shop/own/ratings/day=1/0.parquet';
    const { spark, folders } = await storage([], ['s3a://shop/own']);
    await refuseTableFiles(spark, 's3a://shop/own/ratings', [file]);
    expect(folders.at(-1)).toBe('s3a://shop/own');
    await session?.close();
    server?.close();
    for (const folder of ['s3a://shop/own/ratings', 's3a://shop/own/ratings/day=1']) {
      const closed = await storage([], [folder]);
      await expect(refuseTableFiles(closed.spark, 's3a://shop/own/ratings', [file])).rejects.toThrow(
        SparkError,
      );
      await session?.close();
      server?.close();
    }
  });
});
