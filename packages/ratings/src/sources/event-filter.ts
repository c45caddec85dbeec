import { ImportOptionError } from '../bad-data-error.js';

/** Which rows of a log are kept: those whose column holds one of these, compared exactly. */
export interface EventChoice {
  /** Name or position (from 1) of the column; found by its name unless given. */
  readonly column?: string;
  readonly keep: readonly string[];
}

/** What became of the rows of a log. */
export interface EventReport {
  /** Rows of other events. */
  readonly leftOut: number;
  /** Events that were asked for and are in no row. */
  readonly unmet: readonly string[];
}

/** Reads `buy,cart` or `column=buy,cart`. */
export function parseEvents(text: string): EventChoice {
  const at = text.indexOf('=');
  const column = at < 0 ? undefined : text.slice(0, at).trim();
  const keep = text
    .slice(at + 1)
    .split(',')
    .map((each) => each.trim());
  if (column === '' || keep.some((each) => each === ''))
    throw new ImportOptionError(
      'events',
      `The events "${text}" cannot be read; expected the events to keep, buy,cart, or with their column, event=buy,cart.`,
    );
  return { ...(column !== undefined && { column }), keep: [...new Set(keep)] };
}

/** Tells rows that are kept from those that are not, and counts. */
export class EventFilter {
  readonly #keep: ReadonlySet<string>;
  readonly #unmet: Set<string>;
  #leftOut = 0;

  constructor(keep: readonly string[]) {
    this.#keep = new Set(keep);
    this.#unmet = new Set(keep);
  }

  takes(event: string): boolean {
    if (!this.#keep.has(event)) {
      this.#leftOut++;
      return false;
    }
    this.#unmet.delete(event);
    return true;
  }

  /** Why there are no rows at all. */
  get none(): string {
    return `no row has ${[...this.#keep].map((each) => `"${each}"`).join(' or ')} in the column of events, to the letter`;
  }

  finish(): EventReport {
    return { leftOut: this.#leftOut, unmet: [...this.#unmet] };
  }
}
