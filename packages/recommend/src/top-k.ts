/**
 * The k best of `count` candidates by score, best first, ties by smaller index; those in `exclude` are left
 * out. Keeps a heap whose root is the worst of the best so far: O(count + hits·log k).
 */
export function topK(
  count: number,
  score: (item: number) => number,
  k: number,
  exclude: Pick<ReadonlySet<number>, 'has'> = new Set(),
): { readonly items: Uint32Array; readonly scores: Float64Array } {
  const items: number[] = [];
  const scores: number[] = [];
  const worse = (a: number, b: number) =>
    scores[a] < scores[b] || (scores[a] === scores[b] && items[a] > items[b]);
  const swap = (a: number, b: number) => {
    [items[a], items[b]] = [items[b], items[a]];
    [scores[a], scores[b]] = [scores[b], scores[a]];
  };
  const siftDown = () => {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      if (left >= items.length) return;
      const child = left + 1 < items.length && worse(left + 1, left) ? left + 1 : left;
      if (!worse(child, at)) return;
      swap(at, child);
      at = child;
    }
  };
  for (let item = 0; item < count; item++) {
    const value = score(item);
    // Most items are not among the best: the cheaper question first.
    const isAmongBest = items.length < k ? !Number.isNaN(value) : value > scores[0];
    if (!isAmongBest || exclude.has(item)) continue;
    if (items.length < k) {
      items.push(item);
      scores.push(value);
      for (let at = items.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!worse(at, parent)) break;
        swap(at, parent);
        at = parent;
      }
    } else {
      items[0] = item;
      scores[0] = value;
      siftDown();
    }
  }
  const order = items.map((_, at) => at).sort((a, b) => scores[b] - scores[a] || items[a] - items[b]);
  return {
    items: Uint32Array.from(order, (at) => items[at]),
    scores: Float64Array.from(order, (at) => scores[at]),
  };
}
