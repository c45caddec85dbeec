import { hmacSha256, type PeopleCoins } from '@hushrec/privacy';
import type { Credentials } from './admission.js';
import type { AggregatorPort, PutAnswer } from './aggregator-port.js';
import { toHex } from './bytes.js';
import { type Charter, mostExchanges } from './charter.js';
import type { DurableFolder } from './durable-folder.js';
import { RefusedError, RunOverError } from './federation-errors.js';
import { pause } from './pause.js';
import { firstHead, type LogReader, readEntry } from './release-log.js';
import type { SumRequest } from './sharing/exchanging.js';
import type { SharedReport, SumExchange } from './sharing/sharing.js';
import type { TokenIssuer } from './tokens.js';

/** Most milliseconds between two attempts of one who is early; and never more than this part of a window. */
const LONGEST_PAUSE = 60_000;
const LONGEST_PART = 1 / 8;

/** Where a participant finds the others. */
export interface Meeting {
  readonly aggregators: readonly Pick<AggregatorPort, 'put'>[];
  readonly log: LogReader;
  /** Proof of a named party that a share is its own. */
  readonly credentials?: Credentials;
  /** Whoever signs tokens for this participant, where the charter asks for them. */
  readonly issuer?: TokenIssuer;
}

export interface TakePartOptions {
  readonly folder: DurableFolder;
  readonly signal?: AbortSignal;
  /**
   * Charges the run to an account of the owner, durably, before anything is handed in; in place of the
   * folder's own list.
   */
  readonly charge?: (charter: Charter, hash: string) => Promise<void>;
  readonly progress?: (done: number, total: number) => void;
  /** Told about every share that left the device: for the owner, who may want to see it. */
  readonly sent?: (share: SentShare) => void;
  /** Told why nothing can be handed in yet, or no more at this exchange. */
  readonly waiting?: (reason: string) => void;
  /** In simulations: the root of masks and own noise, in place of secret bytes. */
  readonly root?: Uint8Array;
  /** In simulations: people's coins, in place of secret ones. */
  readonly coins?: PeopleCoins;
  /** Skips the dry run where the same charter was checked before in this process. */
  readonly checked?: boolean;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** One share as it left the device, whatever was answered. */
export interface SentShare {
  readonly exchange: number;
  /** Name of the aggregator. */
  readonly to: string;
  readonly bytes: number;
  /** False where the aggregator did not take it: it was early or late, by the clock there. */
  readonly isTaken: boolean;
}

/** The exchanges as one participant goes through them: reads what is in the log, hands in what is not. */
export class Visits implements SumExchange {
  readonly #charter: Charter;
  readonly #hash: string;
  readonly #root: Uint8Array;
  readonly #meeting: Meeting;
  readonly #options: TakePartOptions;
  #head: string;
  #handedIn = 0;
  #missed = 0;
  #bytesSent = 0;
  #next = 0;
  /** Exchanges at which reports were handed in before this process was started. */
  #before: ReadonlySet<number> | undefined;
  /**
   * Handed in at the exchange before and waited for its entry: this one has only begun, so that there is
   * nothing to read yet.
   */
  #inStep = false;

  constructor(charter: Charter, hash: string, root: Uint8Array, meeting: Meeting, options: TakePartOptions) {
    this.#charter = charter;
    this.#hash = hash;
    this.#root = root;
    this.#meeting = meeting;
    this.#options = options;
    this.#head = firstHead(hash);
  }

