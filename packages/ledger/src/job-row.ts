import { isKeyedHash, keyedHash, type LedgerKey } from './ledger-key.js';

/**
 * Which job an entry paid for, beside the chain: keyed hashes of the job's key and of the data's content
 * hash. They depend on ratings, entries do not, so the hash of an entry can stand in a certificate. `seal`
 * binds the row to its entry.
 */
export interface JobRow {
  /** Number and hash of the entry that paid. */
  readonly number: number;
  readonly entry: string;
  readonly job: string;
  /** Empty where no snapshot was named. */
  readonly snapshot: string;
  readonly seal: string;
}

/** How a job of an account is looked up. */
export function jobName(key: LedgerKey, account: string, kind: string, jobKey: string): string {
  return keyedHash(key, 'job', JSON.stringify([account, kind, jobKey]));
}

export function snapshotName(key: LedgerKey, snapshot: string | undefined): string {
  return snapshot === undefined ? '' : keyedHash(key, 'snapshot', snapshot);
}

export function sealedJob(key: LedgerKey, row: Omit<JobRow, 'seal'>): JobRow {
  return { ...row, seal: keyedHash(key, 'job row', sealedText(row)) };
}

export function isSealedJob(key: LedgerKey, row: JobRow): boolean {
  return isKeyedHash(key, 'job row', sealedText(row), row.seal);
}

function sealedText({ number, entry, job, snapshot }: Omit<JobRow, 'seal'>): string {
  return JSON.stringify([number, entry, job, snapshot]);
}
