import type { SweepRow } from '@hushrec/evaluate';
import type { Usefulness } from '@hushrec/model/usefulness';

/**
 * The HTTP interface, once: the server's answers have these types (its schemas are checked against them), and
 * the page reads them. An ε of null is not finite: no guarantee.
 */

/** What lists and choices show of a model: the guarantee first. */
export interface ModelSummary {
  readonly id: string;
  /** Of its certificate: `/models/{id}/@{hash}/{file}` is of this model and of no other. */
  readonly hash: string;
  readonly method: string;
  readonly unit: string;
  readonly relation: string;
  readonly epsilon: number | null;
  readonly delta: number;
  readonly simulation: boolean;
  readonly signed: boolean;
  readonly kind: string;
  readonly feedback: 'explicit' | 'implicit';
  readonly items: number;
  readonly rank: number | null;
  readonly scale: { readonly min: number; readonly max: number; readonly step: number } | null;
  /** Models with the same one rank the same catalogue and share a history on the device. */
  readonly account: string;
  /** The hash of the ledger's entry that paid for it, as its certificate says; null where none was kept. */
  readonly ledgerEntry: string | null;
  /** Whether there is more than noise in it; null where that is not known. */
  readonly usefulness: Usefulness | null;
  /** Bytes of all its files. */
  readonly bytes: number;
  /** ISO 8601, UTC; for viewers the day alone. */
  readonly publishedAt: string;
  /** The operator named it as the one that is published now (`hushrec serve --published-now`). */
  readonly isPublishedNow: boolean;
  /** File names with their entity tags, to fetch `/models/{id}/{file}`. */
  readonly files: Readonly<Record<string, string>>;
  /** The content of `metrics.json`, or null when the model was not evaluated. */
  readonly metrics: Readonly<Record<string, unknown>> | null;
}

/** `GET /api/models`. */
export interface ModelList {
  readonly models: readonly ModelSummary[];
  /** Folders that are not whole models, and why. */
  readonly broken: readonly { readonly id: string; readonly problem: string }[];
}

/** `GET /api/datasets`, for operators. */
export interface DatasetSummary {
  readonly id: string;
  readonly name: string;
  readonly people: number;
  readonly items: number;
  readonly ratings: number;
  readonly scale: { readonly min: number; readonly max: number; readonly step: number };
  readonly contentHash: string;
  /** What the latest models of these people released of how often titles were rated: forecasts use it. */
  readonly counted: readonly CountedBefore[];
}

/** Counts that a published model released, from stars or from choices, with their noise taken out. */
export interface CountedBefore {
  readonly model: string;
  readonly feedback: 'ratings' | 'likes';
  /** Weighted counts, from the largest on: root mean squares of equal parts of the catalogue. */
  readonly parts: number[];
  readonly people: { readonly about: number; readonly error: number } | null;
  /**
   * About the standard deviation of the logarithm of the largest tenth, over all noise there might have been.
   */
  readonly error: number;
}

/** `GET /api/methods`. */
export interface MethodSummary {
  readonly id: string;
  readonly title: string;
  readonly paper: string;
  readonly feedback: readonly string[];
  readonly protects: readonly { readonly unit: string; readonly relation: string }[];
  readonly settings: Readonly<Record<string, SettingSummary>>;
}

export interface SettingSummary {
  readonly type: 'number' | 'integer' | 'choice' | 'boolean' | 'numbers-by-name';
  readonly default: number | string | boolean;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  readonly description?: string;
}

/** Where a training run stands. `interrupted`: the server ended while it ran; it can be resumed. */
export const runStatuses = ['queued', 'running', 'done', 'failed', 'stopped', 'interrupted'] as const;
export type RunStatus = (typeof runStatuses)[number];

/** What was asked for (`POST /api/runs`). Holds settings only, nothing about people. */
export interface RunRequest {
  /**
   * `hash` of the plan that was shown (`POST /api/plans`): the promise under which the run is started. A run
   * whose own plan has another one is refused before anything is charged.
   */
  readonly plan: string;
  /** Name of a data set folder. */
  readonly dataset: string;
  readonly method: string;
  /** Absent for methods without privacy. */
  readonly epsilon?: number;
  readonly delta?: number;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /** Lists or predicted ratings (`train --goal`); absent: what the method makes unless told otherwise. */
  readonly goal?: 'rank' | 'stars';
  /** Learn choices, not stars: ratings of at least this much, without their value (`train --liked`). */
  readonly liked?: number;
  /** Name of the model folder that will be written. */
  readonly model: string;
  /** Measure quality afterwards: trains once more on a part of the data, as a simulation. */
  readonly evaluate?: boolean;
  /**
   * Make a run without a finite cost although the account has a budget, and write that down in the ledger
   * (`train --record-unprotected`).
   */
  readonly recordUnprotected?: boolean;
  /**
   * Publish the model only if at least so many titles stand out from the noise, by released numbers;
   * otherwise it waits for an operator.
   */
  readonly publishFrom?: number;
}

