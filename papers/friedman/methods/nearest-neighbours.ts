/** The part of a neighbour model that says who is near whom. */
export interface NeighbourLists {
  readonly k: number;
  readonly neighbours: Int32Array;
  readonly similarities: Float32Array;
}

/**
 * For every listed item its k most similar listed items with similarity above 0, best first, ties by smaller
 * index; −1 pads. `similarity` is a full matrix over the listed items. O(m² + m·k·log m).
 */
export function nearestNeighbours(
  similarity: Float32Array,
  listed: Uint32Array,
  itemCount: number,
  k: number,
): NeighbourLists {
  const size = listed.length;
  const neighbours = new Int32Array(itemCount * k).fill(-1);
  const similarities = new Float32Array(itemCount * k);
  const candidates = new Uint32Array(size);
  for (let a = 0; a < size; a++) {
    const row = similarity.subarray(a * size, (a + 1) * size);
    let count = 0;
    const threshold = size > 4 * k ? kthLargest(row, k) : 0;
    for (let c = 0; c < size; c++) if (c !== a && row[c] > 0 && row[c] >= threshold) candidates[count++] = c;
    const best = candidates.slice(0, count).sort((one, other) => row[other] - row[one] || one - other);
    for (let rank = 0; rank < Math.min(k, count); rank++) {
      neighbours[listed[a] * k + rank] = listed[best[rank]];
      similarities[listed[a] * k + rank] = row[best[rank]];
    }
  }
  return { k, neighbours, similarities };
}

/**
 * A value not above the k-th largest entry and near it: from a histogram of [−1, 1], so that few entries need
 * sorting.
 */
function kthLargest(row: Float32Array, k: number): number {
  const bins = new Uint32Array(1025);
  for (let c = 0; c < row.length; c++) if (row[c] > 0) bins[Math.min(1024, Math.floor(row[c] * 1024))]++;
  let seen = 0;
  for (let bin = 1024; bin > 0; bin--) {
    seen += bins[bin];
    if (seen > k) return bin / 1024;
  }
  return 0;
}
