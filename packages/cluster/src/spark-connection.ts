import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isLoopback, type SparkAddress } from './connect/spark-address.js';
import { SparkSessionLostError } from './connect/spark-errors.js';
import { SparkSession, type StatementOptions } from './connect/spark-session.js';
import type { NodeArchive } from './node-archive.js';
import { parallelismStatement, probeStatement, type WorkerProgram } from './statements.js';

export interface ConnectOptions {
  readonly address: SparkAddress;
  /** The command that starts Node on executors. */
  readonly node?: string;
  /** Node for executors that have none; goes before `node`. */
  readonly nodeArchive?: NodeArchive;
  /** Spark's own encryption and authentication are not asked for, because the network is trusted. */
  readonly trustNetwork?: boolean;
  readonly signal?: AbortSignal;
}

/** A cluster that people's data may not, or cannot, be worked on. Found before anything is charged. */
export class UnfitClusterError extends Error {
  override readonly name = 'UnfitClusterError';
  readonly kind = 'usage';
}

/** The worker is one file, made by the build (tools/worker-bundle.mjs). */
const workerFile = new URL('../dist/bundle/hushrec-worker.mjs', import.meta.url);

/**
 * What every session is set to. Adaptive execution would join tasks, chunked base64 would put line ends into
 * fields, missing or damaged files must be errors, and answers must come as plain Arrow. A script may compute
 * for as long as it needs after its input ended.
 */
const sessionOptions = {
  'spark.sql.adaptive.enabled': 'false',
  'spark.sql.chunkBase64String.enabled': 'false',
  'spark.sql.scriptTransformation.exitTimeoutInSeconds': '3600',
  'spark.sql.files.openCostInBytes': '0',
  'spark.sql.files.ignoreCorruptFiles': 'false',
  'spark.sql.files.ignoreMissingFiles': 'false',
  'spark.sql.execution.arrow.compression.codec': 'none',
  'spark.sql.execution.arrow.useLargeVarTypes': 'false',
};

/**
 * Options of the cluster that must be on, because ratings and exact sums travel between its machines and lie
 * on its disks.
 */
const protections = {
  'spark.authenticate': 'processes of the cluster must know each other',
  'spark.network.crypto.enabled': 'ratings travel between machines',
  'spark.io.encryption.enabled': 'ratings lie in shuffle files',
};

const oldestNode = [20, 19] as const;

/**
 * A cluster that was looked at and found fit, and a session with it that is opened again where the server
 * forgot it.
 */
export class SparkConnection {
  readonly version: string;
  /** Tasks that run at once. */
  readonly cores: number;
  readonly program: WorkerProgram;
  readonly #options: ConnectOptions;
  readonly #worker: Uint8Array;
  #session: SparkSession;

  private constructor(
    session: SparkSession,
    options: ConnectOptions,
    worker: Uint8Array,
    facts: { readonly version: string; readonly cores: number; readonly program: WorkerProgram },
  ) {
    this.#session = session;
    this.#options = options;
    this.#worker = worker;
    this.version = facts.version;
    this.cores = facts.cores;
    this.program = facts.program;
  }

