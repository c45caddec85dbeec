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
  for (const item of items) {
    const title = folded(item.title);
    if (item.id === query || (start !== '' && title.startsWith(start))) first.push(item);
    else if (words.every((word) => title.includes(word))) others.push(item);
    if (first.length >= limit) break;
  }
  return [...first, ...others].slice(0, limit);
}

function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();
}
