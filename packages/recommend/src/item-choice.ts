/** Which items may be shown. */
export interface ItemChoice {
  /** Ids to choose from, such as what is in stock; all items unless given. */
  readonly only?: Iterable<string>;
  /** Ids to leave out. */
  readonly exclude?: Iterable<string>;
}

/**
 * The items that are not shown: those outside the choice, and those in `seen`. Sets are asked as they are, so
 * that whoever ranks for many people makes them once.
 */
export function leftOut(
  itemIds: readonly string[],
  { only, exclude }: ItemChoice,
  seen: Iterable<number>,
): Pick<ReadonlySet<number>, 'has'> {
  const own = new Set(seen);
  const [among, denied] = [only, exclude].map((ids) =>
    ids === undefined || ids instanceof Set ? ids : new Set(ids),
  );
  return {
    has: (item) =>
      own.has(item) || among?.has(itemIds[item]) === false || denied?.has(itemIds[item]) === true,
  };
}
