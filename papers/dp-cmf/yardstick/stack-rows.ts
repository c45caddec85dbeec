import { type Csr, sharedFloat32, sharedUint32 } from '@hushrec/numerics';

/** The rows of all parts, one below the other; they must have the same columns. O(entries + rows). */
export function stackRows(parts: readonly Csr[]): Csr {
  const columnCount = parts[0]?.columnCount ?? 0;
  let rowCount = 0;
  let entries = 0;
  for (const part of parts) {
    if (part.columnCount !== columnCount) {
      throw new RangeError(
        `Matrices of ${columnCount} and ${part.columnCount} columns cannot be stacked; join features by the items of the data set.`,
      );
    }
    rowCount += part.rowCount;
    entries += part.indices.length;
  }
  const offsets = sharedUint32(rowCount + 1);
  const indices = sharedUint32(entries);
  const values = sharedFloat32(entries);
  let row = 0;
  let at = 0;
  for (const part of parts) {
    indices.set(part.indices, at);
    values.set(part.values, at);
    for (let r = 0; r < part.rowCount; r++) offsets[++row] = at + part.offsets[r + 1];
    at += part.indices.length;
  }
  return { rowCount, columnCount, offsets, indices, values };
}