export interface RunProgress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
  readonly live?: LiveSignal;
}

/**
 * What a run has released so far and how much of it is more than noise: from released numbers, so it is
 * public.
 */
export interface LiveSignal {
  /** Names of what was released, in order. */
  readonly releases: readonly string[];
  /** Seconds from the start of the run until the server heard of each; operators alone are told. */
  readonly seconds?: readonly number[];
  readonly items?: number;
  /** About how many items have a count of more than two standard deviations of its noise. */
  readonly itemsAboveNoise?: number;
  /**
   * Signal over noise of what was last released item by item, from the rarest fifth of items to the most
   * counted; null where no signal can be told.
   */
  readonly fifths?: readonly (number | null)[];
}

/** One training run, as stored and as the interface shows it. */
export interface Run {
  readonly id: string;
  /** Viewers do not get the plan. */
  readonly request: Omit<RunRequest, 'plan'> & { readonly plan?: string };
  readonly status: RunStatus;
  /** The name beside the token that started it, for operators; null where there is none. */
  readonly startedBy: string | null;
  /** Whether its model is published: false where it waits for an operator, null before it is made. */
  readonly published: boolean | null;
  /** ISO 8601, UTC; for viewers the day alone. */
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly progress: RunProgress | null;
  /** What `train --json` printed. */
  readonly result: Readonly<Record<string, unknown>> | null;
  /** What `evaluate --json` printed. Exact numbers about people: for operators, never published. */
  readonly quality: Readonly<Record<string, unknown>> | null;
  /** One message for people; null unless the run failed. */
  readonly error: string | null;
}

/**
 * ε of the people over all runs: the limit, spent so far, and with one more run. Null where it is not finite,
 * or no limit.
 */
export interface Budget {
  readonly granted: number | null;
  readonly spent: number | null;
  readonly after: number | null;
  /** δ of the account, at which all of these are said; a run may promise its ε at another one. */
  readonly delta: number;
  /** ε of the run alone at that δ. */
  readonly own: number | null;
}

/** `POST /api/plans`: what a run would promise, from settings and the data set's public shape. */
export interface PlanPreview {
  /** SHA-256 over what is public of the plan: a run is started with it. */
  readonly hash: string;
  readonly method: string;
  readonly title: string;
  readonly unit: string;
  readonly relation: string;
  readonly epsilon: number | null;
  readonly delta: number;
  readonly accountant: string;
  /** The guarantee in sentences. */
  readonly words: string[];
  readonly releases: { name: string; mechanism: string; sensitivity: number; noise: number; count: number }[];
  readonly settings: Record<string, string | number | boolean>;
  readonly budget: Budget | null;
  /**
   * The account has a budget that this run has no finite cost in: refused, unless it is to be written down.
   */
  readonly isUnprotected: boolean;
}

/** `GET /api/ledger`: the budget of the people behind one data set. */
export interface LedgerView {
  readonly dataset: string;
  readonly name: string;
  /** Random id of the account. */
  readonly account: string;
  readonly grant: {
    readonly epsilon: number | null;
    readonly delta: number;
    readonly unit: string;
    /** The total starts anew in each: week, month, quarter, year; null: once and for all. */
    readonly period: string | null;
  } | null;
  readonly refused: boolean;
  readonly runs: number;
  /** For operators; null for others. */
  readonly unfinishedRuns: number | null;
  readonly spent: {
    readonly epsilon: number | null;
    readonly delta: number;
    readonly unit: string;
    readonly accountant: string;
  }[];
  /** The latest first. */
  readonly entries: LedgerEntryView[];
  /** Why the ledger cannot be trusted or read; null when it can. */
  readonly problem: string | null;
}

/** Viewers get no completions, and days in the place of times: how long a run took depends on the ratings. */
/** What an entry of a ledger is about. */
export type LedgerEntryKind =
  | 'account'
  | 'grant'
  | 'refusal'
  | 'spend'
  | 'unprotected'
  | 'completion'
  | 'merge'
  | 'different'
  | 'loss';

