import { canonicalJson } from '@hushrec/model';
import { expandSeed, WordSums } from '@hushrec/privacy';
import { type FoldState, MOST_IN_BATCH } from './aggregator-port.js';
import { concatBytes, fromHex, hashHex, toHex, utf8 } from './bytes.js';
import type { Charter } from './charter.js';
import { type DurableFolder, subfolder } from './durable-folder.js';
import { type ExchangePlan, wordCount } from './exchange-plan.js';
import { RefusedError } from './federation-errors.js';
import { ReportBook } from './report-book.js';
import { readSealedBytes, writeSealedBytes } from './sealed-record.js';

/**
 * The exchange that is under way at one aggregator: reports that came, what is folded, which set is promised.
 */
export class OpenExchange {
  readonly number: number;
  readonly planned: ExchangePlan;
  readonly words: number;
  readonly book: ReportBook;
  readonly folded: Set<string>;
  readonly #charter: Charter;
  readonly #index: number;
  readonly #folder: DurableFolder;
  sums: WordSums;
  promised: string | undefined;
  #batches: number;
  #last: readonly string[];
  #set: string;

  private constructor(
    charter: Charter,
    index: number,
    number: number,
    planned: ExchangePlan,
    folder: DurableFolder,
    kept: { book: ReportBook; folded: Set<string>; sums: WordSums; promised: string | undefined } & Omit<
      FoldState,
      'closed'
    >,
  ) {
    this.#charter = charter;
    this.#index = index;
    this.number = number;
    this.planned = planned;
    this.words = wordCount(planned.lines);
    this.#folder = folder;
    this.book = kept.book;
    this.folded = kept.folded;
    this.sums = kept.sums;
    this.promised = kept.promised;
    this.#batches = kept.batches;
    this.#last = kept.last;
    this.#set = kept.set;
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
    const sums = new WordSums(wordCount(planned.lines), charter.wordBytes);
    const empty = { batches: 0, last: [], set: await hashHex(canonicalJson(['set', hash, number])) } as const;
    const kept = await readSealedBytes(folder, 'fold');
    const folded = new Set<string>();
    let state: Omit<FoldState, 'closed'> = empty;
    if (kept !== undefined) {
      const headLength = new DataView(kept.buffer).getUint32(0, true);
      const head = JSON.parse(new TextDecoder().decode(kept.subarray(4, 4 + headLength))) as {
        batches: number;
        set: string;
        count: number;
        lastCount: number;
      };
      sums.add(kept.slice(4 + headLength));
      const ids = (await folder.read('folded'))!;
      for (let at = 0; at < head.count; at++) folded.add(toHex(ids.subarray(32 * at, 32 * at + 32)));
      // Ids of a batch that was cut off before its sum was written are not in it.
      if (ids.length !== 32 * head.count) await folder.write('folded', ids.subarray(0, 32 * head.count));
      state = { batches: head.batches, set: head.set, last: [...folded].slice(head.count - head.lastCount) };
    } else await folder.remove('folded');
    const promised = await folder.read('promised');
    const book = await ReportBook.open(folder, MOST_IN_BATCH, folded);
    return new OpenExchange(charter, index, number, planned, folder, {
      book,
      folded,
      sums,
      promised: promised === undefined ? undefined : toHex(promised),
      ...state,
    });
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
    if (ids.length === 0 || ids.length > MOST_IN_BATCH)
      throw new RefusedError(400, `A batch has 1 to ${MOST_IN_BATCH} reports.`);
    if (ids.some((id, at) => at > 0 && !(id > ids[at - 1])))
      throw new RefusedError(409, 'Ids of a batch must be different and in order.');
    if (ids.some((id) => this.folded.has(id)))
      throw new RefusedError(409, 'A report would be counted twice.');
    if (ids.some((id) => !this.book.has(id)))
      throw new RefusedError(409, 'A report of this batch is not here.');
    const { wordBytes } = this.#charter;
    const count = this.words;
    const sums = new WordSums(count, wordBytes);
    sums.add(this.sums.words());
    for (const id of ids) {
      const body = await this.book.read(id);
      sums.add(this.#index === 0 ? body : await expandSeed(body, count, wordBytes));
    }
    const set = await hashHex(canonicalJson(['set', this.#set, ids]));
    await this.#folder.append('folded', concatBytes(ids.map(fromHex)));
    const head = utf8(
      JSON.stringify({
        batches: this.#batches + 1,
        set,
        count: this.folded.size + ids.length,
        lastCount: ids.length,
      }),
    );
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, head.length, true);
    await writeSealedBytes(this.#folder, 'fold', [length, head, sums.words()]);
    this.sums = sums;
    this.#batches++;
    this.#last = [...ids];
    this.#set = set;
    for (const id of ids) this.folded.add(id);
    await this.book.drop(ids);
    return this.state();
  }

  /** From here on the set is fixed, for ever. */
  async promise(set: string): Promise<void> {
    if (this.promised === undefined) await this.#folder.write('promised', fromHex(set));
    this.promised = set;
  }

  /** Reports and sums of an exchange that is in the log are needed no more. */
  async forget(): Promise<void> {
    await this.book.clear();
    for (const name of ['fold', 'folded']) await this.#folder.remove(name);
  }
}
