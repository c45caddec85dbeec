import { type Csr, sharedFloat32, sharedUint32 } from '@hushrec/numerics';

/** Entries of both matrices, rows kept ascending. They must have no entry in common. O(entries). */
export function mergeRows(a: Csr, b: Csr): Csr {
  const offsets = sharedUint32(a.rowCount + 1);
  const indices = sharedUint32(a.indices.length + b.indices.length);
  const values = sharedFloat32(indices.length);
  let to = 0;
  for (let row = 0; row < a.rowCount; row++) {
    let i = a.offsets[row];
    let j = b.offsets[row];
    const aEnd = a.offsets[row + 1];
    const bEnd = b.offsets[row + 1];
    while (i < aEnd || j < bEnd) {
      const fromA = j >= bEnd || (i < aEnd && a.indices[i] < b.indices[j]);
      indices[to] = fromA ? a.indices[i] : b.indices[j];
      values[to++] = fromA ? a.values[i++] : b.values[j++];
    }
    offsets[row + 1] = to;
  }
  return { rowCount: a.rowCount, columnCount: a.columnCount, offsets, indices, values };
}
