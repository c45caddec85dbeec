import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BadDataError } from '../bad-data-error.js';
import { unsealedManifest } from './sealed-manifest.js';

/**
 * Whose budget a data set spends from: the people behind it, over all its snapshots. The id is random and
 * says nothing about anyone, so certificates may name it. It stays the same when the data is imported again,
 * appended to or copied.
 */
export interface DatasetAccount {
  /** 32 lower-case hexadecimal digits. */
  readonly id: string;
  /** For people to read and to type. */
  readonly name: string;
}

export function newAccount(name: string): DatasetAccount {
  return { id: randomBytes(16).toString('hex'), name };
}

export function isAccount(value: unknown): value is DatasetAccount {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name } = value as Partial<DatasetAccount>;
  return typeof id === 'string' && /^[0-9a-f]{32}$/.test(id) && typeof name === 'string';
}

/**
 * The account of the data set that is in a folder now; undefined where there is no data set, or one of a
 * version without accounts. A manifest that cannot be read is an error: a fresh account in its place would
 * give a spent budget back.
 */
export async function accountIn(directory: string): Promise<DatasetAccount | undefined> {
  const file = join(directory, 'dataset.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  const manifest = unsealedManifest(text);
  if (manifest === 'not sealed' && !text.includes('"account"')) return undefined;
  if (typeof manifest === 'object') {
    const account: unknown = manifest.account;
    if (account === undefined) return undefined;
    if (isAccount(account)) return { id: account.id, name: account.name };
  }
  throw new BadDataError(
    { file },
    'it is damaged, so that nobody can tell whose budget this data set spends from',
    'Say it with --account NAME.',
  );
}
