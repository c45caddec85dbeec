import { afterEach, describe, expect, it } from 'vitest';
import { ArrowError, stringRows } from './arrow-strings.js';
import { type Answer, FakeServer, framed, respond } from './fake-server.test.data.js';
import { message, ReceivedMessage } from './protobuf.js';
import { readSparkAddress } from './spark-address.js';
import { SparkError, SparkSessionLostError, SparkTokenError } from './spark-errors.js';
import { SparkSession } from './spark-session.js';

/** What Spark 4.3.0 sent for `SELECT * FROM VALUES ('a', 'ü'), ('', NULL), ('tab', 'x')`. */
const texts = Buffer.from(
  '/////8gAAAAQAAAAAAAKAA4ABgANAAgACgAAAAAABAAQAAAAAAEKAAwAAAAIAAQACgAAAAgAAAAIAAAAAAAAAAIAAABYAAAAGAAAAAAAEgAYABQAEwASAAwAAAAIAAQAEgAAABQAAAAUAAAAFAAAAAAABQEQAAAAAAAAAAAAAADE////AQAAAGIAEgAYABQAAAATAAwAAAAIAAQAEgAAABQAAAAUAAAAGAAAAAAAAAUUAAAAAAAAAAAAAAAEAAQABAAAAAEAAABhAAAAAAAAAP/////YAAAAFAAAAAAAAAAMABYADgAVABAABAAMAAAAQAAAAAAAAAAAAAQAEAAAAAADCgAYAAwACAAEAAoAAAAUAAAAeAAAAAMAAAAAAAAAAAAAAAYAAAAAAAAAAAAAAAEAAAAAAAAACAAAAAAAAAAQAAAAAAAAABgAAAAAAAAABAAAAAAAAAAgAAAAAAAAAAEAAAAAAAAAKAAAAAAAAAAQAAAAAAAAADgAAAAAAAAAAwAAAAAAAAAAAAAAAgAAAAMAAAAAAAAAAAAAAAAAAAADAAAAAAAAAAEAAAAAAAAABwAAAAAAAAAAAAAAAQAAAAEAAAAEAAAAYXRhYgAAAAAFAAAAAAAAAAAAAAACAAAAAgAAAAMAAADDvHgAAAAAAP////8AAAAA',
  'base64',
);
/** And for `SELECT 1`. */
const number = Buffer.from(
  '/////5AAAAAQAAAAAAAKAA4ABgANAAgACgAAAAAABAAQAAAAAAEKAAwAAAAIAAQACgAAAAgAAAAIAAAAAAAAAAEAAAAYAAAAAAASABgAFAAAABMADAAAAAgABAASAAAAFAAAABQAAAAcAAAAAAAAAiAAAAAAAAAAAAAAAAgADAAIAAcACAAAAAAAAAEgAAAAAwAAAG9uZQD/////iAAAABQAAAAAAAAADAAWAA4AFQAQAAQADAAAABAAAAAAAAAAAAAEABAAAAAAAwoAGAAMAAgABAAKAAAAFAAAADgAAAABAAAAAAAAAAAAAAACAAAAAAAAAAAAAAABAAAAAAAAAAgAAAAAAAAABAAAAAAAAAAAAAAAAQAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAEAAAAAAAAA/////wAAAAA=',
  'base64',
);
const rows = [
  ['a', 'ü'],
  ['', ''],
  ['tab', 'x'],
];

