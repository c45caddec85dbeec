import type { HistoryEntry } from '@hushrec/recommend';

/**
 * What this person has rated, in this browser's own storage. It is never given to `fetch`, put into an
 * address or sent in any other way; the test of the page's traffic holds us to that.
 */
export class OwnHistory {
  readonly #key: string;
  readonly #ratings: Map<string, number>;
  readonly #listeners = new Set<() => void>();

  /** `key` names the place in the browser's storage: one per catalogue. */
  constructor(key = 'hushrec.history') {
    this.#key = key;
    this.#ratings = new Map(readStored(key));
  }

  get size(): number {
    return this.#ratings.size;
  }

  entries(): HistoryEntry[] {
    return [...this.#ratings].map(([id, rating]) => ({ id, rating }));
  }

  ratingOf(id: string): number | undefined {
    return this.#ratings.get(id);
  }

  rate(id: string, rating: number | undefined): void {
    if (rating === undefined) this.#ratings.delete(id);
    else this.#ratings.set(id, rating);
    this.#changed();
  }

  clear(): void {
    this.#ratings.clear();
    this.#changed();
  }

  onChange(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener));
  }

  #changed(): void {
    try {
      localStorage.setItem(this.#key, JSON.stringify([...this.#ratings]));
    } catch {
      // A full or forbidden storage only means that the history ends with this tab.
    }
    for (const listener of this.#listeners) listener();
  }
}

function readStored(key: string): [string, number][] {
  try {
    const parsed: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    if (!Array.isArray(parsed)) return [];
    return parsed.filter(
      (pair): pair is [string, number] =>
        Array.isArray(pair) && typeof pair[0] === 'string' && Number.isFinite(pair[1]),
    );
  } catch {
    return [];
  }
}
