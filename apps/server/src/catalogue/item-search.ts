/** An item as people look for it. */
export interface NamedItem {
  readonly id: string;
  readonly title: string;
}

/**
 * Items whose id is the query or whose title holds all its words, those that start with it first, then in
 * catalogue order. Case and accents do not matter. O(items).
 */
export function searchItems(items: readonly NamedItem[], query: string, limit: number): NamedItem[] {
  const words = folded(query).split(/\s+/).filter(Boolean);
  const first: NamedItem[] = [];
  const others: NamedItem[] = [];
  const start = words.join(' ');
  const titles = foldedTitlesOf(items);
  for (const [at, item] of items.entries()) {
    const title = titles[at];
    if (item.id === query || (start !== '' && title.startsWith(start))) first.push(item);
    else if (words.every((word) => title.includes(word))) others.push(item);
    if (first.length >= limit) break;
  }
  return [...first, ...others].slice(0, limit);
}

/**
 * Of each catalogue once: folding tens of thousands of titles for every question is what an abuser would ask
 * for.
 */
const titlesOf = new WeakMap<readonly NamedItem[], readonly string[]>();

function foldedTitlesOf(items: readonly NamedItem[]): readonly string[] {
  let titles = titlesOf.get(items);
  if (titles === undefined) {
    titles = items.map(({ title }) => folded(title));
    titlesOf.set(items, titles);
  }
  return titles;
}

function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();
}