  get tally(): { handedIn: number; missed: number; bytesSent: number } {
    return { handedIn: this.#handedIn, missed: this.#missed, bytesSent: this.#bytesSent };
  }

  /**
   * Goes through the exchanges once more from the first: those that are in the log are read again, and not
   * counted again.
   */
  restart(): void {
    this.#head = firstHead(this.#hash);
    this.#inStep = false;
  }

  async settle(
    { exchange, lines, plan }: SumRequest,
    report: (id: string) => Promise<SharedReport>,
  ): Promise<Float64Array> {
    const { log } = this.#meeting;
    const { signal, progress } = this.#options;
    const early = this.#inStep ? undefined : await log.peek(exchange);
    if (early === undefined) this.#inStep = await this.#handIn(exchange, report);
    else if (exchange >= this.#next) await this.#countPast(exchange);
    const entry = early ?? (await log.entry(exchange, signal));
    if ('over' in entry) throw new RunOverError(entry.exchange, entry.over);
    const charter = this.#charter;
    const read = await readEntry(charter, this.#hash, exchange, this.#head, entry, { lines, plan });
    this.#head = read.hash;
    this.#next = Math.max(this.#next, exchange + 1);
    progress?.(this.#next, mostExchanges(charter));
    return read.values;
  }

  /** False where the exchange was over. */
  async #handIn(exchange: number, report: (id: string) => Promise<SharedReport>): Promise<boolean> {
    const { credentials } = this.#meeting;
    await this.#waitForWindow(exchange);
    const id = toHex(hmacSha256(this.#root, JSON.stringify(['hushrec-report-1', this.#hash, exchange])));
    const { words, seeds } = await report(id);
    // Aggregator 0 comes last: what it holds, all others hold too, so that no report is dropped for want of a
    // share.
    for (const at of [...seeds.keys()].map((each) => each + 1).concat(0)) {
      const body = at === 0 ? words : seeds[at - 1];
      const proof = await credentials?.(exchange, id, at, body);
      const { status, reason, sent: bytes = body.length } = await this.#put(at, exchange, id, body, proof);
      if (status === 410) {
        this.#sent(exchange, at, bytes, false);
        await this.#countPast(exchange);
        // Late, or one of both clocks is wrong: the reason names the time there.
        this.#options.waiting?.(`${this.#charter.aggregators[at].name}: ${reason}`);
        return false;
      }
      if (status !== 200 && status !== 201)
        throw new RefusedError(status, `${this.#charter.aggregators[at].name}: ${reason}`);
      this.#sent(exchange, at, bytes, true);
    }
    // For the owner's tally alone: a full disk is no reason to stop.
    const note = Uint8Array.of(exchange & 255, exchange >> 8);
    await this.#options.folder.append(this.#file, note).catch(() => undefined);
    this.#handedIn++;
    return true;
  }

  #sent(exchange: number, at: number, bytes: number, isTaken: boolean): void {
    this.#bytesSent += bytes;
    this.#options.sent?.({ exchange, to: this.#charter.aggregators[at].name, bytes, isTaken });
  }

  get #file(): string {
    return `handed-in-${this.#hash}`;
  }

  /**
   * Counts an exchange that is over: an earlier process may have handed in. One that was killed between the
   * last share and its note counts as missed.
   */
  async #countPast(exchange: number): Promise<void> {
    if ((await this.#handedInBefore()).has(exchange)) this.#handedIn++;
    else this.#missed++;
  }

  /** What earlier processes have handed in: two bytes an exchange; a torn end is none. */
  async #handedInBefore(): Promise<ReadonlySet<number>> {
    if (this.#before === undefined) {
      const bytes = (await this.#options.folder.read(this.#file)) ?? new Uint8Array();
      const count = Math.floor(bytes.length / 2);
      this.#before = new Set(
        Array.from({ length: count }, (_, at) => bytes[2 * at] + 256 * bytes[2 * at + 1]),
      );
    }
    return this.#before;
  }

  /** Nothing leaves before the window is open by the clock here. By the one there it may still be early. */
  async #waitForWindow(exchange: number): Promise<void> {
    const { pace } = this.#charter;
    const { clock = Date.now, signal, waiting } = this.#options;
    const opens = pace.kind === 'windows' ? (pace.windows[exchange]?.opens ?? '') : '';
    while (clock() < Date.parse(opens)) {
      waiting?.(`exchange ${exchange + 1} opens at ${opens}.`);
      await pause(Math.min(LONGEST_PAUSE, Date.parse(opens) - clock()), signal);
    }
  }

  /**
   * Hands one share over. Whoever is early by the aggregator's clock waits until its window is open there.
   */
  async #put(
    at: number,
    exchange: number,
    id: string,
    body: Uint8Array,
    proof: string | undefined,
  ): Promise<PutAnswer> {
    const { signal, waiting } = this.#options;
    const longest = this.#longestPause(exchange);
    for (let milliseconds = 500; ; milliseconds = Math.min(longest, 2 * milliseconds)) {
      signal?.throwIfAborted();
      const answer = await this.#meeting.aggregators[at].put(exchange, id, this.#head, body, proof);
      if (answer.status !== 425) return answer;
      this.#sent(exchange, at, answer.sent ?? body.length, false);
      waiting?.(`${this.#charter.aggregators[at].name}: ${answer.reason}`);
      await pause(milliseconds, signal);
    }
  }

  /** Short enough that no window opens and closes between two attempts. */
  #longestPause(exchange: number): number {
    const { pace } = this.#charter;
    const window = pace.kind === 'windows' ? pace.windows[exchange] : undefined;
    if (window === undefined) return LONGEST_PAUSE;
    return Math.min(LONGEST_PAUSE, LONGEST_PART * (Date.parse(window.closes) - Date.parse(window.opens)));
  }
}
