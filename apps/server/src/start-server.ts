import { setMaxListeners } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import {
  createServer,
  type ServerOptions as HttpOptions,
  type RequestListener,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { fileNames } from '@hushrec/model';
import { siteDirectory } from '@hushrec/page';
import { loadPapers } from '@hushrec/train/load-papers';
import { AccountingThread } from './accounting/accounting-thread.js';
import { createApp } from './app.js';
import { DatasetCatalogue } from './catalogue/dataset-catalogue.js';
import { ModelCatalogue } from './catalogue/model-catalogue.js';
import { sendEventStreams } from './event-stream.js';
import { JobRunner } from './jobs/job-runner.js';
import { type AccessList, freshOperatorToken, readTokenFile } from './protection/access.js';
import { oneAtATime } from './protection/one-at-a-time.js';
import { networkOf } from './protection/require-role.js';
import { hostName, hostsOf, isLoopback } from './protection/same-origin.js';
import { createLog, errorFields, type Log } from './request-log.js';
import { defaultLimits, type Invitation, type Limits, type ServerContext } from './server-context.js';
import { ServerMetrics } from './server-metrics.js';
import { StandardErrorLog } from './standard-error-log.js';
import { openRunStore } from './state/open-run-store.js';
import type { StoreEvents } from './state/run-store.js';
import { version } from './version.js';

export interface ServerOptions {
  /** Folder of model folders (or one model folder). New runs write here. */
  readonly models: string;
  /** Name of the model that the page shows as published now; without it none is called so. */
  readonly publishedNow?: string;
  /** Folder of data set folders; without it the server only publishes. */
  readonly data?: string;
  /**
   * The ratings behind everything here are public: viewers see models without privacy and comparisons too.
   * What `hushrec generate` made up is public without it.
   */
  readonly publicData?: boolean;
  /** Folder with results of `hushrec compare` to show. */
  readonly reports?: string;
  /** Folder with pictures of titles, which catalogues name as `/pictures/<file>`. */
  readonly pictures?: string;
  /** `/readyz` answers 503 where a model is older, in milliseconds; any age unless given. */
  readonly maxModelAgeMs?: number;
  /** Ledger file or `postgres://…`, when not the default one of this user. */
  readonly ledger?: string;
  /** Default 127.0.0.1. Any other address needs a token file. */
  readonly host?: string;
  /** Default 7717; 0 takes any free port. */
  readonly port?: number;
  readonly tokenFile?: string;
  /** SQLite file or `postgres://…` for runs. Default: beside the models' folder, `<models>.server.sqlite`. */
  readonly state?: string;
  /** Module whose `main(args)` is the command line; needed to train. */
  readonly commandLine?: string;
  /** How many runs train at once. Default 1. */
  readonly concurrentRuns?: number;
  /** Names by which a server that is not on loopback may be called; any when absent. */
  readonly hostNames?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  /** A federated run to which the page invites its visitors. */
  readonly takePart?: Invitation;
  readonly limits?: Partial<Limits>;
  /** Receives the log, JSON lines. Default: standard error. */
  readonly writeLog?: (text: string) => void;
  /** How long a run may take to clean up when the server stops. */
  readonly graceMs?: number;
}

export interface RunningServer {
  /** `http://127.0.0.1:7717` */
  readonly url: string;
  readonly port: number;
  /** Made at start when there is no token file: give it to the page to operate. */
  readonly operatorToken: string | undefined;
  /**
   * Resolves where another server took over this one's state while its database was away: close this one, and
   * end the process.
   */
  readonly lost: Promise<Error>;
  /** Stops taking requests, ends open ones, stops training, closes the state. */
  close(): Promise<void>;
}

/** The server cannot start as asked. */
export class ServerStartError extends Error {
  override readonly name = 'ServerStartError';
  readonly kind = 'usage';
}

/** Starts the page and the HTTP interface. Resolves when requests are answered. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  await loadPapers();
  const host = options.host ?? '127.0.0.1';
  const { access, token } = accessOf(options, host);
  const standardError = options.writeLog === undefined ? new StandardErrorLog() : undefined;
  const { log, flush } = createLog(options.writeLog ?? ((text) => standardError?.write(text)));
  const limits = { ...defaultLimits, ...options.limits };
  let lose = (_: Error) => {};
  const lost = new Promise<Error>((resolve) => (lose = resolve));
  const state = await openState(options, limits, {
    failed: (error) => log('state-failure', errorFields(error), 'error'),
    lost: (error) => {
      log('state-lost', errorFields(error), 'error');
      lose(error);
    },
  });
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  try {
    const jobs = jobRunnerOf(options, { ...state, log });
    for (const run of (await jobs?.recover()) ?? []) log('run-interrupted', { run: run.id }, 'warning');
    const app = createApp({
      ...state,
      publicData: options.publicData === true,
      reports: options.reports,
      pictures: options.pictures,
      ledger: options.ledger,
      maxModelAgeMs: options.maxModelAgeMs,
      jobs,
      access,
      limits,
      allowedHosts:
        options.hostNames === undefined ? hostsOf(host) : new Set(options.hostNames.map(hostName)),
      allowedOrigins: options.allowedOrigins ?? [],
      log,
      logLinesLost: () => standardError?.linesLost ?? 0,
      metrics: new ServerMetrics(),
      takePart: options.takePart,
      site: siteDirectory,
      version,
      closing: closing.signal,
    });
    await state.models.refresh();
    const server = httpServer(sendEventStreams(app.fetch, limits), limits);
    const port = await listen(server, options.port ?? 7717, host);
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    log('listening', { url });
    const close = once(async () => {
      closing.abort();
      await Promise.all([jobs?.close(), closed(server)]);
      await closeState(state);
      log('closed');
      flush();
    });
    return { url, port, operatorToken: token, lost, close };
  } catch (error) {
    await closeState(state);
    throw error;
  }
}

/** What the server knows and keeps: models, data sets, runs, and the thread that accounts. */
type ServerState = Pick<ServerContext, 'models' | 'datasets' | 'store' | 'accounting'>;

async function openState(options: ServerOptions, limits: Limits, events: StoreEvents): Promise<ServerState> {
  const datasets = options.data === undefined ? undefined : new DatasetCatalogue(options.data);
  if (datasets !== undefined && existsSync(join(options.models, fileNames.certificate))) {
    throw new ServerStartError(
      `${options.models} is one model folder; training needs a folder to put models into. Give its parent as --models.`,
    );
  }
  const models = new ModelCatalogue(options.models, options.publishedNow);
  mkdirSync(options.models, { recursive: true });
  const store = await openRunStore(options.state ?? `${resolve(options.models)}.server.sqlite`, events);
  const accounting = new AccountingThread(limits.accountingMs);
  // Whoever opens Train asks for a plan at once.
  if (datasets !== undefined) accounting.warm();
  return { models, datasets, store, accounting };
}

async function closeState({ accounting, models, store }: ServerState): Promise<void> {
  for (const part of [accounting, models, store]) await part.close();
}

/** Whoever asks again waits for the first call. */
function once(work: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | undefined;
  return () => {
    begun ??= work();
    return begun;
  };
}

function accessOf(options: ServerOptions, host: string): { access: AccessList; token: string | undefined } {
  if (options.tokenFile !== undefined) return { access: readTokenFile(options.tokenFile), token: undefined };
  if (!isLoopback(host)) {
    throw new ServerStartError(
      `Serving on ${host} lets other machines in, so it needs --token-file with lines "operator TOKEN" and "viewer TOKEN".`,
    );
  }
  return freshOperatorToken();
}

/** Trains; nothing where there is no command line, or no data. */
function jobRunnerOf(
  options: ServerOptions,
  { datasets, models, store, log }: ServerState & { readonly log: Log },
): JobRunner | undefined {
  if (options.commandLine === undefined || datasets === undefined) return undefined;
  return new JobRunner({
    store,
    commandLine: options.commandLine,
    concurrent: options.concurrentRuns ?? 1,
    graceMs: options.graceMs ?? 15_000,
    environment: options.ledger === undefined ? {} : { HUSHREC_LEDGER: options.ledger },
    datasetPath: (name) => datasets.pathOf(name),
    modelPath: (name) => join(resolve(options.models), name),
    heldPath: (name) => join(resolve(options.models), '.held', name),
    onError: (error) => log('state-failure', errorFields(error), 'error'),
    onEnd: (run) => {
      log('run-ended', { run: run.id, status: run.status });
      void models.refresh();
    },
  });
}

function httpServer(fetch: Parameters<typeof createAdaptorServer>[0]['fetch'], limits: Limits): Server {
  const server = createAdaptorServer({
    fetch,
    createServer: ((options: HttpOptions, listener: RequestListener) =>
      createServer(options, oneAtATime(listener, limits.pipelined))) as typeof createServer,
    serverOptions: {
      maxHeaderSize: 16 * 1024,
      headersTimeout: Math.min(10_000, limits.requestMs),
      requestTimeout: limits.requestMs,
      keepAliveTimeout: 5000,
      connectionsCheckingInterval: Math.min(1000, limits.requestMs),
    },
  }) as Server;
  limitConnections(server, limits);
  return server;
}

/** Takes no more requests; what is still open after three seconds is cut. */
async function closed(server: Server): Promise<void> {
  const ended = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), 3000);
  await ended;
  clearTimeout(timer);
}

/**
 * Bounds what open connections can hold: so many in all, so many from one address, and none that stands
 * still.
 */
function limitConnections(server: Server, limits: Limits): void {
  server.maxConnections = limits.connections;
  server.setTimeout(limits.idleMs);
  const byNetwork = new Map<string, number>();
  server.on('connection', (socket) => {
    const network = networkOf(socket.remoteAddress ?? 'unknown');
    const count = (byNetwork.get(network) ?? 0) + 1;
    if (count > limits.connectionsPerAddress) {
      socket.destroy();
      return;
    }
    byNetwork.set(network, count);
    socket.once('close', () => {
      const left = byNetwork.get(network)! - 1;
      if (left > 0) byNetwork.set(network, left);
      else byNetwork.delete(network);
    });
  });
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolvePort, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new ServerStartError(`Port ${port} is in use. Choose another with --port, or 0 for any free one.`)
          : error,
      ),
    );
    server.listen(port, host, () => resolvePort((server.address() as AddressInfo).port));
  });
}
