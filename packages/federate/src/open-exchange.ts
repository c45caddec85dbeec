import { canonicalJson } from '@hushrec/model/signing';
import { type FoldState, MOST_IN_BATCH, MOST_IN_JUDGEMENT } from './aggregator-port.js';
import { concatBytes, fromHex, hashHex, toHex, utf8 } from './bytes.js';
import type { Charter } from './charter.js';
import { type DurableFolder, subfolder } from './durable-folder.js';
import { type ExchangePlan, wordCount } from './exchange-plan.js';
import { RefusedError } from './federation-errors.js';
import { type FoldedReport, ReportBook } from './report-book.js';
import { LOOKS, MOST_IN_LOOK } from './screening.js';
import {
  createSealed,
  DamagedRecordError,
  readSealed,
  readSealedBytes,
  writeSealed,
  writeSealedBytes,
} from './sealed-record.js';
import { LineProofs, type PreparedReport } from './sharing/line-proofs.js';
import { expandSeed, WordSums } from './sharing/sharing-words.js';

/**
 * What an aggregator takes beyond the people that the charter expects, so that invented reports keep nobody
 * out soon.
 */
const SPARE_REPORTS = 100_000;

/** What was folded so far, as it lies on the disk. */
interface Folded {
  readonly batches: number;
  readonly set: string;
  readonly reports: readonly FoldedReport[];
  /** Ids of the last batch. */
  readonly last: readonly string[];
  readonly sums: WordSums;
}

/**
 * The exchange that is under way at one aggregator: reports that came, what is folded, which set is promised.
 */
export class OpenExchange {
  readonly number: number;
  readonly planned: ExchangePlan;
  readonly words: number;
  readonly book: ReportBook;
  readonly #charter: Charter;
  readonly #index: number;
  readonly #folder: DurableFolder;
  sums: WordSums;
  promised: string | undefined;
  /** Reports that were looked at together, in the order of their files. */
  readonly #looks: (readonly string[])[] = [];
  /** How often each report was looked at. */
  readonly #looked = new Map<string, number>();
  /** Of the lines of this exchange, where the charter asks for norm proofs. */
  readonly proofs: LineProofs | undefined;
  /** Reports whose proofs are in order. */
  readonly #proved = new Set<string>();
  /** This aggregator's halves of checks, of one group at a time. */
  readonly #prepared = new Map<string, PreparedReport>();
  #batches: number;
  #last: readonly string[];
  #set: string;

  private constructor(
    charter: Charter,
    index: number,
    number: number,
    planned: ExchangePlan,
    folder: DurableFolder,
    book: ReportBook,
    { sums, batches, last, set }: Folded,
    promised: string | undefined,
  ) {
    this.#charter = charter;
    this.#index = index;
    this.number = number;
    this.planned = planned;
    this.words = wordCount(planned.lines);
    this.#folder = folder;
    this.book = book;
    this.sums = sums;
    this.promised = promised;
    this.proofs = charter.normProofs && provable(planned);
    this.#batches = batches;
    this.#last = last;
    this.#set = set;
  }

  static async open(
    charter: Charter,
    hash: string,
    index: number,
    number: number,
    planned: ExchangePlan,
    root: DurableFolder,
  ): Promise<OpenExchange> {
    const folder = subfolder(root, `exchange-${number}`);
    const folded = await readFolded(folder, charter, hash, number, planned);
    const promised = await folder.read('promised');
    const book = await ReportBook.open(folder, {
      perSegment: MOST_IN_BATCH,
      // Named parties and tokens are few by themselves; others may be invented.
      most: charter.mostPeople + SPARE_REPORTS,
      folded: folded.reports,
    });
    const set = promised === undefined ? undefined : toHex(promised);
    const opened = new OpenExchange(charter, index, number, planned, folder, book, folded, set);
    await opened.#readLooks();
    await opened.#readProved();
    return opened;
  }

  state(): FoldState {
    return {
      batches: this.#batches,
      last: this.#last,
      set: this.#set,
      closed: this.promised !== undefined,
    };
  }

