/** What a rating did to a list: which rows are new, and how far others moved up. */
export interface ListChanges {
  readonly fresh: ReadonlySet<string>;
  readonly up: ReadonlyMap<string, number>;
}

export const noChanges: ListChanges = { fresh: new Set(), up: new Map() };

/**
 * Compares a list with the one before, ids by rank. What was rated leaves the list, and those behind it do
 * not count as moved up by that.
 */
export function changesOf(
  before: readonly string[],
  now: readonly string[],
  rated: ReadonlySet<string>,
): ListChanges {
  const placeBefore = new Map(before.filter((id) => !rated.has(id)).map((id, place) => [id, place]));
  const fresh = new Set<string>();
  const up = new Map<string, number>();
  for (const [place, id] of now.entries()) {
    const was = placeBefore.get(id);
    if (was === undefined) fresh.add(id);
    else if (was > place) up.set(id, was - place);
  }
  return { fresh, up };
}

/** "2 new, 1 moved up", or that nothing changed. */
export function changeWords({ fresh, up }: ListChanges): string {
  const parts = [
    ...(fresh.size > 0 ? [`${fresh.size} new`] : []),
    ...(up.size > 0 ? [`${up.size} moved up`] : []),
  ];
  return parts.length === 0 ? 'the same titles' : parts.join(', ');
}
