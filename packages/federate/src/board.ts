import { canonicalJson } from '@hushrec/model/signing';
import { utf8 } from './bytes.js';
import type { DurableFolder } from './durable-folder.js';
import { RefusedError } from './federation-errors.js';
import type { AuditedLog, LogEntry, LogReader, ReleasedEntry, RunEnd } from './release-log.js';
import { DamagedRecordError, parsedRecord } from './sealed-record.js';

/**
 * The public board of a run: entries that were signed, their sums and shares, and whether the run ended
 * early. Entries are only ever added, in order. It is not trusted with anything: who reads checks the
 * signatures.
 */
export class Board implements LogReader, AuditedLog {
  readonly #folder: DurableFolder;
  #count: number;
  #end: RunEnd | undefined;
  readonly #waiting = new Set<() => void>();
  /** The sums of the last entries, which everybody asks for at the same time. */
  readonly #recent = new Map<number, ReleasedEntry>();

  private constructor(folder: DurableFolder, count: number, end: RunEnd | undefined) {
    this.#folder = folder;
    this.#count = count;
    this.#end = end;
  }

  static async open(folder: DurableFolder): Promise<Board> {
    let count = 0;
    while ((await folder.read(`entry-${count}.json`)) !== undefined) count++;
    const end = await folder.read('over.json');
    return new Board(folder, count, end === undefined ? undefined : parsedRecord<RunEnd>('over.json', end));
  }

  /** How many entries there are. */
  get length(): number {
    return this.#count;
  }

  /** Why the run ended before its time, if it did. */
  get end(): RunEnd | undefined {
    return this.#end;
  }

  /** Adds the next entry. Its sums and shares are durable before the entry itself is. */
  async add(entry: LogEntry, sums: Uint8Array<ArrayBuffer>, shares: readonly Uint8Array[]): Promise<void> {
    const { exchange } = entry.header;
    if (exchange !== this.#count) throw new RefusedError(409, `Entry ${exchange} is not the next one.`);
    await this.#folder.write(`sums-${exchange}.words`, sums);
    for (const [at, words] of shares.entries())
      await this.#folder.write(`share-${exchange}-${at}.words`, words);
    await this.#folder.write(`entry-${exchange}.json`, utf8(`${canonicalJson(entry)}\n`));
    this.#recent.set(exchange, { ...entry, sums });
    this.#recent.delete(exchange - 2);
    this.#count++;
    this.#wake();
  }

  /** Says that the run is over. */
  async close(end: RunEnd): Promise<void> {
    if (this.#end !== undefined) return;
    await this.#folder.write('over.json', utf8(`${canonicalJson(end)}\n`));
    this.#end = end;
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  async peek(exchange: number): Promise<ReleasedEntry | undefined> {
    const recent = this.#recent.get(exchange);
    if (recent !== undefined) return recent;
    if (exchange >= this.#count) return undefined;
    const [name, ofSums] = [`entry-${exchange}.json`, `sums-${exchange}.words`];
    const [bytes, sums] = [await this.#folder.read(name), await this.#folder.read(ofSums)];
    if (bytes === undefined || sums === undefined)
      throw new DamagedRecordError(bytes === undefined ? name : ofSums);
    return { ...parsedRecord<LogEntry>(name, bytes), sums };
  }

  async entry(exchange: number, signal?: AbortSignal): Promise<ReleasedEntry | RunEnd> {
    for (;;) {
      signal?.throwIfAborted();
      const there = await this.peek(exchange);
      if (there !== undefined) return there;
      if (this.#end !== undefined) return this.#end;
      await this.changed(signal);
    }
  }

  /** Settles when an entry was added or the run ended. */
  changed(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      // Who goes away leaves nothing behind: in a window of a day everybody asks thousands of times.
      const abort = () => {
        this.#waiting.delete(wake);
        reject(signal!.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(wake);
    });
  }

  /** How many wait for a change. */
  get waiting(): number {
    return this.#waiting.size;
  }

  async share(exchange: number, aggregator: number): Promise<Uint8Array<ArrayBuffer>> {
    const words = await this.#folder.read(`share-${exchange}-${aggregator}.words`);
    if (words === undefined) throw new RefusedError(404, 'There is no such share.');
    return words;
  }
}
