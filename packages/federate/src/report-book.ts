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

/** What a put found. */
export type Recorded = 'new' | 'same' | 'other-bytes' | 'holder-used';

const HEAD = 4 + 4 + 32 + 32;

/**
 * The reports of one exchange at one aggregator, on disk until they are folded into the sum. Records are
 * appended to segments: length of the holder's name, length of the report, id, SHA-256 of the report, name,
 * report. A record cut off by a crash was never acknowledged and is left out; a new process writes to a new
 * segment.
 */
export class ReportBook {
  readonly #folder: DurableFolder;
  readonly #perSegment: number;
  readonly #held = new Map<string, HeldReport>();
  readonly #holders = new Map<string, string>();
  /** Reports whose append has not settled: a second request waits for it. */
  readonly #arriving = new Map<string, Promise<Recorded>>();
  readonly #live = new Map<string, number>();
  #segment: number;
  #inSegment = 0;

  private constructor(folder: DurableFolder, perSegment: number, segment: number) {
    this.#folder = folder;
    this.#perSegment = perSegment;
    this.#segment = segment;
  }

  /** Reads what is there. `gone` are ids that were folded: their records are of the past. */
  static async open(
    folder: DurableFolder,
    perSegment: number,
    gone: ReadonlySet<string>,
  ): Promise<ReportBook> {
    const names = await folder.list('reports-');
    const last = names.at(-1);
    const book = new ReportBook(folder, perSegment, last === undefined ? 0 : Number(last.slice(8)) + 1);
    for (const name of names) {
      await book.#load(name, gone);
      if (!book.#live.has(name)) await folder.remove(name);
    }
    return book;
  }

  async #load(name: string, gone: ReadonlySet<string>): Promise<void> {
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
      if (!gone.has(id)) this.#keep({ id, holder, hash, file: name, offset, length });
      else if (holder !== '') this.#holders.set(holder, id);
      at = offset + length;
    }
  }

  #keep(report: HeldReport): void {
    this.#held.set(report.id, report);
    if (report.holder !== '') this.#holders.set(report.holder, report.id);
    this.#live.set(report.file, (this.#live.get(report.file) ?? 0) + 1);
  }

  get size(): number {
    return this.#held.size;
  }

  has(id: string): boolean {
    return this.#held.has(id);
  }

  /** The first ids that are held, in the order in which they came. */
  first(count: number): string[] {
    const ids: string[] = [];
    for (const id of this.#held.keys()) {
      if (ids.length === count) break;
      ids.push(id);
    }
    return ids;
  }

  /** Records a report durably, unless it is there. */
  async put(id: string, holder: string, body: Uint8Array): Promise<Recorded> {
    const hash = await hashHex(body);
    for (;;) {
      const arriving = this.#arriving.get(id) ?? this.#arriving.get(`holder ${holder}`);
      if (arriving === undefined) break;
      await arriving.catch(() => undefined);
    }
    const held = this.#held.get(id);
    if (held !== undefined) return held.hash === hash && held.holder === holder ? 'same' : 'other-bytes';
    const other = holder === '' ? undefined : this.#holders.get(holder);
    if (other !== undefined && other !== id) return 'holder-used';
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
    const file = `reports-${String(this.#segment).padStart(8, '0')}`;
    const name = new TextEncoder().encode(holder);
    const lengths = new Uint8Array(8);
    new DataView(lengths.buffer).setUint32(0, name.length, true);
    new DataView(lengths.buffer).setUint32(4, body.length, true);
    const record = concatBytes([lengths, fromHex(id), fromHex(hash), name, body]);
    const start = await this.#folder.append(file, record);
    this.#keep({ id, holder, hash, file, offset: start + HEAD + name.length, length: body.length });
    return 'new';
  }

  read(id: string): Promise<Uint8Array<ArrayBuffer>> {
    const { file, offset, length } = this.#held.get(id)!;
    return this.#folder.readRange(file, offset, length);
  }

  /** Forgets reports; segments in which none is left are removed. */
  async drop(ids: Iterable<string>): Promise<void> {
    for (const id of ids) {
      const held = this.#held.get(id);
      if (held === undefined) continue;
      this.#held.delete(id);
      const left = this.#live.get(held.file)! - 1;
      this.#live.set(held.file, left);
      if (left === 0 && held.file !== `reports-${String(this.#segment).padStart(8, '0')}`) {
        this.#live.delete(held.file);
        await this.#folder.remove(held.file);
      }
    }
  }

  /** Removes everything that is left. */
  async clear(): Promise<void> {
    for (const name of await this.#folder.list('reports-')) await this.#folder.remove(name);
    this.#held.clear();
    this.#live.clear();
  }
}
