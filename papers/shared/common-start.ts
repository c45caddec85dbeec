import type { FactorMatrix } from '@hushrec/numerics';

/**
 * Adds `mean` to the first coordinate of every item's initial vector: a first direction in which all items
 * begin alike. People's first coordinate is then how they rate in general, and the items' becomes how they
 * are rated, which is found even where noise drowns what a random start would have to find first. No data is
 * read. O(items).
 */
export function startAlike({ data, width }: FactorMatrix, mean: number): void {
  for (let at = 0; at < data.length; at += width) data[at] += mean;
}
