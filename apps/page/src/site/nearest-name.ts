/**
 * The name that is fewest edits away (Levenshtein), where that is few enough to be a slip; else undefined.
 */
export function nearestName(asked: string, names: readonly string[]): string | undefined {
  const best = names
    .map((name) => ({ name, edits: edits(asked.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)[0];
  return best !== undefined && best.edits <= Math.max(2, asked.length / 4) ? best.name : undefined;
}

function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length];
}
