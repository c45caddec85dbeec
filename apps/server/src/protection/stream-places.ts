import type { Role } from './access.js';

/** How many event streams there may be. */
export interface StreamLimits {
  /** Of the whole server. */
  readonly total: number;
  /** Of these, places that viewers never take. */
  readonly reservedForOperators: number;
  /** Of one viewer: one token, or one address where reading needs none. */
  readonly perViewer: number;
}

interface Place {
  readonly owner: string;
  readonly role: Role;
  readonly end: () => void;
}

/**
 * Shares the event streams of a server among its callers. A viewer has `perViewer` at most. When the places
 * of viewers are taken, a newcomer gets the oldest place of whoever holds the most, if that is at least two
 * more than the newcomer has, so that the many cannot be kept out by one; an operator always gets one while
 * viewers hold any. O(places) per opening.
 */
export class StreamPlaces {
  readonly #limits: StreamLimits;
  /** In the order of opening. */
  readonly #places = new Set<Place>();

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  get open(): number {
    return this.#places.size;
  }

  /**
   * Takes a place; the returned function gives it back. `end` is called when the place is needed more
   * elsewhere. Undefined when there is none.
   */
  take(owner: string, role: Role, end: () => void): (() => void) | undefined {
    const { total, reservedForOperators, perViewer } = this.#limits;
    const viewers = [...this.#places].filter((place) => place.role === 'viewer');
    const own = viewers.filter((place) => place.owner === owner).length;
    if (role === 'viewer' && own >= perViewer) return undefined;
    const isFull =
      this.#places.size >= total || (role === 'viewer' && viewers.length >= total - reservedForOperators);
    if (isFull) {
      const [largest, count] = largestOwner(viewers);
      if (largest === undefined || (role === 'viewer' && count < own + 2)) return undefined;
      this.#end(viewers.find((place) => place.owner === largest)!);
    }
    const place: Place = { owner, role, end };
    this.#places.add(place);
    return () => this.#places.delete(place);
  }

  #end(place: Place): void {
    this.#places.delete(place);
    place.end();
  }
}

function largestOwner(places: readonly Place[]): [string | undefined, number] {
  const counts = new Map<string, number>();
  for (const { owner } of places) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  let largest: [string | undefined, number] = [undefined, 0];
  for (const entry of counts) if (entry[1] > largest[1]) largest = entry;
  return largest;
}
