import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { SweepCell } from './sweep.js';

/** Everything that decides the outcome of a cell. */
export interface CellKey {
  readonly identity: string;
  readonly method: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly epsilon: number | null;
  readonly delta: number;
  readonly seed: number;
  readonly accounting: string;
  readonly declaredUsers: number | null;
  readonly asIfUsers: number | null;
  readonly run: number;
}

/** Finished cells of sweeps, so that a killed sweep goes on where it was. */
export interface SweepStore {
  find(key: CellKey): SweepCell | undefined;
  add(key: CellKey, cell: SweepCell): Promise<void>;
}

/** One JSON line per cell. A line that was cut off by a crash is ignored, and that cell runs again. */
export function fileSweepStore(file: string): SweepStore {
  const cells = new Map<string, SweepCell>();
  if (existsSync(file)) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      try {
        const { key, cell } = JSON.parse(line) as { key: CellKey; cell: SweepCell };
        cells.set(nameOf(key), cell);
      } catch {
        // Not a whole line.
      }
    }
  }
  return {
    find: (key) => cells.get(nameOf(key)),
    add: async (key, cell) => {
      cells.set(nameOf(key), cell);
      appendFileSync(file, `${JSON.stringify({ key, cell })}\n`);
    },
  };
}

/** Keeps cells in memory only. */
export function memorySweepStore(): SweepStore {
  const cells = new Map<string, SweepCell>();
  return {
    find: (key) => cells.get(nameOf(key)),
    add: async (key, cell) => {
      cells.set(nameOf(key), cell);
    },
  };
}

function nameOf(key: CellKey): string {
  const settings = Object.fromEntries(Object.entries(key.settings).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify([
    key.identity,
    key.method,
    settings,
    key.epsilon,
    key.delta,
    key.seed,
    key.accounting,
    key.declaredUsers,
    key.asIfUsers,
  ]);
}
