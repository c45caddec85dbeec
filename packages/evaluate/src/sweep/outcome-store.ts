import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';

/**
 * Finished runs by everything that decides their outcome, so that work that was killed goes on where it was.
 * Keys and outcomes are plain JSON values; keys that differ only in the order of their fields are one key.
 */
export interface OutcomeStore {
  find<Outcome>(key: object): Outcome | undefined;
  add(key: object, outcome: unknown): Promise<void>;
}

/**
 * One JSON line per run, with a check sum. A line that was cut off by a crash, or is not as it was written,
 * is ignored, and that run is done again.
 */
export function fileOutcomeStore(file: string): OutcomeStore {
  const outcomes = new Map<string, unknown>();
  if (existsSync(file)) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      try {
        const { key, outcome, sum, ...others } = JSON.parse(line) as StoredRun;
        if (Object.keys(others).length > 0 || sum !== sumOf(key, outcome)) continue;
        outcomes.set(nameOf(key), outcome);
      } catch {
        // Not a whole line.
      }
    }
    if (!endsLine(file)) appendFileSync(file, '\n');
  }
  return storeOf(outcomes, (key, outcome) =>
    appendFileSync(file, `${JSON.stringify({ key, outcome, sum: sumOf(key, outcome) })}\n`),
  );
}

interface StoredRun {
  readonly key: object;
  readonly outcome: unknown;
  readonly sum: string;
}

function sumOf(key: object, outcome: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([key, outcome]))
    .digest('hex')
    .slice(0, 16);
}

/** Keeps outcomes in memory only. */
export function memoryOutcomeStore(): OutcomeStore {
  return storeOf(new Map(), () => {});
}

/** The outcome that the store has for this key, or that of running it now. */
export async function once<Outcome>(
  store: OutcomeStore,
  key: object,
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  const known = store.find<Outcome>(key);
  if (known !== undefined) return known;
  const outcome = await run();
  await store.add(key, outcome);
  return outcome;
}

function storeOf(
  outcomes: Map<string, unknown>,
  write: (key: object, outcome: unknown) => void,
): OutcomeStore {
  return {
    find: <Outcome>(key: object) => outcomes.get(nameOf(key)) as Outcome | undefined,
    add: async (key, outcome) => {
      outcomes.set(nameOf(key), outcome);
      write(key, outcome);
    },
  };
}

/** Whether the last byte is a line end: what follows a cut-off line must not be glued to it. */
function endsLine(file: string): boolean {
  const { size } = statSync(file);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  const open = openSync(file, 'r');
  try {
    readSync(open, last, 0, 1, size - 1);
  } finally {
    closeSync(open);
  }
  return last[0] === 0x0a;
}

/** JSON with the fields of every object in alphabetical order. */
function nameOf(key: object): string {
  return JSON.stringify(key, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
