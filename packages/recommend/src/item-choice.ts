/** Which items may be shown. */
export interface ItemChoice {
  /** Ids to choose from, such as what is in stock; all items unless given. */
  readonly only?: Iterable<string>;
  /** Ids to leave out. */
  readonly exclude?: Iterable<string>;
}

/** Ids for many people: looked up once in each model, not for everyone again. */
export class ChosenItems implements Iterable<string> {
  readonly #ids: readonly string[];
  readonly #found = new WeakMap<ReadonlyMap<string, number>, ReadonlySet<number>>();
  constructor(ids: Iterable<string>) {
    this.#ids = [...ids];
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#ids[Symbol.iterator]();
  }

  indices(indexOf: ReadonlyMap<string, number>): ReadonlySet<number> {
    const found = this.#found.get(indexOf) ?? known(this.#ids, indexOf);
    this.#found.set(indexOf, found);
    return found;
  }
}

/** The items that are not shown: those outside the choice, and those in `seen`. */
export function leftOut(
  indexOf: ReadonlyMap<string, number>,
  { only, exclude }: ItemChoice,
  seen: Iterable<number>,
): Pick<ReadonlySet<number>, 'has'> {
  const own = new Set(seen);
  if (only === undefined && exclude === undefined) return own;
  const among = only && indicesOf(only, indexOf);
  const denied = exclude && indicesOf(exclude, indexOf);
  return { has: (item) => own.has(item) || among?.has(item) === false || denied?.has(item) === true };
}

function indicesOf(ids: Iterable<string>, indexOf: ReadonlyMap<string, number>): ReadonlySet<number> {
  return ids instanceof ChosenItems ? ids.indices(indexOf) : known(ids, indexOf);
}

function known(ids: Iterable<string>, indexOf: ReadonlyMap<string, number>): ReadonlySet<number> {
  const indices = new Set<number>();
  for (const id of ids) {
    const index = indexOf.get(id);
    if (index !== undefined) indices.add(index);
  }
  return indices;
}