describe('messages', () => {
  it('come back field by field, unknown ones ignored', () => {
    const inner = message([1, 'text'], [3, 2 ** 40], [4, true], [5, undefined]);
    const received = new ReceivedMessage(message([1, inner], [1, inner], [7, Buffer.of(1, 2)], [900, 'new']));
    expect(received.messages(1)).toHaveLength(2);
    expect(received.message(1)?.text(1)).toBe('text');
    expect(received.message(1)?.number(3)).toBe(2 ** 40);
    expect(received.message(1)?.number(4)).toBe(1);
    expect(received.message(1)?.number(5)).toBe(0);
    expect([...received.bytes(7)]).toEqual([1, 2]);
    expect(received.message(2)).toBeUndefined();
    expect(received.text(8)).toBe('');
  });

  it('are refused where they are cut', () => {
    const bytes = message([1, 'text'], [2, 300]);
    for (const end of [1, 2, 5, bytes.length - 1])
      expect(() => new ReceivedMessage(bytes.subarray(0, end))).toThrow(RangeError);
    expect(() => new ReceivedMessage(Uint8Array.of(3))).toThrow('unknown kind');
  });
});

describe('a table of strings', () => {
  it('is read as Spark sends it', () => {
    expect(stringRows(texts)).toEqual(rows);
    expect(stringRows(new Uint8Array())).toEqual([]);
  });

  it('is refused where it holds something else, or is cut or garbled', () => {
    expect(() => stringRows(number)).toThrow('no text');
    expect(() => stringRows(texts.subarray(0, 470))).toThrow(ArrowError);
    expect(() => stringRows(Buffer.alloc(16))).toThrow('no Arrow stream');
  });
});

describe('the address of Spark', () => {
  it('is read as Spark’s own clients read it', () => {
    expect(readSparkAddress('sc://spark.shop:443/;use_ssl=true;token=a%3Bb;user_id=me')).toEqual({
      host: 'spark.shop',
      port: 443,
      tls: true,
      token: 'a;b',
      userId: 'me',
    });
    const databricks = 'sc://adb-1.net:443/;use_ssl=true;x-databricks-cluster-id=0123-abc;X-Other=a%20b';
    expect(readSparkAddress(databricks, 'secret')).toEqual({
      ...{ host: 'adb-1.net', port: 443, tls: true, token: 'secret' },
      metadata: { 'x-databricks-cluster-id': '0123-abc', 'x-other': 'a b' },
    });
    expect(readSparkAddress('sc://localhost')).toEqual({ host: 'localhost', port: 15002, tls: false });
    expect(readSparkAddress('sc://[::1]:1/', 'secret')).toMatchObject({ host: '[::1]', token: 'secret' });
  });

  it('is refused where it is none, and where a token would go in the clear; the token is never shown', () => {
    for (const url of ['spark://host:7077', 'sc://', 'sc://host:port', 'sc://host/;other=1'])
      expect(() => readSparkAddress(url)).toThrow(/address of Spark/);
    for (const url of ['sc://host/;hidden', 'sc://host/;=hidden', 'sc://host/;x-key=%hidden']) {
      expect(() => readSparkAddress(url)).toThrow(/of the address of Spark|address of Spark has/);
      expect(() => readSparkAddress(url)).not.toThrow('hidden');
    }
    const key = () => readSparkAddress('sc://far.away/;x-key=hidden');
    expect(key).toThrow('x-key for far.away would cross the network in the clear');
    expect(key).not.toThrow('hidden');
    const inTheClear = () => readSparkAddress('sc://far.away:15002/;token=hidden');
    expect(inTheClear).toThrow('in the clear');
    expect(inTheClear).not.toThrow('hidden');
  });
});

let server: FakeServer | undefined;
afterEach(() => {
  server?.close();
});

async function sessionWith(answer: Answer): Promise<SparkSession> {
  server = new FakeServer(answer);
  return new SparkSession({ host: '127.0.0.1', port: await server.start(), tls: false });
}

const batch = (id: string) => message([13, id], [2, message([1, 3], [2, texts])]);
const complete = message([13, 'end'], [14, message()]);

