/** L2 (Frobenius) sensitivity of all item matrices together: √β·Γ_u². Proof: `itemSums`. */
export function matrixSensitivity(budget: number, vectorBound: number): number {
  return Math.sqrt(budget) * vectorBound ** 2;
}

/** L2 sensitivity of all item vectors together: √β·Γ_u·Γ_y. Proof: `itemSums`. */
export function vectorSensitivity(budget: number, vectorBound: number, targetBound: number): number {
  return Math.sqrt(budget) * vectorBound * targetBound;
}

/** L2 sensitivity of matrices and vectors as one statistic (`sampledItemSums`). */
export const jointSensitivity = 1;

/** Blocks of items small enough that their matrices take about 32 MB. Depends on public sizes alone. */
export function itemBlocks(
  itemCount: number,
  width: number,
): { readonly part: number; readonly begin: number; readonly end: number }[] {
  const perItem = (width * (width + 1)) / 2 + width;
  const size = Math.max(1, Math.floor(4_000_000 / perItem));
  const blocks = [];
  for (let begin = 0, part = 0; begin < itemCount; begin += size, part++) {
    blocks.push({ part, begin, end: Math.min(itemCount, begin + size) });
  }
  return blocks;
}
