import type { SigningKey } from '@hushrec/model/signing';
import { hmacSha256 } from '@hushrec/privacy';
import { admitted } from './admission.js';
import { type NoiseMaking, noisyWords } from './aggregator-noise.js';
import type { AggregatorPort, FoldState, PutAnswer } from './aggregator-port.js';
import { concatBytes, fromHex, hashHex, toHex, utf8 } from './bytes.js';
import { type Charter, charterHash } from './charter.js';
import type { DurableFolder } from './durable-folder.js';
import type { Schedule } from './exchange-plan.js';
import { CharterError, RefusedError } from './federation-errors.js';
import { OpenExchange, PUBLISHED_FOR_ANOTHER } from './open-exchange.js';
import { type EntryHeader, entryHash, faultInSums, firstHead, isEntryHeader } from './release-log.js';
import { charteredSchedule } from './schedule.js';
import { readSealedBytes, writeSealedBytes } from './sealed-record.js';
import { type NamedSignature, signAs, signedBy } from './signatures.js';

export interface AggregatorOptions extends NoiseMaking {
  /** Its place in the charter. */
  readonly index: number;
  readonly key: SigningKey;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** Moduli of the issuer's keys, where the charter asks for tokens. */
  readonly tokenKeys?: readonly string[];
  /**
   * What norm proofs are checked with: 32 bytes that both aggregators know, and nobody else (`verifyKey`).
   */
  readonly verifyKey?: Uint8Array;
  /** The charter's own lines when absent: a plan in stages needs a follower of the log. */
  readonly schedule?: Schedule;
}

/** Most ids that it names at a time: three megabytes. */
const MOST_HELD = 100_000;

/** Of Ed25519. */
const SIGNATURE_BYTES = 64;

const idForm = /^[0-9a-f]{64}$/;

/**
 * One of those who add up shares. It sees one share of each report, which tells nothing, and publishes its
 * sum with noise once for each exchange. Everything it must not forget is durable before anybody learns of
 * it: a killed aggregator goes on where it was, with the same bytes. Safe against every other role: whatever
 * they ask, in whatever order, it publishes one set an exchange.
 */
export class Aggregator implements AggregatorPort {
  readonly charter: Charter;
  readonly hash: string;
  readonly #options: AggregatorOptions;
  readonly #folder: DurableFolder;
  readonly #schedule: Schedule;
  /** The exchange that is under way, once its lines are known. */
  #open: Promise<OpenExchange | undefined> | undefined;
  #number: number;
  #head: string;
  /** Steps that change state come one after another. */
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(
    charter: Charter,
    hash: string,
    options: AggregatorOptions,
    folder: DurableFolder,
    number: number,
    head: string,
  ) {
    this.charter = charter;
    this.hash = hash;
    this.#options = options;
    this.#folder = folder;
    this.#number = number;
    this.#head = head;
    this.#schedule = options.schedule ?? charteredSchedule(charter);
  }

