import type { LedgerEntry } from './entry.js';
import type { Ledger } from './ledger.js';

/** The note of an entry that raises another. */
export const raiseNote = (entry: string) => `raises entry ${entry} to the total of its plan`;

/**
 * Entries that look like charges of a first stage alone: a method in stages is charged as one Gaussian
 * release of its total, so one that was charged line by line was a party's, and nothing raised it since. The
 * entry does not hold the total; the charter does.
 */
export async function chargedInPart(ledger: Ledger, account: string): Promise<readonly LedgerEntry[]> {
  const spends = (await ledger.entries()).flatMap((entry) =>
    entry.account === account && entry.event.kind === 'spend' ? [{ entry, event: entry.event }] : [],
  );
  const raised = new Set(spends.map(({ event }) => event.note));
  return spends
    .filter(
      ({ entry, event: { method, charge } }) =>
        method === 'hush' &&
        charge.kind === 'event' &&
        charge.event.kind === 'composed' &&
        !raised.has(raiseNote(entry.hash)),
    )
    .map(({ entry }) => entry);
}
