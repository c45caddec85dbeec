import type { EntryHeader } from './release-log.js';
import type { NamedSignature } from './signatures.js';

/** Answer to a report: its status in the HTTP interface, and a reason where it is a No. */
export interface PutAnswer {
  readonly status: 200 | 201 | 400 | 403 | 409 | 410 | 412 | 425;
  readonly reason: string;
  /** Bytes of the report as it went over a line. */
  readonly sent?: number;
}

/** How far an aggregator is with an exchange. */
export interface FoldState {
  /** Batches that are in the sum. */
  readonly batches: number;
  /** Ids of the last one, for an aggregator that has not got it yet. */
  readonly last: readonly string[];
  /** Hash of everything folded so far: what all aggregators must agree on. */
  readonly set: string;
  /** The set is promised or published: nothing can be added to it. */
  readonly closed: boolean;
}

/** What others ask of an aggregator: in this process, or over a network. */
export interface AggregatorPort {
  /** Takes a share. Over a line it is sealed (`remoteAggregator`, `aggregatorRoutes`). */
  put(
    exchange: number,
    report: string,
    logHead: string,
    body: Uint8Array,
    admission?: string,
  ): Promise<PutAnswer>;
  /**
   * Ids that it holds and has not folded, in the order in which they came: `most`, without the first `from`.
   */
  held(exchange: number, most: number, from: number): Promise<readonly string[]>;
  /** Which of these it does not hold. */
  lacking(exchange: number, ids: readonly string[]): Promise<readonly string[]>;
  state(exchange: number): Promise<FoldState>;
  /** Adds a batch to the sum; again with the same ids it does nothing. */
  fold(exchange: number, batch: number, ids: readonly string[]): Promise<FoldState>;
  /**
   * The sum of these reports with the noise of a look, where the charter provides for looks; the same again
   * for the same reports. A report is looked at `LOOKS` times at most.
   */
  look(exchange: number, ids: readonly string[]): Promise<Uint8Array<ArrayBuffer>>;
  /** Which reports were looked at together so far. */
  looks(exchange: number): Promise<readonly (readonly string[])[]>;
  /**
   * What this aggregator tells the other of the norm proofs of these reports, signed; the same again for the
   * same reports, which can never be others. Aggregator 1 speaks only of what it has accepted by then.
   */
  vouch(exchange: number, ids: readonly string[]): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Which of these reports prove that they are as short as they must be, by what the other aggregator has
   * told. Without norm proofs, and before that, none can be folded.
   */
  judge(exchange: number, ids: readonly string[], told: Uint8Array): Promise<readonly string[]>;
  /** The sum with noise, for this set and no other, ever. */
  publish(exchange: number, set: string): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Signs a log entry that holds what it published, follows what it signed before and has the sums of all
   * aggregators' words, which are given here in their order.
   */
  attest(header: EntryHeader, shares: readonly Uint8Array[]): Promise<NamedSignature>;
}

/** Most ids of one batch: what an aggregator has to go through at a time. */
export const MOST_IN_BATCH = 1000;

/** Most reports whose norm proofs are checked at a time: some hundred kilobytes. */
export const MOST_IN_JUDGEMENT = 32;
