import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/** How the refreshes of a model ended so far, and the last of them. For operators. */
export interface RefreshCounts {
  readonly ends: Readonly<Record<string, number>>;
  readonly last?: { readonly end: string; readonly at: string };
}

/** Where they are counted. */
export function refreshCountsFile(modelDirectory: string): string {
  return `${resolve(modelDirectory)}.refreshes.json`;
}

/** Undefined where none was counted, or the file cannot be read: counts are no reason to fail. */
export async function readRefreshCounts(modelDirectory: string): Promise<RefreshCounts | undefined> {
  try {
    const { ends, last } = JSON.parse(
      await readFile(refreshCountsFile(modelDirectory), 'utf8'),
    ) as RefreshCounts;
    const counted = Object.entries(ends).filter(([, count]) => Number.isSafeInteger(count) && count >= 0);
    return { ends: Object.fromEntries(counted), ...(last && { last }) };
  } catch {
    return undefined;
  }
}
