import { canonicalJson } from '@hushrec/model/signing';
import { hashHex } from './bytes.js';
import { type Charter, noiseOnSum } from './charter.js';
import { type ExchangePlan, wordCount } from './exchange-plan.js';
import { LogError } from './federation-errors.js';
import { addUpWords } from './sharing/sharing.js';
import { fineGrid, lineOf } from './sharing/sharing-line.js';
import { packWords, unpackWords } from './sharing/sharing-words.js';
import { type NamedSignature, signedBy } from './signatures.js';

/**
 * What an entry says. It names no number of reports: that would be an exact count about people. The set is
 * named by a hash of random ids, from which nobody learns how many there are.
 */
export interface EntryHeader {
  readonly format: 'hushrec-log-1';
  readonly charter: string;
  readonly exchange: number;
  /** Hash of the entry before, or of the beginning. */
  readonly previous: string;
  readonly set: string;
  /** SHA-256 of the words of each aggregator, and of their sum. */
  readonly shares: readonly string[];
  readonly sums: string;
}

const headerForm: Readonly<Record<keyof EntryHeader, (value: unknown) => boolean>> = {
  format: (value) => value === 'hushrec-log-1',
  charter: isHash,
  exchange: Number.isInteger,
  previous: isHash,
  set: isHash,
  shares: (value) => Array.isArray(value) && value.every(isHash),
  sums: isHash,
};

function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** Whether something is a header and nothing else: hashes and the exchange's number, no further field. */
export function isEntryHeader(value: unknown): value is EntryHeader {
  if (typeof value !== 'object' || value === null) return false;
  const names = Object.keys(headerForm) as (keyof EntryHeader)[];
  const given = value as Readonly<Record<string, unknown>>;
  return (
    Object.keys(given).length === names.length &&
    names.every((name) => Object.hasOwn(given, name) && headerForm[name](given[name]))
  );
}

/** An entry with the signatures of all aggregators over its hash, in their order. */
export interface LogEntry {
  readonly header: EntryHeader;
  readonly signatures: readonly NamedSignature[];
}

/** An entry with the sums themselves, which every participant reads. */
export interface ReleasedEntry extends LogEntry {
  readonly sums: Uint8Array<ArrayBuffer>;
}

/** What a board says of a run that cannot go on. */
export interface RunEnd {
  readonly over: string;
  readonly exchange: number;
}

/** The log, as everybody may read it. */
export interface LogReader {
  /** Waits until the entry is there, or the run is over before it. */
  entry(exchange: number, signal?: AbortSignal): Promise<ReleasedEntry | RunEnd>;
  /** The entry if it is there, without waiting. */
  peek(exchange: number): Promise<ReleasedEntry | undefined>;
}