  /**
   * Looks at a cluster: version, protections, Node in its executors. Reads no data.
   *
   * @throws UnfitClusterError, SparkError
   */
  static async open(options: ConnectOptions): Promise<SparkConnection> {
    const { address, node = 'node', nodeArchive, trustNetwork = false, signal } = options;
    if (!/^[\w./-]+$/.test(node))
      throw new UnfitClusterError(
        `"${node}" is no path of Node on executors: letters, digits and . / _ - alone.`,
      );
    if (!trustNetwork && !address.tls && !isLoopback(address.host))
      throw new UnfitClusterError(
        `${address.host} would be spoken to in the clear. Add ;use_ssl=true to the address, use a tunnel on 127.0.0.1, or say --trust-network.`,
      );
    const worker = await readFile(workerFile);
    const hash = createHash('sha256').update(worker).digest('hex').slice(0, 16);
    const program = { node: nodeArchive ?? node, file: `hushrec-worker-${hash}.mjs` };
    const session = new SparkSession(address);
    try {
      const version = await session.version(signal).catch((error: Error) => {
        if (!(error instanceof SparkSessionLostError)) throw error;
        throw new UnfitClusterError(
          `No Spark Connect server answers at ${address.host}:${address.port}. Start one (start-connect-server.sh of Spark), or correct --engine.`,
          { cause: error },
        );
      });
      if (!/^(?:3\.5|4)\./.test(version))
        throw new UnfitClusterError(`The server is Spark ${version}; Spark 3.5 or 4 is needed.`);
      if (!trustNetwork) await requireProtections(session);
      const cores = await coresOf(session, signal);
      await prepareSession(session, { program, worker, cores, nodeArchive }, signal);
      await requireNode(session, program, cores, signal);
      return new SparkConnection(session, options, worker, { version, cores, program });
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /**
   * Does something with the session; where the server forgot it or failed, again in a new one, three times in
   * all.
   */
  async attempt<T>(work: (session: SparkSession) => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures++) {
      try {
        return await work(this.#session);
      } catch (error) {
        if (!(error instanceof SparkSessionLostError) || failures === 2) throw error;
        this.#options.signal?.throwIfAborted();
        await this.#session.close();
        this.#session = new SparkSession(this.#options.address);
        await reachable(this.#session, this.#options.signal);
        const { nodeArchive, signal } = this.#options;
        const tools = { program: this.program, worker: this.#worker, cores: this.cores, nodeArchive };
        await prepareSession(this.#session, tools, signal);
      }
    }
  }

  rows(sql: string, options: StatementOptions): Promise<string[][]> {
    return this.attempt((session) => session.rows(sql, options));
  }

  answers(sql: string, expressions: readonly string[], options: StatementOptions): Promise<string[][]> {
    return this.attempt((session) => session.answers(sql, expressions, options));
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}

interface SessionTools {
  readonly program: WorkerProgram;
  readonly worker: Uint8Array;
  readonly cores: number;
  readonly nodeArchive: NodeArchive | undefined;
}

async function prepareSession(
  session: SparkSession,
  { program, worker, cores, nodeArchive }: SessionTools,
  signal: AbortSignal | undefined,
): Promise<void> {
  await session.configure({ ...sessionOptions, 'spark.sql.shuffle.partitions': String(2 * cores) });
  if (nodeArchive !== undefined)
    await session.addArchive(nodeArchive, signal).catch((cause: Error) => {
      signal?.throwIfAborted();
      if (cause instanceof SparkSessionLostError) throw cause;
      throw new UnfitClusterError('Spark did not take the archive of Node: it is not whole, or no .tar.gz.', {
        cause,
      });
    });
  await session.addFile(program.file, worker, signal);
}

/** Waits for a server that is started anew: two minutes at most. */
async function reachable(session: SparkSession, signal: AbortSignal | undefined): Promise<void> {
  const until = Date.now() + 120_000;
  for (;;) {
    try {
      await session.version(signal);
      return;
    } catch (error) {
      if (!(error instanceof SparkSessionLostError) || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      signal?.throwIfAborted();
    }
  }
}

async function requireProtections(session: SparkSession): Promise<void> {
  const names = Object.keys(protections) as (keyof typeof protections)[];
  const found = await session.options(Object.fromEntries(names.map((name) => [name, 'false'])));
  const missing = names.filter((name) => found[name] !== 'true');
  if (missing.length === 0) return;
  throw new UnfitClusterError(
    `The cluster lacks ${missing.map((name) => `${name} (${protections[name]})`).join(', ')}. Set what is missing to true there, or say --trust-network if nobody else can reach its machines.`,
  );
}

async function coresOf(session: SparkSession, signal: AbortSignal | undefined): Promise<number> {
  const [[tasks]] = await session.rows(parallelismStatement, {
    name: 'counting cores',
    ...(signal && { signal }),
  });
  return Math.max(1, Number(tasks) || 1);
}

/**
 * Every executor must have Node of our own major version (its arithmetic decides bits of sums) and the kernel
 * that is the same everywhere.
 */
async function requireNode(
  session: SparkSession,
  program: WorkerProgram,
  cores: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const asked = { name: 'looking for Node on executors', ...(signal && { signal }) };
  const rows = await session.rows(probeStatement(program, 2 * cores), asked).catch((error: Error) => {
    if (error instanceof SparkSessionLostError) throw error;
    signal?.throwIfAborted();
    throw new UnfitClusterError(
      typeof program.node === 'string'
        ? `Executors could not run "${program.node}". Install Node ${oldestNode.join('.')} or newer on them, name its place with --node, or send it with --node-archive.`
        : 'Executors could not run bin/node of the archive. It must be Node for their system and processor.',
      { cause: error },
    );
  });
  const own = process.versions.node.split('.')[0];
  const found = [...new Set(rows.map(([version]) => version))].sort();
  const isOld = (version: string) => {
    const [major, minor] = version.split('.').map(Number);
    return major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  };
  if (found.some((version) => version.split('.')[0] !== own || isOld(version)))
    throw new UnfitClusterError(
      `Executors have Node ${found.join(' and ')}, and this process has ${process.versions.node}: the same major version is needed everywhere (${oldestNode.join('.')} or newer), because arithmetic may differ.`,
    );
  if (rows.some(([, kernel]) => kernel !== 'simd'))
    throw new UnfitClusterError('An executor has no WebAssembly SIMD, so sums could differ between hosts.');
}