describe('a session', () => {
  it('takes a statement up again where its stream broke, after the last answer that came', async () => {
    const asked: string[] = [];
    const session = await sessionWith((stream, request, method) => {
      asked.push(`${method} ${method === 'ReattachExecute' ? request.text(5) : ''}`.trim());
      if (method === 'ExecutePlan') {
        stream.respond({ ':status': 200 });
        stream.write(framed(batch('first')));
        setTimeout(() => stream.destroy(), 50);
      } else if (method === 'ReattachExecute' && asked.length === 2) respond(stream, [batch('second')]);
      else if (method === 'ReattachExecute') respond(stream, [complete]);
      else respond(stream, [message()]);
    });
    expect(await session.rows('SELECT 1', { name: 'test' })).toEqual([...rows, ...rows]);
    expect(asked.slice(0, 3)).toEqual(['ExecutePlan', 'ReattachExecute first', 'ReattachExecute second']);
    await session.close();
  });

  it('says what failed without a value of the data', async () => {
    const failing = (status: number, text: string) =>
      sessionWith((stream) => respond(stream, [], status, text));
    const cases = [
      [13, "[CAST_INVALID_INPUT] The value 'canary' cannot be cast", SparkError, 'CAST_INVALID_INPUT'],
      [13, '[PATH_NOT_FOUND] Path does not exist: s3a://a/b. More.', SparkError, 's3a://a/b'],
      [13, 'java.lang.IllegalStateException: canary', SparkError, 'Spark could not do test'],
      [13, '[INVALID_HANDLE.SESSION_CHANGED] canary', SparkSessionLostError, 'no longer knows'],
      [16, 'canary', SparkTokenError, 'does not accept this token'],
    ] as const;
    for (const [status, text, type, words] of cases) {
      const session = await failing(status, text);
      const error = await session.rows('SELECT 1', { name: 'test' }).catch((caught: Error) => caught);
      expect(error).toBeInstanceOf(type);
      expect(String(error)).toContain(words);
      expect(String(error)).not.toContain('canary');
      await session.close();
      server?.close();
    }
  });

  it('sends its token and the parameters x-… as metadata with every call', async () => {
    const seen: string[][] = [];
    server = new FakeServer((stream, _request, method, headers) => {
      seen.push([
        method,
        ...['authorization', 'x-databricks-cluster-id'].map((name) => String(headers[name])),
      ]);
      respond(stream, [method === 'ExecutePlan' ? complete : message([1, message([2, true])])]);
    });
    const url = `sc://127.0.0.1:${await server.start()}/;x-databricks-cluster-id=0123-abc`;
    const session = new SparkSession(readSparkAddress(url, 'secret'));
    await session.version();
    await session.configure({});
    await session.addFile('a', new Uint8Array(1));
    await session.rows('SELECT 1', { name: 'test' });
    await session.close();
    expect(new Set(seen.map(([method]) => method))).toEqual(
      new Set(['AnalyzePlan', 'Config', 'AddArtifacts', 'ExecutePlan', 'ReleaseExecute', 'ReleaseSession']),
    );
    for (const [, ...sent] of seen) expect(sent).toEqual(['Bearer secret', '0123-abc']);
  });

  it('interrupts a statement that is cancelled', async () => {
    const asked: string[] = [];
    const session = await sessionWith((stream, _request, method) => {
      asked.push(method);
      if (method === 'ExecutePlan') stream.respond({ ':status': 200 });
      else respond(stream, [message()]);
    });
    const stop = new AbortController();
    const waiting = session.rows('SELECT 1', { name: 'test', signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    await expect(waiting).rejects.toThrow(/abort/i);
    expect(asked).toContain('Interrupt');
    await session.close();
  });

  it('sends a file once, in checked chunks', async () => {
    let received = 0;
    const session = await sessionWith((stream, _request, method) => {
      if (method === 'AddArtifacts') received++;
      respond(stream, [message([1, message([1, 'files/a'], [2, true])])]);
    });
    await session.addFile('a', new Uint8Array(100_000));
    await session.addFile('a', new Uint8Array(100_000));
    expect(received).toBe(1);
    await session.close();
  });
});
