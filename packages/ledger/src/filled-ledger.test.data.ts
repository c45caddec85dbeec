import { emptyState, type LedgerState, stateAfter } from './account-state.js';
import { checkpointEvery, sealedCheckpoint } from './checkpoint.js';
import { type ChainHead, type LedgerEntry, type LedgerEvent, nextEntry } from './entry.js';
import { jobName, sealedJob, snapshotName } from './job-row.js';
import { chainStart } from './ledger-key.js';
import { peopleHashes, peopleWith } from './people-sketch.js';
import { SqliteStore } from './sqlite-store.js';

export const filledAccount = 'a'.repeat(32);
const protection = { unit: 'user', relation: 'add-remove' } as const;

/**
 * Writes a ledger of one account with a grant and so many entries in all, as spending one by one would, in
 * few commits.
 */
export async function fillLedger(file: string, count: number): Promise<void> {
  const store = await SqliteStore.open(file, { create: true });
  const { key } = store;
  let head: ChainHead = { number: 0, hash: chainStart(key) };
  let state: LedgerState = emptyState;
  const start = Date.UTC(2026, 0, 1);
  const commit = async (upTo: number) => {
    const before = head;
    const entries: LedgerEntry[] = [];
    while (head.number < upTo) {
      const number = head.number + 1;
      const event: LedgerEvent =
        number === 1
          ? { kind: 'grant', epsilon: 3, delta: 1e-5, protection, period: null, note: 'board' }
          : {
              kind: 'spend',
              job: number.toString(16).padStart(32, '0'),
              method: 'dpals',
              protection,
              charge: {
                kind: 'event',
                event: { kind: 'gaussian', sensitivity: 1, noise: 1000 + (number % 7) },
              },
              note: '',
            };
      const entry = nextEntry(head, new Date(start + number * 60_000).toISOString(), filledAccount, event);
      entries.push(entry);
      head = entry;
    }
    state = stateAfter(state, entries);
    await store.append(before, {
      entries,
      jobs: entries
        .filter(({ event }) => event.kind === 'spend')
        .map(({ number, hash }) =>
          sealedJob(key, {
            number,
            entry: hash,
            job: jobName(key, filledAccount, 'spend', `job ${number}`),
            snapshot: snapshotName(key, `snapshot ${number}`),
          }),
        ),
      checkpoint: upTo % checkpointEvery === 0 ? sealedCheckpoint(key, head, state) : undefined,
    });
  };
  // Of the checkpoints only the last ones matter; the entries before them go in one commit.
  const whole = Math.floor(count / checkpointEvery);
  for (let last = Math.max(1, whole - 4); last <= whole; last++) await commit(last * checkpointEvery);
  if (count % checkpointEvery > 0) await commit(count);
  const ids = Array.from({ length: 50 }, (_, at) => `person ${at}`);
  await store.updatePeople(filledAccount, (row) =>
    peopleWith(key, filledAccount, row, peopleHashes(key, ids)),
  );
  await store.close();
}
