import { isWeakDelta } from '@hushrec/model';
import {
  createSharingRecorder,
  hmacSha256,
  type PeopleCoins,
  peopleCoins,
  RunSecret,
  type SharedReport,
  type SharingOptions,
  type SumExchange,
  type SumRequest,
} from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';
import type { AggregatorPort, PutAnswer } from './aggregator-port.js';
import { concatBytes, hashHex, toHex, utf8 } from './bytes.js';
import {
  bytesOf,
  type Charter,
  charterHash,
  mostExchanges,
  noiseOnSum,
  readCharter,
  type SignedCharter,
} from './charter.js';
import { chargeRun, openRecord } from './contributor-record.js';
import type { DurableFolder } from './durable-folder.js';
import { CharterError, LogError, RefusedError, RunOverError, UnreachableError } from './federation-errors.js';
import {
  checkCharterByDryRun,
  type FederatedResult,
  noRatings,
  type PublicKnowledge,
  trainAsChartered,
} from './participant.js';
import { pause } from './pause.js';
import { firstHead, type LogReader, readEntry } from './release-log.js';

/** Most milliseconds between two attempts of one who is early; and never more than this part of a window. */
const LONGEST_PAUSE = 60_000;
const LONGEST_PART = 1 / 8;

/** What the owner of the ratings allows. */
export interface ContributorPolicy {
  /** Public keys of those who are trusted to be honest: at least as many of the charter's as it needs. */
  readonly trusted: readonly string[];
  /**
   * Most ε: of all runs together that this folder is charged with, or of this run where it is charged
   * elsewhere.
   */
  readonly mostEpsilon: number;
  /** Most δ of one run; 1/(10 × the charter's most people) when absent, and any in a simulation. */
  readonly mostDelta?: number;
  readonly mostBytes?: number;
  /** One person's ratings: what is handed in is measured against the sensitivity. Or many people's. */
  readonly kept: 'one-person' | 'many-people';
}