export interface LedgerEntryView {
  readonly number: number;
  /** ISO 8601, UTC; for viewers the day alone. */
  readonly at: string;
  readonly kind: LedgerEntryKind;
  readonly detail: string;
  readonly hash: string;
  /**
   * Of a run, for operators: whether it reported its end. Those that did not count all the same. Null for
   * other entries, and for viewers.
   */
  readonly finished: boolean | null;
  /**
   * Of a run: its own ε, and the account's after it, at the grant's δ. Null for other entries, and for runs
   * of long ago.
   */
  readonly cost: { readonly epsilon: number | null; readonly after: number | null } | null;
}

/** `POST /api/ledger/{dataset}/grant`, for operators. Who decided and why goes into the ledger. */
export interface GrantRequest {
  readonly epsilon: number;
  readonly note: string;
}

/** `POST /api/ledger/{dataset}/refuse`, for operators. */
export interface RefuseRequest {
  readonly note: string;
}

/** `GET /api/comparisons`: results of `hushrec compare`. */
export interface Comparison {
  readonly id: string;
  readonly title: string;
  /** The one that decides: of stars where these are predicted, of favourites where titles are ranked. */
  readonly metric: string;
  /** The best method without privacy on validation; null in comparisons that name none. */
  readonly withoutPrivacy: string | null;
  readonly rows: readonly ComparisonRow[];
  /** Means by popularity of the items, the rarest first; null where nothing was measured. */
  readonly slices: readonly {
    readonly name: string;
    readonly metric: string;
    readonly values: readonly (number | null)[];
  }[];
  /**
   * Signal over noise in what each method last released item by item, by the same slices, mean over runs;
   * null where no signal can be told from noise.
   */
  readonly signals: readonly {
    readonly method: string;
    readonly epsilon: number;
    readonly values: readonly (number | null)[];
  }[];
  /** What the methods were given; null in comparisons that do not say. */
  readonly trainedOn: {
    readonly people: number;
    readonly items: number;
    readonly ratings: number;
    readonly feedback: 'ratings' | 'likes';
  } | null;
  /** There is a self-contained report beside it. */
  readonly hasReport: boolean;
}

/** A row of the sweep as JSON carries it: a spread that is no number has no value. */
export interface ComparisonRow extends Omit<SweepRow, 'sd'> {
  readonly sd: number | null;
}

/** The parts of a certificate that the page compares models by; `@hushrec/model` has all of them. */
export interface CertificateReleases {
  readonly releases: readonly {
    readonly name: string;
    readonly sensitivity: number;
    readonly noise: number;
  }[];
}

/** What a plan is asked for with (`POST /api/plans`). */
export type PlanRequest = Omit<RunRequest, 'plan' | 'evaluate' | 'recordUnprotected' | 'publishFrom'>;

/** Answers to `GET`, by path: routes of the server are checked against them, and the page asks by them. */
export interface Answers {
  readonly '/api/models': ModelList;
  readonly [certificate: `/api/models/${string}/certificate`]: CertificateReleases;
  readonly '/api/datasets': { readonly datasets: readonly DatasetSummary[] };
  readonly '/api/methods': { readonly methods: readonly MethodSummary[] };
  readonly '/api/comparisons': { readonly comparisons: readonly Comparison[] };
  readonly '/api/ledger': { readonly ledgers: readonly LedgerView[] };
  readonly '/api/runs': { readonly runs: readonly Run[] };
  readonly '/api/whoami': { readonly role: string | null };
  readonly '/api/take-part': { readonly open: boolean };
}

/** What is sent by `POST`, and the answer to it, by path. */
export interface Sent {
  readonly '/api/plans': { readonly body: PlanRequest; readonly answer: PlanPreview };
  readonly '/api/runs': { readonly body: RunRequest; readonly answer: Run };
  readonly [change: `/api/runs/${string}/${'stop' | 'resume' | 'publish'}`]: {
    readonly body: undefined;
    readonly answer: Run;
  };
  readonly [grant: `/api/ledger/${string}/grant`]: {
    readonly body: GrantRequest;
    readonly answer: { readonly ledger: LedgerView };
  };
  readonly [refusal: `/api/ledger/${string}/refuse`]: {
    readonly body: RefuseRequest;
    readonly answer: { readonly ledger: LedgerView };
  };
}
