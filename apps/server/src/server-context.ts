import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { AccountingThread } from './accounting/accounting-thread.js';
import type { DatasetCatalogue } from './catalogue/dataset-catalogue.js';
import type { ModelCatalogue } from './catalogue/model-catalogue.js';
import type { JobRunner } from './jobs/job-runner.js';
import type { AccessList, Role } from './protection/access.js';
import type { Rate } from './protection/rate-limit.js';
import type { StreamLimits } from './protection/stream-places.js';
import type { Log } from './request-log.js';
import type { ServerMetrics } from './server-metrics.js';
import type { RunStore } from './state/run-store.js';

/** Bounds on what callers may ask. */
export interface Limits {
  readonly bodyBytes: number;
  /** Requests by address, apart for each role: viewers do not use up what operators have. */
  readonly requests: Rate;
  /** Wrong tokens by address. */
  readonly wrongTokens: Rate;
  /** Starts and previews of runs by address. */
  readonly starts: Rate;
  /** Open event streams. */
  readonly streams: StreamLimits;
  /** For a reader of an event stream to take what was sent, before it is let go. */
  readonly streamStallMs: number;
  /** Open connections of the whole server, and from one address. */
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** Requests sent ahead on one connection, answered one after the other. */
  readonly pipelined: number;
  /** Without a byte either way, for a connection to be closed. */
  readonly idleMs: number;
  /** For one question to the accountants. */
  readonly accountingMs: number;
  /** For a whole request with its body to arrive. */
  readonly requestMs: number;
}

export const defaultLimits: Limits = {
  bodyBytes: 64 * 1024,
  requests: { burst: 10_000, perSecond: 5000 },
  wrongTokens: { burst: 10, perSecond: 0.2 },
  // A start takes two: its plan is asked for first.
  starts: { burst: 60, perSecond: 2 },
  streams: { total: 500, reservedForOperators: 50, perViewer: 100 },
  streamStallMs: 30_000,
  connections: 4000,
  connectionsPerAddress: 2000,
  pipelined: 16,
  idleMs: 120_000,
  accountingMs: 20_000,
  requestMs: 15_000,
};

/** A federated run that visitors may take part in: where its board and its aggregators are. */
export interface Invitation {
  readonly board: string;
  /** Which of the board's runs; its first one when absent. */
  readonly run?: string;
  readonly aggregators: readonly string[];
  /** Whoever signs tokens for those it has invited, where the charter asks for tokens. */
  readonly issuer?: string;
}

/** Everything the routes work with. */
export interface ServerContext {
  readonly models: ModelCatalogue;
  readonly datasets: DatasetCatalogue | undefined;
  /** All ratings behind this server are public: viewers see models without privacy, and comparisons. */
  readonly publicData: boolean;
  readonly reports: string | undefined;
  /** Folder with pictures of titles. */
  readonly pictures: string | undefined;
  /** Where the ledger is, when not the default one of this user. */
  readonly ledger: string | undefined;
  /** A model that is older makes `/readyz` say so; any age where absent. */
  readonly maxModelAgeMs: number | undefined;
  /** Absent when the server only publishes. */
  readonly jobs: JobRunner | undefined;
  readonly store: RunStore;
  readonly accounting: AccountingThread;
  readonly access: AccessList;
  readonly limits: Limits;
  readonly allowedHosts: ReadonlySet<string> | 'any';
  /** Foreign pages that may read `/models/…`; none by default. */
  readonly allowedOrigins: readonly string[];
  readonly log: Log;
  /** Lines of the log that nobody read. */
  readonly logLinesLost: () => number;
  readonly metrics: ServerMetrics;
  /** The federated run that visitors are invited to, if any. */
  readonly takePart: Invitation | undefined;
  /** Folder of the built page. */
  readonly site: string;
  readonly version: string;
  /** Aborted when the server shuts down. */
  readonly closing: AbortSignal;
}

export interface AppEnvironment {
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: {
    role: Role | undefined;
    /** Who has the token, where the token file says so. Never logged. */
    name: string | undefined;
    /** Who shares a share: a token, or an address where there is none. Never logged. */
    caller: string;
  };
}

export type App = OpenAPIHono<AppEnvironment>;
