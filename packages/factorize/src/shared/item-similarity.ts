import { type Csr, transpose } from '@hushrec/numerics';

/** The k most similar other items of each item, most similar first; −1 pads. */
export interface NearestItems {
  readonly k: number;
  readonly neighbours: Int32Array;
  readonly similarities: Float32Array;
}

/**
 * Nearest items by shrunk correlation over the people who have both (Koren 2008, §2.2): with c_ij the values
 * of `rows`, M the number of common people and β the shrinkage,
 *
 *   s_jl = M/(M + β) · Σ c_ij c_il / √(Σ c_ij² · Σ c_il²)        (sums over the M common people)
 *
 * For values that are all 1 the fraction is replaced by the cosine M/√(n_j n_l). Only positive similarities
 * are kept. One item at a time: O(Σ_i n_i²) time, O(items) memory besides the result.
 */
export function nearestItems(
  rows: Csr,
  k: number,
  shrinkage: number,
  kind: 'correlation' | 'cosine',
): NearestItems {
  const byItem = transpose(rows);
  const items = byItem.rowCount;
  const neighbours = new Int32Array(items * k).fill(-1);
  const similarities = new Float32Array(items * k);
  const products = new Float64Array(items);
  const ownSquares = new Float64Array(items);
  const otherSquares = new Float64Array(items);
  const common = new Uint32Array(items);
  const touched = new Uint32Array(items);
  const countOf = (item: number) => byItem.offsets[item + 1] - byItem.offsets[item];
  for (let item = 0; item < items; item++) {
    let touchedCount = 0;
    for (let a = byItem.offsets[item]; a < byItem.offsets[item + 1]; a++) {
      const person = byItem.indices[a];
      const own = byItem.values[a];
      for (let b = rows.offsets[person]; b < rows.offsets[person + 1]; b++) {
        const other = rows.indices[b];
        if (other === item) continue;
        if (common[other] === 0) touched[touchedCount++] = other;
        const value = rows.values[b];
        common[other]++;
        products[other] += own * value;
        ownSquares[other] += own * own;
        otherSquares[other] += value * value;
      }
    }
    const found: { other: number; similarity: number }[] = [];
    for (let t = 0; t < touchedCount; t++) {
      const other = touched[t];
      const m = common[other];
      const raw =
        kind === 'cosine'
          ? m / Math.sqrt(countOf(item) * countOf(other))
          : products[other] / Math.sqrt(ownSquares[other] * otherSquares[other]);
      const similarity = (m / (m + shrinkage)) * raw;
      if (similarity > 0) found.push({ other, similarity });
      common[other] = 0;
      products[other] = 0;
      ownSquares[other] = 0;
      otherSquares[other] = 0;
    }
    found.sort((a, b) => b.similarity - a.similarity || a.other - b.other);
    for (let p = 0; p < k && p < found.length; p++) {
      neighbours[item * k + p] = found[p].other;
      similarities[item * k + p] = found[p].similarity;
    }
  }
  return { k, neighbours, similarities };
}
