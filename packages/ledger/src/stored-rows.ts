import type { Checkpoint } from './checkpoint.js';
import type { StoredEntry } from './entry.js';
import type { JobRow } from './job-row.js';
import type { PeopleRow } from './people-sketch.js';

/**
 * Rows as a database gives them: bytes for everything but numbers. Whatever stands in them, reading is total.
 */
export type ByteRow = Readonly<Record<string, ArrayBuffer | Uint8Array | number | bigint | string | null>>;

export function entryOf(row: ByteRow): StoredEntry {
  return { number: Number(row['number']), content: bytesOf(row['content']), hash: hexOf(row['hash']) };
}

export function jobOf(row: ByteRow): JobRow {
  return {
    number: Number(row['number']),
    entry: hexOf(row['entry']),
    job: hexOf(row['job']),
    snapshot: hexOf(row['snapshot']),
    seal: hexOf(row['seal']),
  };
}

export function checkpointOf(row: ByteRow): Checkpoint {
  return {
    number: Number(row['number']),
    hash: hexOf(row['hash']),
    state: Buffer.from(bytesOf(row['state'])).toString('utf8'),
    seal: hexOf(row['seal']),
  };
}

export function peopleOf(row: ByteRow): PeopleRow {
  return { account: hexOf(row['account']), sketch: bytesOf(row['sketch']), seal: hexOf(row['seal']) };
}

export function bytesOf(value: ByteRow[string] | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return value instanceof ArrayBuffer ? new Uint8Array(value) : new Uint8Array();
}

export function hexOf(value: ByteRow[string] | undefined): string {
  return Buffer.from(bytesOf(value)).toString('hex');
}

/** Bytes to store or to look for. */
export function hexBytes(hex: string): Buffer {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length === 0) throw new TypeError(`"${hex}" is no hexadecimal name.`);
  return bytes;
}

export function hexBytesOrNull(hex: string): Buffer | null {
  return hex === '' ? null : hexBytes(hex);
}
