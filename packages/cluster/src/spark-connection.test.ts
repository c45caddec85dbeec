import { afterEach, describe, expect, it } from 'vitest';
import { FakeServer, respond } from './connect/fake-server.test.data.js';
import { message } from './connect/protobuf.js';
import { SparkConnection, UnfitClusterError } from './spark-connection.js';
import { parquetFiles, prepareStatement, probeStatement, sumStatement, viewStatement } from './statements.js';

let server: FakeServer | undefined;
afterEach(() => {
  server?.close();
});

/** Tries a cluster of this version with these options. */
async function opened(version: string, options: Readonly<Record<string, string>>) {
  const statements: string[] = [];
  server = new FakeServer((stream, _request, method) => {
    statements.push(method);
    if (method === 'AnalyzePlan') respond(stream, [message([8, message([1, version])])]);
    else if (method === 'Config')
      respond(stream, [
        message(
          ...Object.entries(options).map(([key, value]) => [2, message([1, key], [2, value])] as const),
        ),
      ]);
    else respond(stream, [], 13, 'no');
  });
  const port = await server.start();
  const error = await SparkConnection.open({ address: { host: '127.0.0.1', port, tls: false } }).catch(
    (caught: Error) => caught,
  );
  return { error, statements };
}

const protections = {
  'spark.authenticate': 'true',
  'spark.network.crypto.enabled': 'true',
  'spark.io.encryption.enabled': 'true',
};

describe('a cluster', () => {
  it.each(['3.4.4', '3.50.1', '5.0.0'])('of Spark %s is refused', async (version) => {
    const { error } = await opened(version, protections);
    expect(error).toBeInstanceOf(UnfitClusterError);
    expect(String(error)).toContain(`The server is Spark ${version}; Spark 3.5 or 4 is needed.`);
  });

  it.each(['3.5.9', '4.0.0', '4.3.0'])('of Spark %s is asked on', async (version) => {
    const { error, statements } = await opened(version, protections);
    expect(String(error)).not.toContain('is needed');
    expect(statements).toContain('ExecutePlan');
  });

  it.each(Object.keys(protections))('without %s is refused before any statement', async (name) => {
    const { error, statements } = await opened('4.3.0', { ...protections, [name]: 'false' });
    expect(error).toBeInstanceOf(UnfitClusterError);
    expect(String(error)).toContain(`The cluster lacks ${name} (`);
    expect(statements).not.toContain('ExecutePlan');
  });

  it('that would be spoken to in the clear is refused, and so is a strange path of Node', async () => {
    const far = { host: 'far.away', port: 1, tls: false };
    await expect(SparkConnection.open({ address: far })).rejects.toThrow('in the clear');
    const near = { host: '127.0.0.1', port: 1, tls: false };
    await expect(SparkConnection.open({ address: near })).rejects.toThrow(
      'No Spark Connect server answers at 127.0.0.1:1.',
    );
    await expect(SparkConnection.open({ address: near, node: 'node; rm -rf /' })).rejects.toThrow(
      'no path of Node',
    );
  });
});

describe('statements', () => {
  const program = { node: 'node', file: 'hushrec-worker-1.mjs' };
  const sum = sumStatement({
    blocks: 's3a://a/b`c',
    program,
    question: 'question-1.bin',
    tasks: 2,
    blockCount: 3,
    reducers: 2,
  });
  const prepare = prepareStatement({
    source: parquetFiles('/data'),
    columns: { user: 'the `user`', item: 'item', rating: 'stars', time: 'when' },
    blocks: "/out'side",
    program,
    options: 'catalogue-1.json',
    shares: 4,
  });

  it('name the separator on both sides of every script, and take strings alone', () => {
    for (const [statement, scripts] of [
      [sum, 2],
      [prepare, 1],
    ] as const) {
      expect(statement.split("FIELDS TERMINATED BY '\\t'").length - 1).toBe(2 * scripts);
      expect(statement).not.toMatch(/\bcast\b|\bdouble\(|\bint\(|\bfloat\(/i);
    }
  });

  it('quote names and texts', () => {
    expect(viewStatement("s3a://a/b'c")).toContain("OPTIONS (path 's3a://a/b\\'c')");
    expect(prepare).toContain('`the ``user```');
    expect(prepare).toContain("DIRECTORY '/out\\'side'");
  });

  it('run Node of an archive where there is one', () => {
    const program = { node: { folder: 'hushrec-node-1' }, file: 'hushrec-worker-1.mjs' };
    const [, command] = /USING '(.*?)' AS/.exec(probeStatement(program, 1))!;
    expect(command).toContain('for n in ./*/hushrec-node-1/bin/node ./*/hushrec-node-1/*/bin/node;');
    expect(command).toContain('exec "$n" "$w" probe "$a"');
  });

  it('deal out by user itself, and take the first of several files of one name', () => {
    expect(prepare).toContain('REPARTITION(4, user)');
    expect(sum).toContain('for w in ./*/hushrec-worker-1.mjs; do break; done;');
    expect(sum).toContain('for a in ./*/question-1.bin; do break; done;');
  });
});
