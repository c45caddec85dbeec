import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainHead } from './entry.js';
import { LedgerLostError } from './ledger-errors.js';
import { syncFolder } from './synced-folder.js';

/**
 * How far the ledger had come when a data set last used it, kept beside the data set's `dataset.json`: a
 * ledger that is missing, empty, another one or an older copy does not hold that entry, and is not believed.
 * For operators, like the data.
 */
export interface LedgerMark extends ChainHead {
  /** Where that ledger was, without passwords. */
  readonly ledger: string;
}

export const markFile = 'ledger-mark.json';

/** The mark in a data set folder; undefined where the data set has not used a ledger yet. */
export async function readMark(directory: string): Promise<LedgerMark | undefined> {
  const file = join(directory, markFile);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { number, hash, ledger } = JSON.parse(text) as LedgerMark;
    if (Number.isSafeInteger(number) && number >= 0 && /^[0-9a-f]{64}$/.test(hash) && ledger !== undefined)
      return { number, hash, ledger: String(ledger) };
  } catch {
    // Told below.
  }
  throw new LedgerLostError(file, 'it is damaged, so that nobody can tell how far the ledger had come');
}

/**
 * Writes the mark whole or not at all, durable when this resolves. Of two processes at once the one behind
 * may write last: its entry is in the same chain, so the mark stays true.
 */
export async function writeMark(directory: string, mark: LedgerMark): Promise<void> {
  const file = join(directory, markFile);
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(mark)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    syncFolder(directory);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