/** Where a participant finds the others. */
export interface Meeting {
  readonly aggregators: readonly Pick<AggregatorPort, 'put'>[];
  readonly log: LogReader;
  /** Proof that a report may be handed in, where the charter asks for one. */
  readonly credentials?: (exchange: number, report: string) => Promise<string>;
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
  /**
   * Told about every share that an aggregator took: for the owner, who may want to see what left the device.
   */
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

/** One share as it left the device. */
export interface SentShare {
  readonly exchange: number;
  /** Name of the aggregator. */
  readonly to: string;
  readonly bytes: number;
}

export interface TookPart {
  /** The model, the same for everyone. */
  readonly result: FederatedResult;
  /** Exchanges at which this participant handed in, or had before. */
  readonly handedIn: number;
  /** Exchanges that were over when it came. */
  readonly missed: number;
  readonly bytesSent: number;
  /** Why zeros were handed in from some exchange on. For the owner; nobody else is told. */
  readonly zerosBecause?: string;
}

/**
 * Takes part in a run, from wherever this participant's durable record and the log stand. Checks the charter,
 * charges the owner, then runs the method on the owner's ratings: every sum it asks for is handed in as
 * shares, and answered by the log.
 *
 * It always hands in something: whether a participant's own numbers can be handed in may depend on its
 * ratings, and presence must not. So after a failure of its own it hands in zeros to the end.
 *
 * @throws CharterError, ContributorBudgetError before anything is handed in; LogError, RunOverError,
 * UnreachableError later.
 */
export async function takePart(
  signed: SignedCharter,
  ratings: RatingMatrix,
  knowledge: PublicKnowledge,
  policy: ContributorPolicy,
  meeting: Meeting,
  options: TakePartOptions,
): Promise<TookPart> {
  const charter = await readCharter(signed, policy.trusted);
  checkRatings(charter, ratings, policy);
  // The folder's own account looks at ε itself: of all runs together, and not again where this one is paid.
  if (options.charge) checkEpsilon(charter, policy.mostEpsilon);
  checkDeltaAndBytes(charter, policy);
  if (!options.checked) await checkCharterByDryRun(charter, knowledge);
  const { folder } = options;
  const hash = await charterHash(charter);
  // Charged before the record, and the record before the first report: spent is never less than released.
  if (options.charge) await options.charge(charter, hash);
  else {
    const { epsilon, delta } = charter.plan;
    const at = new Date((options.clock ?? Date.now)()).toISOString();
    await chargeRun(folder, { charter: hash, epsilon, delta, at }, policy.mostEpsilon);
  }
  const record = await openRecord(folder, hash, await ratingsHash(ratings), options.root);
  const sharing: SharingOptions = {
    exchanges: charter.exchanges,
    wordBytes: charter.wordBytes,
    aggregators: charter.aggregators.length,
    root: record.root,
    honestNeeded: charter.noise.honestNeeded,
    noiseOnSum: noiseOnSum(charter),
    addsNoise: charter.noise.by === 'parties',
    onePerson: policy.kept === 'one-person',
  };
  const visits = new Visits(charter, hash, record.root, meeting, options);
  const attend = async (own: RatingMatrix, coins: PeopleCoins): Promise<FederatedResult> => {
    const recorder = createSharingRecorder(charter.plan, visits, sharing);
    const trained = await trainAsChartered(charter, knowledge, own, recorder, {
      coins,
      ...(options.signal && { signal: options.signal }),
    });
    return {
      model: trained.model,
      record: recorder.finish(),
      ...(trained.facts && { facts: trained.facts }),
    };
  };
  const coins = options.coins ?? peopleCoins(new RunSecret({ key: record.root }));
  try {
    return { result: await attend(ratings, coins), ...visits.tally };
  } catch (error) {
    if (!isOwnFailure(error, options.signal)) throw error;
    // Somebody without ratings hands in zeros, and asks for the same lines as everybody else.
    visits.restart();
    const result = await attend(noRatings(charter), coins);
    return { result, ...visits.tally, zerosBecause: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Failures that lie with others, or with the line to them, end taking part; all others are this participant's
 * own.
 */
function isOwnFailure(error: unknown, signal: AbortSignal | undefined): boolean {
  return !(
    signal?.aborted ||
    error instanceof LogError ||
    error instanceof RunOverError ||
    error instanceof UnreachableError ||
    error instanceof RefusedError
  );
}

/**
 * Refuses a charter that asks for more ε than its owner allows for one run. @throws CharterError
 */
export function checkEpsilon({ plan }: Charter, mostEpsilon: number): void {
  if (!(plan.epsilon <= mostEpsilon))
    throw new CharterError(`it asks for ε = ${plan.epsilon}, and you allow ${mostEpsilon}.`, allowMore);
}

/**
 * Refuses a charter that asks for more δ, or for more bytes, than its owner allows. @throws CharterError
 */
export function checkDeltaAndBytes(
  charter: Charter,
  { mostDelta, mostBytes }: Pick<ContributorPolicy, 'mostDelta' | 'mostBytes'>,
): void {
  const { plan, mostPeople, simulation } = charter;
  if (mostDelta !== undefined && !(plan.delta <= mostDelta))
    throw new CharterError(`it asks for δ = ${plan.delta}, and you allow ${mostDelta}.`, allowMore);
  if (mostDelta === undefined && !simulation && isWeakDelta(plan.delta, mostPeople))
    throw new CharterError(
      `its δ = ${plan.delta} is above 1/(10 × ${mostPeople} people): publishing one person whole would be within it.`,
      'Do not take part, or say which δ you allow (--most-delta). Nothing was charged.',
    );
  const { sent } = bytesOf(charter);
  if (mostBytes !== undefined && sent > mostBytes)
    throw new CharterError(`it would send ${sent} bytes, and you allow ${mostBytes}.`, allowMore);
}

const allowMore = 'Allow more, or do not take part. Nothing was charged.';

function checkRatings({ catalogue }: Charter, ratings: RatingMatrix, { kept }: ContributorPolicy): void {
  const { itemCount, scale } = catalogue;
  if (ratings.itemCount !== itemCount)
    throw new CharterError(
      `its catalogue has ${itemCount} items and these ratings are about ${ratings.itemCount}.`,
      'Map the ratings to the items of the charter first.',
    );
  if (ratings.scale.min !== scale.min || ratings.scale.max !== scale.max)
    throw new CharterError(
      `its ratings go from ${scale.min} to ${scale.max}, these from ${ratings.scale.min} to ${ratings.scale.max}.`,
      'Import them with the scale of the charter.',
    );
  if (kept === 'one-person' && ratings.userCount !== 1)
    throw new CharterError(
      `one person takes part here, and there are ${ratings.userCount}.`,
      'Say that many people are kept.',
    );
}

/** Binds a record to the ratings it was begun with. */
async function ratingsHash({ byUser }: RatingMatrix): Promise<string> {
  const bytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
    new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength).slice();
  return hashHex(
    concatBytes([
      utf8(`${byUser.rowCount} ${byUser.columnCount} `),
      bytes(byUser.offsets),
      bytes(byUser.indices),
      bytes(byUser.values),
    ]),
  );
}

/** The exchanges as one participant goes through them: reads what is in the log, hands in what is not. */
class Visits implements SumExchange {
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
    report: () => Promise<SharedReport>,
  ): Promise<Float64Array> {
    const { log } = this.#meeting;
    const { signal, progress } = this.#options;
    const early = this.#inStep ? undefined : await log.peek(exchange);
    if (early === undefined) this.#inStep = await this.#handIn(exchange, await report());
    else if (exchange >= this.#next) this.#missed++;
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
  async #handIn(exchange: number, { words, seeds }: SharedReport): Promise<boolean> {
    const { credentials } = this.#meeting;
    const id = toHex(hmacSha256(this.#root, JSON.stringify(['hushrec-report-1', this.#hash, exchange])));
    const proof = await credentials?.(exchange, id);
    // Aggregator 0 comes last: what it holds, all others hold too, so that no report is dropped for want of a
    // share.
    for (const at of [...seeds.keys()].map((each) => each + 1).concat(0)) {
      const body = at === 0 ? words : seeds[at - 1];
      const { status, reason } = await this.#put(at, exchange, id, body, proof);
      if (status === 410) {
        this.#missed++;
        // Late, or one of both clocks is wrong: the reason names the time there.
        this.#options.waiting?.(`${this.#charter.aggregators[at].name}: ${reason}`);
        return false;
      }
      if (status !== 200 && status !== 201)
        throw new RefusedError(status, `${this.#charter.aggregators[at].name}: ${reason}`);
      this.#bytesSent += body.length;
      this.#options.sent?.({ exchange, to: this.#charter.aggregators[at].name, bytes: body.length });
    }
    this.#handedIn++;
    return true;
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
