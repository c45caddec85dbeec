import type { Csr } from './csr.js';
import { sharedFloat32, sharedUint32 } from './shared-array.js';

/** The same entries by columns instead of rows. Counting sort, O(entries + rows + columns). */
export function transpose(csr: Csr): Csr {
  return transposeWithOrder(csr).csr;
}

/**
 * The transpose and where each of its entries came from: `transposed.values[k] === csr.values[order[k]]`.
 * Arrays aligned with the entries (weights, targets) follow with `reorder`.
 */
export function transposeWithOrder(csr: Csr): { readonly csr: Csr; readonly order: Uint32Array } {
  const { rowCount, columnCount } = csr;
  const count = csr.indices.length;
  const offsets = sharedUint32(columnCount + 1);
  for (let k = 0; k < count; k++) offsets[csr.indices[k] + 1]++;
  for (let c = 0; c < columnCount; c++) offsets[c + 1] += offsets[c];
  const next = offsets.slice(0, columnCount);
  const indices = sharedUint32(count);
  const values = sharedFloat32(count);
  const order = sharedUint32(count);
  for (let row = 0; row < rowCount; row++) {
    const end = csr.offsets[row + 1];
    for (let k = csr.offsets[row]; k < end; k++) {
      const to = next[csr.indices[k]]++;
      indices[to] = row;
      values[to] = csr.values[k];
      order[to] = k;
    }
  }
  return { csr: { rowCount: columnCount, columnCount: rowCount, offsets, indices, values }, order };
}

/**
 * `aligned[order[k]]` for every k: carries an array aligned with a matrix's entries over to its transpose.
 */
export function reorder(aligned: Float32Array, order: Uint32Array): Float32Array {
  const out = sharedFloat32(order.length);
  for (let k = 0; k < order.length; k++) out[k] = aligned[order[k]];
  return out;
}
