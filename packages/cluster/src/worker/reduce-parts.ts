import { PartSums } from '../blocks/part-sums.js';
import { encodePart } from '../blocks/partial-sums.js';

/**
 * Adds pieces of the same key: rows of (key, covered blocks, numbers) in, one row of the same kind out for
 * every key.
 *
 * @throws BlockError where a block is in two of them, InexactSumError where a sum reaches 2⁵³
 */
export async function reduceParts(
  rows: AsyncIterable<readonly string[]>,
  blockCount: number,
  write: (...fields: readonly string[]) => Promise<void>,
): Promise<void> {
  const sums = new PartSums(blockCount);
  for await (const row of rows) sums.add(row);
  for (const [key, { covered, values }] of sums) await write(key, covered.toString(), encodePart(values));
}
