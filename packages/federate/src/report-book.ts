import { concatBytes, fromHex, hashHex, toHex } from './bytes.js';
import type { DurableFolder } from './durable-folder.js';

/** A report that an aggregator holds: who handed it in, and where it lies. */
interface HeldReport {
  readonly id: string;
  /** Name of the party or serial of the token; '' where everyone may hand in. */
  readonly holder: string;
  readonly hash: string;
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** What a put found; `folded` where the report is in the sum, `full` where there is no room for another. */
export type Recorded = 'new' | 'same' | 'folded' | 'other-bytes' | 'holder-used' | 'full';

/** A report that is in the sum, and who handed it in. */
export interface FoldedReport {
  readonly id: string;
  readonly holder: string;
}

export interface ReportBookOptions {
  /** Records of one segment. */
  readonly perSegment: number;
  /** Most reports, folded ones included: what bounds memory. */
  readonly most: number;
  /** What was folded before: their records are of the past, and whoever handed them in has handed in. */
  readonly folded: Iterable<FoldedReport>;
}

const HEAD = 4 + 4 + 32 + 32;

/**
 * The reports of one exchange at one aggregator, on disk until they are folded into the sum. Records are
 * appended to segments: length of the holder's name, length of the report, id, SHA-256 of the report, name,
 * report. A record cut off by a crash was never acknowledged and is left out; a new process writes to a new
 * segment. Who has handed in and what is folded is remembered to the end of the exchange, so that nobody is
 * in the sum twice.
 */
export class ReportBook {
  readonly #folder: DurableFolder;
  readonly #perSegment: number;
  readonly #most: number;
  readonly #held = new Map<string, HeldReport>();
  readonly #folded = new Set<string>();
  /** Report of each holder. */
  readonly #holders = new Map<string, string>();
  /** Reports whose append has not settled: a second request waits for it. */
  readonly #arriving = new Map<string, Promise<Recorded>>();
  /** Reports that a segment still holds, or is being given. */
  readonly #live = new Map<string, number>();
  #segment: number;
  #inSegment = 0;
  #appending = 0;

  private constructor(folder: DurableFolder, options: ReportBookOptions, segment: number) {
    this.#folder = folder;
    this.#perSegment = options.perSegment;
    this.#most = options.most;
    this.#segment = segment;
    for (const { id, holder } of options.folded) {
      this.#folded.add(id);
      if (holder !== '') this.#holders.set(holder, id);
    }
  }

  /** Reads what is there. */
  static async open(folder: DurableFolder, options: ReportBookOptions): Promise<ReportBook> {
    const names = await folder.list('reports-');
    const last = names.at(-1);
    const book = new ReportBook(folder, options, last === undefined ? 0 : Number(last.slice(8)) + 1);
    for (const name of names) {
      await book.#load(name);
      if (!book.#live.has(name)) await folder.remove(name);
    }
    return book;
  }

  async #load(name: string): Promise<void> {
    const bytes = (await this.#folder.read(name))!;
    const view = new DataView(bytes.buffer);
    for (let at = 0; at + HEAD <= bytes.length; ) {
      const nameLength = view.getUint32(at, true);
      const length = view.getUint32(at + 4, true);
      const offset = at + HEAD + nameLength;
      if (offset + length > bytes.length) return;
      const id = toHex(bytes.subarray(at + 8, at + 40));
      const hash = toHex(bytes.subarray(at + 40, at + 72));
      const holder = new TextDecoder().decode(bytes.subarray(at + HEAD, offset));
      if ((await hashHex(bytes.subarray(offset, offset + length))) !== hash) return;
      if (!this.#folded.has(id)) {
        this.#keep({ id, holder, hash, file: name, offset, length });
        this.#count(name, 1);
      }
      at = offset + length;
    }
  }

  #keep(report: HeldReport): void {
    this.#held.set(report.id, report);
    if (report.holder !== '') this.#holders.set(report.holder, report.id);
  }

