import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { crc32 } from 'node:zlib';

import type { NodeArchive } from '../node-archive.js';
import { stringRows } from './arrow-strings.js';
import { GrpcConnection, GrpcError, grpcStatus } from './grpc.js';
import { message, ReceivedMessage } from './protobuf.js';
import type { SparkAddress } from './spark-address.js';
import { sparkError } from './spark-errors.js';

/** What is asked, in words for errors, besides the statement. */
export interface StatementOptions {
  /** For example `taste`: names the statement in errors and on Spark's pages. */
  readonly name: string;
  readonly signal?: AbortSignal;
}

/**
 * How often a lost stream is taken up again before the session counts as lost, and how long after the first
 * time.
 */
const REATTACHMENTS = 6;
const FIRST_WAIT = 250;
/** As in Spark's own clients. */
const CHUNK_BYTES = 32 * 2 ** 10;

const INTERRUPT_OPERATION = 3;

/**
 * A session with a Spark Connect server. Statements are reattachable: a stream that breaks is taken up after
 * the last answer that came, and nothing is executed twice. All columns of all answers are strings.
 */
export class SparkSession {
  readonly #connection: GrpcConnection;
  readonly #user: Buffer;
  readonly #id = randomUUID();
  readonly #files = new Set<string>();
  /** Statements that need not be run again while nothing changes. */
  readonly #ran = new Set<string>();
  #serverSide: string | undefined;