  /** Opens an aggregator on what it has kept: a new one on an empty folder. */
  static async open(
    charter: Charter,
    folder: DurableFolder,
    options: AggregatorOptions,
  ): Promise<Aggregator> {
    const hash = await charterHash(charter);
    if (charter.aggregators[options.index]?.publicKey !== options.key.publicKey)
      throw new CharterError(
        `aggregator ${options.index} has another key in it.`,
        'Give the key whose public half the charter names.',
      );
    if (charter.plan.later !== undefined && options.schedule === undefined)
      throw new CharterError(
        'its plan has later stages, whose lines follow from the log.',
        'Open the aggregator with a schedule that follows the log (`scheduleOf`).',
      );
    if (charter.admission.kind === 'issuer' && options.tokenKeys === undefined)
      throw new CharterError('it asks for tokens, and the keys of its issuer are missing.');
    if (charter.normProofs && options.verifyKey === undefined)
      throw new CharterError('it asks for norm proofs, and the key that they are checked with is missing.');
    if (options.repeatable && charter.simulation !== true)
      throw new CharterError(
        'it is no simulation, and noise that can be repeated protects nobody.',
        'Leave the seed out.',
      );
    const kept = await folder.read('charter');
    if (kept === undefined) await folder.write('charter', utf8(hash));
    else if (new TextDecoder().decode(kept) !== hash)
      throw new CharterError('this folder belongs to another run.', 'Use a folder of its own for each run.');
    const signed = await readSigned(folder);
    const head = signed.at(-1) ?? firstHead(hash);
    for (const name of await folder.list('exchange-'))
      if (Number(/^exchange-(\d+)\//.exec(name)?.[1]) < signed.length) await folder.remove(name);
    return new Aggregator(charter, hash, options, folder, signed.length, head);
  }

  /** The number of the exchange that is open; the number of all exchanges when the run has ended. */
  get exchange(): number {
    return this.#number;
  }

  #current(): Promise<OpenExchange | undefined> {
    if (this.#open === undefined) {
      const opening = this.#openExchange(this.#number);
      this.#open = opening;
      // What failed to open (a full disk) is tried again when somebody asks again.
      opening.catch(() => {
        if (this.#open === opening) this.#open = undefined;
      });
    }
    return this.#open;
  }

  async #openExchange(number: number): Promise<OpenExchange | undefined> {
    const planned = await this.#schedule.at(number);
    return (
      planned &&
      OpenExchange.open(this.charter, this.hash, this.#options.index, number, planned, this.#folder)
    );
  }

  /** Hash of the last entry it signed. */
  get head(): string {
    return this.#head;
  }

  async put(
    exchange: number,
    report: string,
    logHead: string,
    body: Uint8Array,
    admission?: string,
  ): Promise<PutAnswer> {
    const refuse = (status: PutAnswer['status'], reason: string): PutAnswer => ({ status, reason });
    if (!idForm.test(report)) return refuse(400, 'A report is named by 32 bytes in hexadecimal.');
    if (exchange < this.#number) return refuse(410, 'This exchange is over.');
    if (exchange !== this.#number || logHead !== this.#head)
      return refuse(412, 'This was made for another log than the one this aggregator signed.');
    const current = await this.#current();
    if (current === undefined) return refuse(410, 'The run is over.');
    const length = current.reportBytes;
    if (body.length !== length) return refuse(400, `A report of this exchange has ${length} bytes.`);
    const early = this.#outsideWindow(exchange);
    if (early !== undefined) return early;
    const { index: share, tokenKeys } = this.#options;
    const handedIn = { exchange, report, share, body };
    const holder = await admitted(this.charter, this.hash, handedIn, admission, tokenKeys);
    if (holder === undefined) return refuse(403, 'Who handed this in is not admitted by the charter.');
    // A set that is promised cannot grow.
    if (current.promised !== undefined) return refuse(410, 'This exchange is over.');
    const recorded = await current.book.put(report, holder, body);
    // Nor has who came while it was promised, and is not in it, come in time.
    if (current.promised !== undefined && !current.book.isFolded(report))
      return refuse(410, 'This exchange is over.');
    switch (recorded) {
      case 'new':
        return refuse(201, 'It is in.');
      case 'same':
      case 'folded':
        return refuse(200, 'It is in.');
      case 'full':
        return refuse(410, 'This exchange has no room left.');
      case 'other-bytes':
        return refuse(409, 'Other bytes were handed in under this name before.');
      case 'holder-used':
        return refuse(403, 'Whoever handed this in has handed in another report of this exchange.');
    }
  }

  #outsideWindow(exchange: number): PutAnswer | undefined {
    const { pace } = this.charter;
    if (pace.kind !== 'windows') return undefined;
    const now = (this.#options.clock ?? Date.now)();
    const window = pace.windows[exchange];
    if (window === undefined) return { status: 410, reason: 'The charter has no window for this exchange.' };
    const { opens, closes } = window;
    if (now < Date.parse(opens))
      return {
        status: 425,
        reason: `This exchange opens at ${opens}; it is ${new Date(now).toISOString()} here.`,
      };
    if (now >= Date.parse(closes))
      return {
        status: 410,
        reason: `This exchange closed at ${closes}; it is ${new Date(now).toISOString()} here.`,
      };
    return undefined;
  }

  #refuseOpenWindow(exchange: number): void {
    const { pace } = this.charter;
    if (pace.kind !== 'windows') return;
    const now = (this.#options.clock ?? Date.now)();
    const { closes = '' } = pace.windows[exchange] ?? {};
    if (now < Date.parse(closes))
      throw new RefusedError(
        425,
        `This exchange closes at ${closes}; it is ${new Date(now).toISOString()} here.`,
      );
  }

  async held(exchange: number, most: number, from: number): Promise<readonly string[]> {
    return (await this.#at(exchange)).book.ids(Math.min(most || 0, MOST_HELD), from || 0);
  }

  async lacking(exchange: number, ids: readonly string[]): Promise<readonly string[]> {
    const { book } = await this.#at(exchange);
    return ids.filter((id) => !book.has(id));
  }

  async state(exchange: number): Promise<FoldState> {
    if (exchange >= this.#number) return (await this.#at(exchange)).state();
    const kept = await readSealedBytes(this.#folder, `published-${exchange}`);
    if (kept === undefined) throw new RefusedError(410, 'This exchange is over.');
    return { batches: 0, last: [], set: toHex(kept.subarray(0, 32)), closed: true };
  }

  fold(exchange: number, batch: number, ids: readonly string[]): Promise<FoldState> {
    return this.#inTurn(async () => (await this.#at(exchange)).fold(batch, ids));
  }

  look(exchange: number, ids: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
    return this.#inTurn(async () => {
      const current = await this.#at(exchange);
      const { sums, set } = await current.look(ids);
      return noisyWords(this.charter, this.hash, current, sums, set, this.#options, 'look');
    });
  }

  async looks(exchange: number): Promise<readonly (readonly string[])[]> {
    return (await this.#at(exchange)).looks();
  }

  vouch(exchange: number, ids: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
    return this.#inTurn(async () => {
      const current = await this.#at(exchange);
      const messages = await current.vouch(ids, this.#proofKey(exchange));
      const { value } = await signAs('proof', await this.#told(exchange, ids, messages), this.#options.key);
      return concatBytes([fromHex(value), messages]);
    });
  }

  judge(exchange: number, ids: readonly string[], told: Uint8Array): Promise<readonly string[]> {
    return this.#inTurn(async () => {
      const current = await this.#at(exchange);
      const messages = told.slice(SIGNATURE_BYTES);
      const { publicKey } = this.charter.aggregators[1 - this.#options.index] ?? {};
      const value = toHex(told.subarray(0, SIGNATURE_BYTES));
      const content = await this.#told(exchange, ids, messages);
      if (publicKey === undefined || !(await signedBy('proof', content, { publicKey, value })))
        throw new RefusedError(403, 'This is not what the other aggregator says of these reports.');
      return current.judge(ids, this.#proofKey(exchange), messages);
    });
  }

  /** What an aggregator says when it sends messages about reports. */
  async #told(exchange: number, ids: readonly string[], messages: Uint8Array): Promise<unknown> {
    return { charter: this.hash, exchange, ids, messages: await hashHex(messages) };
  }

  /** A key of its own for each exchange of each charter. */
  #proofKey(exchange: number): Uint8Array {
    const identity = ['hushrec-proof-key-1', this.hash, exchange];
    return hmacSha256(this.#options.verifyKey!, JSON.stringify(identity));
  }

  publish(exchange: number, set: string): Promise<Uint8Array<ArrayBuffer>> {
    return this.#inTurn(async () => {
      if (exchange < this.#number) return this.#published(exchange, set);
      const current = await this.#at(exchange);
      if (current.promised !== undefined && current.promised !== set)
        throw new RefusedError(409, PUBLISHED_FOR_ANOTHER);
      // Before all that ends a run: whose clock is ahead may ask again.
      this.#refuseOpenWindow(exchange);
      if (current.state().set !== set)
        throw new RefusedError(409, 'This is not the set that this aggregator has added up.');
      if (current.book.folded < this.charter.leastReports)
        throw new RefusedError(403, 'There are fewer reports than the charter demands.');
      await current.promise(set);
      const words = await noisyWords(this.charter, this.hash, current, current.sums, set, this.#options);
      await writeSealedBytes(this.#folder, `published-${exchange}`, [fromHex(set), words]);
      return words;
    });
  }

  async #published(exchange: number, set: string): Promise<Uint8Array<ArrayBuffer>> {
    const kept = await readSealedBytes(this.#folder, `published-${exchange}`);
    if (kept === undefined || toHex(kept.subarray(0, 32)) !== set)
      throw new RefusedError(409, PUBLISHED_FOR_ANOTHER);
    return kept.slice(32);
  }

  attest(header: EntryHeader, shares: readonly Uint8Array[]): Promise<NamedSignature> {
    return this.#inTurn(async () => {
      // Nothing but hashes is signed: no word about how many there were.
      if (!isEntryHeader(header)) throw new RefusedError(400, 'That is no header of an entry.');
      const { key, index } = this.#options;
      const hash = await entryHash(header);
      const signed = await readSigned(this.#folder);
      if (header.exchange < signed.length) {
        if (signed[header.exchange] !== hash)
          throw new RefusedError(409, 'Another entry was signed for this exchange.');
        return signAs('entry', hash, key);
      }
      const current = await this.#at(header.exchange);
      const words = await readSealedBytes(this.#folder, `published-${header.exchange}`);
      if (words === undefined) throw new RefusedError(409, 'Nothing was published for this exchange yet.');
      if (
        header.charter !== this.hash ||
        header.previous !== this.#head ||
        header.set !== toHex(words.subarray(0, 32)) ||
        header.shares.length !== this.charter.aggregators.length ||
        header.shares[index] !== (await hashHex(words.subarray(32)))
      )
        throw new RefusedError(409, 'This entry is not about what this aggregator published.');
      // Its own words are out by now, so that nobody's can depend on what it sees here.
      const fault = await faultInSums(this.charter, header, shares, current.words);
      if (fault !== undefined) throw new RefusedError(409, `This entry is not signed: ${fault}`);
      await this.#folder.append('signed', fromHex(hash));
      this.#head = hash;
      this.#number++;
      this.#open = undefined;
      await current.forget();
      return signAs('entry', hash, key);
    });
  }

  async #at(exchange: number): Promise<OpenExchange> {
    const current = exchange === this.#number ? await this.#current() : undefined;
    if (current === undefined || exchange !== this.#number)
      throw new RefusedError(
        exchange < this.#number ? 410 : 412,
        `Exchange ${exchange + 1} is not open; this aggregator is at exchange ${this.#number + 1}.`,
      );
    return current;
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(step);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

/** Hashes of the entries that were signed, in order. A hash cut off by a crash was never given away. */
async function readSigned(folder: DurableFolder): Promise<string[]> {
  const bytes = (await folder.read('signed')) ?? new Uint8Array();
  const whole = Math.floor(bytes.length / 32);
  if (whole * 32 !== bytes.length) await folder.write('signed', bytes.subarray(0, whole * 32));
  return Array.from({ length: whole }, (_, at) => toHex(bytes.subarray(32 * at, 32 * at + 32)));
}