  /** Gives what is left. */
  #count(file: string, change: 1 | -1): number {
    const left = (this.#live.get(file) ?? 0) + change;
    this.#live.set(file, left);
    return left;
  }

  has(id: string): boolean {
    return this.#held.has(id);
  }

  /** Whether a report is in the sum. */
  isFolded(id: string): boolean {
    return this.#folded.has(id);
  }

  /** How many reports are in the sum. */
  get folded(): number {
    return this.#folded.size;
  }

  /** At most `count` ids that are held, in the order in which they came, without the first `from`. */
  ids(count: number, from: number): string[] {
    const ids: string[] = [];
    let at = 0;
    for (const id of this.#held.keys()) {
      if (ids.length >= count) break;
      if (at++ >= from) ids.push(id);
    }
    return ids;
  }

  /** Who handed in a report that is held; '' where everyone may. */
  holderOf(id: string): string {
    return this.#held.get(id)!.holder;
  }

  /** Records a report durably, unless it is there. */
  async put(id: string, holder: string, body: Uint8Array): Promise<Recorded> {
    const hash = await hashHex(body);
    for (;;) {
      const arriving = this.#arriving.get(id) ?? this.#arriving.get(`holder ${holder}`);
      if (arriving === undefined) break;
      await arriving.catch(() => undefined);
    }
    // Looked up after the last wait: what is folded meanwhile must not be taken once more.
    if (this.#folded.has(id)) return 'folded';
    const held = this.#held.get(id);
    if (held !== undefined) return held.hash === hash && held.holder === holder ? 'same' : 'other-bytes';
    const other = holder === '' ? undefined : this.#holders.get(holder);
    if (other !== undefined && other !== id) return 'holder-used';
    if (this.#held.size + this.#folded.size + this.#appending >= this.#most) return 'full';
    const arrival = this.#append(id, holder, hash, body);
    this.#arriving.set(id, arrival);
    if (holder !== '') this.#arriving.set(`holder ${holder}`, arrival);
    try {
      return await arrival;
    } finally {
      this.#arriving.delete(id);
      this.#arriving.delete(`holder ${holder}`);
    }
  }

  async #append(id: string, holder: string, hash: string, body: Uint8Array): Promise<Recorded> {
    if (this.#inSegment >= this.#perSegment) {
      this.#segment++;
      this.#inSegment = 0;
    }
    this.#inSegment++;
    const file = segmentName(this.#segment);
    const name = new TextEncoder().encode(holder);
    const lengths = new Uint8Array(8);
    new DataView(lengths.buffer).setUint32(0, name.length, true);
    new DataView(lengths.buffer).setUint32(4, body.length, true);
    const record = concatBytes([lengths, fromHex(id), fromHex(hash), name, body]);
    this.#count(file, 1);
    this.#appending++;
    try {
      const start = await this.#folder.append(file, record);
      this.#keep({ id, holder, hash, file, offset: start + HEAD + name.length, length: body.length });
    } catch (error) {
      this.#count(file, -1);
      throw error;
    } finally {
      this.#appending--;
    }
    return 'new';
  }

  read(id: string): Promise<Uint8Array<ArrayBuffer>> {
    const { file, offset, length } = this.#held.get(id)!;
    return this.#folder.readRange(file, offset, length);
  }

  /**
   * Notes that reports are in the sum, all at once; segments in which none is left are removed. Who reads
   * `has` and `isFolded` finds a report in one of both at every moment.
   */
  async fold(ids: readonly string[]): Promise<void> {
    const dropped = ids.map((id) => this.#held.get(id)!);
    for (const id of ids) {
      this.#folded.add(id);
      this.#held.delete(id);
    }
    for (const { file } of dropped)
      if (this.#count(file, -1) === 0 && file !== segmentName(this.#segment)) {
        this.#live.delete(file);
        await this.#folder.remove(file);
      }
  }
}

function segmentName(segment: number): string {
  return `reports-${String(segment).padStart(8, '0')}`;
}