  constructor(address: SparkAddress) {
    const { host, port, tls, token, metadata } = address;
    this.#connection = new GrpcConnection({
      origin: `${tls ? 'https' : 'http'}://${host}:${port}`,
      headers: { ...metadata, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    });
    this.#user = message([1, address.userId ?? 'hushrec']);
  }

  /** Version of the server, such as `4.3.0`. */
  async version(signal?: AbortSignal): Promise<string> {
    const request = message([1, this.#id], [2, this.#user], [17, this.#serverSide], [10, message()]);
    const answer = await this.#ask('AnalyzePlan', [request], 'its version', signal);
    return answer.message(8)?.text(1) ?? '';
  }

  /** Sets options of this session. */
  async configure(pairs: Readonly<Record<string, string>>): Promise<void> {
    const set = message(
      ...Object.entries(pairs).map(([key, value]) => [1, message([1, key], [2, value])] as const),
    );
    await this.#config(message([1, set]), 'setting its options');
  }

  /** Options of the server and this session, with defaults for those that are not set. */
  async options(defaults: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const asked = message(
      ...Object.entries(defaults).map(([key, value]) => [1, message([1, key], [2, value])] as const),
    );
    const answer = await this.#config(message([3, asked]), 'reading its options');
    return Object.fromEntries(answer.messages(2).map((pair) => [pair.text(1), pair.text(2)]));
  }

  /** Sends a file once; executors find it as `./<some folder>/<name>`. Its name must tell its content. */
  addFile(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    return this.#add(`files/${name}`, name, bytes, signal);
  }

  /** Sends an archive once; executors unpack it into `./<some folder>/<folder>`. */
  addArchive({ folder, ending, bytes }: NodeArchive, signal?: AbortSignal): Promise<void> {
    return this.#add(`archives/${folder}${ending}#${folder}`, folder, bytes, signal);
  }

  async #add(path: string, name: string, bytes: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
    if (this.#files.has(path)) return;
    const chunks = Math.max(1, Math.ceil(bytes.length / CHUNK_BYTES));
    const chunk = (at: number) => {
      const data = bytes.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES);
      return message([1, data], [2, crc32(data)]);
    };
    const head = [
      [1, this.#id],
      [2, this.#user],
    ] as const;
    const requests = function* () {
      if (chunks === 1) {
        yield message(...head, [3, message([1, message([1, path], [2, chunk(0)])])]);
        return;
      }
      yield message(...head, [4, message([1, path], [2, bytes.length], [3, chunks], [4, chunk(0)])]);
      for (let at = 1; at < chunks; at++) yield message(...head, [5, chunk(at)]);
    };
    const answer = await this.#ask('AddArtifacts', requests(), `taking the file ${name}`, signal);
    const summary = answer.message(1);
    if (summary?.number(2) !== 1)
      throw new GrpcError(grpcStatus.internal, `The file ${name} arrived damaged.`);
    this.#files.add(path);
  }

  /** Runs a query; rows come in no particular order. */
  rows(sql: string, options: StatementOptions): Promise<string[][]> {
    return this.#execute(message([1, message([10, message([1, sql])])]), options);
  }

  /**
   * Runs a command that answers with rows, such as DESCRIBE; of which these expressions, which must be texts,
   * are brought. SQL itself knows no query over a command.
   */
  answers(sql: string, expressions: readonly string[], options: StatementOptions): Promise<string[][]> {
    const command = message([10, message([1, sql])]);
    const columns = expressions.map((each) => [3, message([4, message([1, each])])] as const);
    return this.#execute(message([1, message([3, message([1, command], ...columns)])]), options);
  }

  /** Runs a statement for its effect. */
  async run(sql: string, options: StatementOptions): Promise<void> {
    this.#ran.clear();
    await this.#command(sql, options);
  }

  /**
   * Runs a statement that tells this session something about what lies on the storage, unless it was told
   * that since anything was last changed by it.
   */
  async runOnce(sql: string, options: StatementOptions): Promise<void> {
    if (this.#ran.has(sql)) return;
    await this.#command(sql, options);
    this.#ran.add(sql);
  }

  /** Ends the session on the server, if it can be reached, and the connection. */
  async close(): Promise<void> {
    const request = message([1, this.#id], [2, this.#user]);
    await this.#connection.ask('ReleaseSession', [request], AbortSignal.timeout(5000)).catch(() => undefined);
    this.#connection.close();
  }

  async #command(sql: string, options: StatementOptions): Promise<void> {
    // Spark 4 reads the relation, 3.5 knows the text alone.
    const relation = message([10, message([1, sql])]);
    await this.#execute(message([2, message([5, message([1, sql], [6, relation])])]), options);
  }

  async #execute(plan: Buffer, { name, signal }: StatementOptions): Promise<string[][]> {
    const operation = randomUUID();
    const stop = () => void this.#interrupt(operation).catch(() => undefined);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return await this.#collect(operation, plan, name, signal);
    } catch (error) {
      if (signal?.aborted === true) {
        // The server must have heard of it before the connection goes.
        await this.#interrupt(operation).catch(() => undefined);
        signal.throwIfAborted();
      }
      throw sparkError(error, name);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async #collect(
    operation: string,
    plan: Buffer,
    name: string,
    signal: AbortSignal | undefined,
  ): Promise<string[][]> {
    const rows: string[][] = [];
    let lastResponse: string | undefined;
    // Streams in a row that brought nothing.
    let failures = 0;
    for (let isFirst = true; ; isFirst = false) {
      const stream = isFirst
        ? this.#connection.call('ExecutePlan', [this.#executeRequest(operation, plan, name)], signal)
        : this.#connection.call('ReattachExecute', [this.#reattachRequest(operation, lastResponse)], signal);
      failures++;
      try {
        for await (const bytes of stream) {
          const response = new ReceivedMessage(bytes);
          this.#serverSide = response.text(15) || this.#serverSide;
          const id = response.text(13);
          if (id !== '') lastResponse = id;
          failures = 0;
          const batch = response.message(2);
          if (batch !== undefined) for (const row of stringRows(batch.bytes(2))) rows.push(row);
          if (response.message(14) !== undefined) {
            void this.#release(operation).catch(() => undefined);
            return rows;
          }
        }
        if (failures > REATTACHMENTS)
          throw new GrpcError(grpcStatus.unavailable, 'The server ends every stream without an answer.');
      } catch (error) {
        const isBroken = error instanceof GrpcError && error.status === grpcStatus.unavailable;
        if (!isBroken || failures > REATTACHMENTS) throw error;
      }
      if (failures > 0) await wait(FIRST_WAIT * 2 ** failures, undefined, { ...(signal && { signal }) });
    }
  }

  #executeRequest(operation: string, plan: Buffer, name: string): Buffer {
    const reattachable = message([1, message([1, true])]);
    return message(
      [1, this.#id],
      [2, this.#user],
      [8, this.#serverSide],
      [3, plan],
      [4, 'hushrec'],
      [5, reattachable],
      [6, operation],
      [7, `hushrec-${name.replace(/[^\w-]+/g, '-')}`],
    );
  }

  #reattachRequest(operation: string, lastResponse: string | undefined): Buffer {
    return message([1, this.#id], [2, this.#user], [6, this.#serverSide], [3, operation], [5, lastResponse]);
  }

  async #release(operation: string): Promise<void> {
    const request = message([1, this.#id], [2, this.#user], [3, operation], [5, message()]);
    await this.#connection.ask('ReleaseExecute', [request]);
  }

  async #interrupt(operation: string): Promise<void> {
    const request = message([1, this.#id], [2, this.#user], [4, INTERRUPT_OPERATION], [6, operation]);
    await this.#connection.ask('Interrupt', [request], AbortSignal.timeout(5000));
  }

  #config(operation: Buffer, asked: string): Promise<ReceivedMessage> {
    const request = message([1, this.#id], [2, this.#user], [8, this.#serverSide], [3, operation]);
    return this.#ask('Config', [request], asked);
  }

  async #ask(
    method: string,
    requests: Iterable<Uint8Array>,
    asked: string,
    signal?: AbortSignal,
  ): Promise<ReceivedMessage> {
    try {
      return new ReceivedMessage(await this.#connection.ask(method, requests, signal));
    } catch (error) {
      signal?.throwIfAborted();
      throw sparkError(error, asked);
    }
  }
}