  async fold(batch: number, ids: readonly string[]): Promise<FoldState> {
    if (batch === this.#batches - 1 && canonicalJson(ids) === canonicalJson(this.#last)) return this.state();
    if (batch !== this.#batches) throw new RefusedError(409, `Batch ${batch} is not the next one.`);
    if (this.promised !== undefined) throw new RefusedError(409, 'The set of this exchange is promised.');
    this.#refuseIds(ids, MOST_IN_BATCH);
    if (this.proofs !== undefined && !ids.every((id) => this.#proved.has(id)))
      throw new RefusedError(409, 'A report of this batch has not proved that it is short enough.');
    const sums = await this.#sumOf(ids, this.sums);
    const set = await hashHex(canonicalJson(['set', this.#set, ids]));
    // The batch first: what it names is in the sum when the sum says so, and is written anew until then.
    const records = ids.map((id) => ({ id, holder: this.book.holderOf(id) }));
    await writeSealed(this.#folder, batchName(this.#batches), records);
    const head = utf8(JSON.stringify({ batches: this.#batches + 1, set }));
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, head.length, true);
    await writeSealedBytes(this.#folder, 'fold', [length, head, sums.words()]);
    this.sums = sums;
    this.#batches++;
    this.#last = [...ids];
    this.#set = set;
    await this.book.fold(ids);
    return this.state();
  }

  #refuseIds(ids: readonly string[], most: number): void {
    if (ids.length === 0 || ids.length > most)
      throw new RefusedError(400, `A batch has 1 to ${most} reports.`);
    if (ids.some((id, at) => at > 0 && !(id > ids[at - 1])))
      throw new RefusedError(409, 'Ids of a batch must be different and in order.');
    if (ids.some((id) => this.book.isFolded(id)))
      throw new RefusedError(409, 'A report would be counted twice.');
    if (ids.some((id) => !this.book.has(id)))
      throw new RefusedError(409, 'A report of this batch is not here.');
  }

  /** Bytes of a report here. */
  get reportBytes(): number {
    if (this.proofs !== undefined) return this.proofs.reportBytes[this.#which];
    return this.#index === 0 ? this.words * this.#charter.wordBytes : 32;
  }

  /** Where there are norm proofs there are two. */
  get #which(): 0 | 1 {
    return this.#index === 0 ? 0 : 1;
  }

  async #prepare(id: string, key: Uint8Array): Promise<PreparedReport> {
    if (!this.#prepared.has(id))
      this.#prepared.set(id, await this.proofs!.prepare(key, this.#which, id, await this.book.read(id)));
    return this.#prepared.get(id);
  }

  #refuseProofs(ids: readonly string[]): LineProofs {
    if (this.proofs === undefined) throw new RefusedError(403, 'The charter provides for no norm proofs.');
    if (this.promised !== undefined) throw new RefusedError(409, 'The set of this exchange is promised.');
    this.#refuseIds(ids, MOST_IN_JUDGEMENT);
    for (const id of this.#prepared.keys()) if (!ids.includes(id)) this.#prepared.delete(id);
    return this.proofs;
  }

  /**
   * What the other aggregator is told of these reports. A message follows from a report that is on the disk
   * and stays the same, so that there is one of each for ever. It gives away the point at which a proof is
   * looked at. So aggregator 1 says nothing before aggregator 0 has told it of the same report, and thereby
   * that the other share is on its disk: whoever knew the point could choose that share so that it proves
   * anything. (Of the share here a proof is the expansion of a seed, which nobody can choose so.)
   */
  async vouch(ids: readonly string[], key: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const proofs = this.#refuseProofs(ids);
    if (this.#index === 1 && !ids.every((id) => this.#proved.has(id)))
      throw new RefusedError(409, 'Aggregator 0 has not told of a report of these, or it proves nothing.');
    const messages: Uint8Array[] = [];
    for (const id of ids) messages.push(proofs.messageOf(await this.#prepare(id, key)));
    return concatBytes(messages);
  }

  /** Those of these reports whose proofs are in order: durable before anybody learns of it. */
  async judge(ids: readonly string[], key: Uint8Array, told: Uint8Array): Promise<readonly string[]> {
    const proofs = this.#refuseProofs(ids);
    const { messageBytes } = proofs;
    if (told.length !== ids.length * messageBytes)
      throw new RefusedError(400, `A message of each report has ${messageBytes} bytes.`);
    const proved: string[] = [];
    for (const [at, id] of ids.entries()) {
      const message = told.subarray(at * messageBytes, (at + 1) * messageBytes);
      const isProved = await proofs.accepts(await this.#prepare(id, key), this.#which, message);
      if (isProved) proved.push(id);
    }
    const found = proved.filter((id) => !this.#proved.has(id));
    if (found.length > 0) await this.#folder.append(PROVED, concatBytes(found.map(fromHex)));
    for (const id of found) this.#proved.add(id);
    return proved;
  }

  /** An id cut off by a crash was never told to anybody. */
  async #readProved(): Promise<void> {
    const bytes = (await this.#folder.read(PROVED)) ?? new Uint8Array();
    const whole = 32 * Math.floor(bytes.length / 32);
    if (whole !== bytes.length) await this.#folder.write(PROVED, bytes.subarray(0, whole));
    for (let at = 0; at < whole; at += 32) this.#proved.add(toHex(bytes.subarray(at, at + 32)));
  }

  /** Shares of reports, and what they are added to. */
  async #sumOf(ids: readonly string[], before?: WordSums): Promise<WordSums> {
    const { wordBytes } = this.#charter;
    const count = this.words;
    const sums = new WordSums(count, wordBytes);
    if (before !== undefined) sums.add(before.words());
    for (const id of ids) {
      const body = await this.book.read(id);
      if (this.proofs !== undefined) {
        let begin = 0;
        for (const numbers of await this.proofs.values(this.#which, body)) {
          sums.addNumbers(numbers, begin);
          begin += numbers.length;
        }
      } else sums.add(this.#index === 0 ? body : await expandSeed(body, count, wordBytes));
    }
    return sums;
  }

  /** Which reports were looked at together. */
  looks(): readonly (readonly string[])[] {
    return this.#looks;
  }

  /** Looks that are on the disk and not known here yet. */
  async #readLooks(): Promise<void> {
    for (;;) {
      const ids = await readSealed<readonly string[]>(this.#folder, lookName(this.#looks.length));
      if (ids === undefined) return;
      this.#looks.push(ids);
      for (const id of ids) this.#looked.set(id, (this.#looked.get(id) ?? 0) + 1);
    }
  }

  /**
   * The sum of a few reports, to be shown with the noise of a look. Durable before anything of it is known: a
   * report is looked at `LOOKS` times at most, whoever asks, however often this is started and in however
   * many processes. Of two that look at the same time the second finds its place taken and counts again.
   */
  async look(ids: readonly string[]): Promise<{ readonly sums: WordSums; readonly set: string }> {
    if (this.#charter.screening === undefined)
      throw new RefusedError(403, 'The charter provides for no looks at reports.');
    if (this.promised !== undefined) throw new RefusedError(409, 'The set of this exchange is promised.');
    this.#refuseIds(ids, MOST_IN_LOOK);
    const isSame = (each: readonly string[]) =>
      each.length === ids.length && ids.every((id, at) => id === each[at]);
    for (;;) {
      await this.#readLooks();
      if (this.#looks.some(isSame)) break;
      if (ids.some((id) => (this.#looked.get(id) ?? 0) >= LOOKS))
        throw new RefusedError(403, 'A report of these was looked at as often as the charter allows.');
      await createSealed(this.#folder, lookName(this.#looks.length), ids);
    }
    return { sums: await this.#sumOf(ids), set: await hashHex(canonicalJson(['look', ids])) };
  }

  /**
   * From here on the set is fixed, for ever, also for another process that was started on the same folder.
   *
   * @throws RefusedError where another set was promised
   */
  async promise(set: string): Promise<void> {
    if (!(await this.#folder.create('promised', fromHex(set))))
      this.promised = toHex((await this.#folder.read('promised'))!);
    else this.promised = set;
    if (this.promised !== set) throw new RefusedError(409, PUBLISHED_FOR_ANOTHER);
  }

  /** Reports and sums of an exchange that is in the log are needed no more. */
  async forget(): Promise<void> {
    for (const name of await this.#folder.list('')) await this.#folder.remove(name);
  }
}

export const PUBLISHED_FOR_ANOTHER =
  'This exchange was published for another set; it is never published twice.';

/**
 * The sum and its batches. A batch that was cut off before its sum was written is not in it.
 *
 * @throws DamagedRecordError
 */
async function readFolded(
  folder: DurableFolder,
  charter: Charter,
  hash: string,
  number: number,
  planned: ExchangePlan,
): Promise<Folded> {
  const sums = new WordSums(wordCount(planned.lines), charter.wordBytes);
  const kept = await readSealedBytes(folder, 'fold');
  if (kept === undefined) {
    const set = await hashHex(canonicalJson(['set', hash, number]));
    return { batches: 0, set, reports: [], last: [], sums };
  }
  const headLength = new DataView(kept.buffer).getUint32(0, true);
  const { batches, set } = JSON.parse(new TextDecoder().decode(kept.subarray(4, 4 + headLength))) as {
    batches: number;
    set: string;
  };
  sums.add(kept.slice(4 + headLength));
  const reports: FoldedReport[] = [];
  let last: readonly FoldedReport[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const name = batchName(batch);
    const read = await readSealed<readonly FoldedReport[]>(folder, name);
    if (read === undefined) throw new DamagedRecordError(name);
    reports.push(...read);
    last = read;
  }
  return { batches, set, reports, last: last.map(({ id }) => id), sums };
}

const PROVED = 'proved';

/** @throws RefusedError where a line, which a later stage has asked for, is too fine: the run cannot go on */
function provable(planned: ExchangePlan): LineProofs {
  try {
    return new LineProofs(planned);
  } catch (error) {
    if (error instanceof RangeError) throw new RefusedError(409, `No norm proofs: ${error.message}`);
    throw error;
  }
}

function lookName(look: number): string {
  return `look-${String(look).padStart(8, '0')}.json`;
}

function batchName(batch: number): string {
  return `batch-${String(batch).padStart(8, '0')}.json`;
}
