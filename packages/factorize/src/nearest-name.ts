/**
 * The known name that was probably meant: fewest insertions, deletions, replacements and swaps of neighbours
 * (Damerau–Levenshtein, case and separators aside), at most a third of the letters. Undefined where none is
 * near.
 */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const plain = (name: string) => name.toLowerCase().replace(/[\s_.-]/g, '');
  const wanted = plain(typed);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of known) {
    const distance = editDistance(wanted, plain(name));
    if (distance < least) [best, least] = [name, distance];
  }
  // Who types the beginning of one name only means that one.
  if (best === undefined && wanted.length >= 3) {
    const begun = known.filter((name) => plain(name).startsWith(wanted));
    if (begun.length === 1) return begun[0];
  }
  return best;
}

/** ` Did you mean "x"?`, or nothing: to be put behind what is wrong. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const name = nearestName(typed, known);
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}

function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let least = Math.min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, before[j - 2] + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[b.length];
}
