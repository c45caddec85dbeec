import { BlockError } from '../blocks/block.js';
import { Coverage } from '../blocks/coverage.js';
import { addExactly, decodePart, encodePart } from '../blocks/partial-sums.js';

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
  const sums = new Map<string, { readonly covered: Coverage; readonly values: Float64Array }>();
  for await (const [key, covered, encoded] of rows) {
    const own = new Coverage(blockCount, new Uint8Array(Buffer.from(covered, 'base64')));
    const before = sums.get(key);
    if (before === undefined) sums.set(key, { covered: own, values: decodePart(encoded) });
    else {
      before.covered.join(own);
      const values = decodePart(encoded);
      if (values.length !== before.values.length) throw new BlockError('Pieces of one sum have two lengths.');
      addExactly(before.values, values);
    }
  }
  for (const [key, { covered, values }] of sums) await write(key, covered.toString(), encodePart(values));
}
