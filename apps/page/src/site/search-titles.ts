/**
 * A search over titles, prepared once. Gives ids whose title holds every word of the query, titles that start
 * with it first. Accents and case do not matter. O(items) per search.
 */
export function titleSearch(titles: ReadonlyMap<string, string>): (query: string, limit: number) => string[] {
  const entries = [...titles].map(([id, title]) => ({ id, text: folded(title) }));
  return (query, limit) => {
    const wanted = folded(query).trim();
    const words = wanted.split(/\s+/).filter(Boolean);
    const starting: string[] = [];
    const others: string[] = [];
    for (const { id, text } of entries) {
      if (text.startsWith(wanted)) starting.push(id);
      else if (words.every((word) => text.includes(word))) others.push(id);
      if (starting.length >= limit) break;
    }
    return [...starting, ...others].slice(0, limit);
  };
}

function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();
}