/** The log with every aggregator's words besides, for those who check that the sums are sums. */
export interface AuditedLog {
  peek(exchange: number): Promise<ReleasedEntry | undefined>;
  share(exchange: number, aggregator: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** A log as it stands, for those who check a finished run: nobody waits for what is not there. */
export function asItStands(log: LogReader): LogReader {
  return {
    peek: (exchange) => log.peek(exchange),
    entry: async (exchange) => {
      const entry = await log.peek(exchange);
      if (entry === undefined)
        throw new LogError(exchange, 'it is not there: the run was broken off, or is not over yet.');
      return entry;
    },
  };
}

/** The header of an exchange, from the words themselves. */
export async function headerOf(
  place: Pick<EntryHeader, 'charter' | 'exchange' | 'previous' | 'set'>,
  shares: readonly Uint8Array[],
  sums: Uint8Array,
): Promise<EntryHeader> {
  return {
    format: 'hushrec-log-1',
    ...place,
    shares: await Promise.all(shares.map((words) => hashHex(words))),
    sums: await hashHex(sums),
  };
}

export function entryHash(header: EntryHeader): Promise<string> {
  return hashHex(canonicalJson(header));
}

/** What the first entry follows. */
export function firstHead(charterHash: string): string {
  return charterHash;
}

/**
 * The sums of an entry, if it follows `previous`, every aggregator signed it and the sums are those it names.
 * Sums beyond what honest participants can add up to end the run: somebody handed in more than anyone may.
 */
export async function readEntry(
  charter: Charter,
  charterHash: string,
  exchange: number,
  previous: string,
  { header, signatures, sums }: ReleasedEntry,
  planned: ExchangePlan,
): Promise<{ readonly hash: string; readonly values: Float64Array }> {
  const fault = (message: string) => new LogError(exchange, message);
  if (!isEntryHeader(header) || !Array.isArray(signatures)) throw fault('the entry cannot be read.');
  if (header.charter !== charterHash || header.exchange !== exchange)
    throw fault('the entry belongs to another run or another exchange.');
  if (header.previous !== previous) throw fault('the entry does not follow the one before.');
  const hash = await entryHash(header);
  for (const [at, { name, publicKey }] of charter.aggregators.entries()) {
    const signature = signatures[at];
    if (signature?.publicKey !== publicKey || !(await signedBy('entry', hash, signature)))
      throw fault(`aggregator ${name} did not sign the entry.`);
  }
  const count = wordCount(planned.lines);
  if (sums.length !== count * charter.wordBytes) throw fault('the sums have another length.');
  if ((await hashHex(sums)) !== header.sums) throw fault('the sums are not those that were signed.');
  const values = unpackWords(sums, charter.wordBytes);
  keepInRange(charter, exchange, planned, values);
  return { hash, values };
}

/**
 * Sums of honest people are in range. Others end the run, or count as the nearest that is in range where
 * reports are screened or proved: then no liar can end it.
 */
function keepInRange(
  charter: Charter,
  exchange: number,
  { lines, plan }: ExchangePlan,
  values: Float64Array,
): void {
  const onSum = noiseOnSum(charter);
  let at = 0;
  for (const shape of lines) {
    const line = lineOf(plan, shape);
    const { step, effective } = fineGrid(line, shape.gridStep);
    const most = (charter.mostPeople * line.sensitivity) / step + 10 * onSum * effective + 2;
    for (const end = at + shape.length; at < end; at++)
      if (charter.screening !== undefined || charter.normProofs)
        values[at] = Math.max(-most, Math.min(most, values[at]));
      else if (Math.abs(values[at]) > most)
        throw new LogError(
          exchange,
          `"${shape.name}" has a sum that ${charter.mostPeople} people cannot have. Somebody handed in more than anyone may, or they are more.`,
        );
  }
}

/**
 * Why the sums that an entry names are not the sums of all aggregators' words; undefined where they are. For
 * aggregators, before they sign, and for auditors. O(words).
 */
export async function faultInSums(
  { aggregators, wordBytes }: Pick<Charter, 'aggregators' | 'wordBytes'>,
  header: EntryHeader,
  shares: readonly Uint8Array[],
  count: number,
): Promise<string | undefined> {
  if (shares.length !== aggregators.length) return 'the words of an aggregator are missing.';
  for (const [at, words] of shares.entries())
    if (words.length !== count * wordBytes || (await hashHex(words)) !== header.shares[at])
      return `the words of aggregator ${at} are not those that it names.`;
  const sums = packWords(addUpWords(shares, count, wordBytes), wordBytes);
  return (await hashHex(sums)) === header.sums
    ? undefined
    : 'its sums are not the sums of what the aggregators published.';
}

/** The same of an entry in the log. @throws LogError */
export async function checkShares(
  charter: Charter,
  { header, sums }: ReleasedEntry,
  shares: readonly Uint8Array[],
): Promise<void> {
  const fault =
    (await hashHex(sums)) === header.sums
      ? await faultInSums(charter, header, shares, sums.length / charter.wordBytes)
      : 'its sums are not those that were signed.';
  if (fault !== undefined) throw new LogError(header.exchange, fault);
}
