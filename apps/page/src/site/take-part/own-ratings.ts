import type { DurableFolder, RatedItem } from '@hushrec/federate/browser';

/** The histories that *Try it* keeps in this browser, one per catalogue. */
const prefix = 'hushrec.history.';

/** Of the histories in this browser the one that knows most of a run's items, those items alone. */
export function ownRatings(itemIds: readonly string[]): RatedItem[] {
  const known = new Set(itemIds);
  let best: RatedItem[] = [];
  for (let at = 0; at < localStorage.length; at++) {
    const name = localStorage.key(at)!;
    if (!name.startsWith(prefix)) continue;
    const own = readRatings(localStorage.getItem(name)).filter(({ id }) => known.has(id));
    if (own.length > best.length) best = own;
  }
  return best;
}

function readRatings(text: string | null): RatedItem[] {
  try {
    return (JSON.parse(text ?? '[]') as unknown[]).flatMap((pair) =>
      Array.isArray(pair) && typeof pair[0] === 'string' && Number.isFinite(pair[1])
        ? [{ id: pair[0], rating: pair[1] as number }]
        : [],
    );
  } catch {
    return [];
  }
}

const copyOf = (run: string) => `ratings-${run}.json`;

/** Removes the copies of ratings, of all runs but one: what is off or over needs none. */
export async function removeCopies(folder: DurableFolder, except = ''): Promise<void> {
  for (const name of await folder.list('ratings-')) if (name !== copyOf(except)) await folder.remove(name);
}

/**
 * The ratings a run was begun with: those of now when it has not begun. A run goes on with what it was begun
 * with, whatever is rated later.
 */
export async function ratingsOfRun(
  folder: DurableFolder,
  run: string,
  now: readonly RatedItem[],
): Promise<readonly RatedItem[]> {
  const name = copyOf(run);
  const kept = await folder.read(name);
  if (kept !== undefined) return JSON.parse(new TextDecoder().decode(kept)) as RatedItem[];
  await folder.write(name, new TextEncoder().encode(JSON.stringify(now)));
  return now;
}
