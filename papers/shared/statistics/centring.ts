import { type Csr, sharedFloat32 } from '@hushrec/numerics';

/** What is subtracted from a rating before it is clipped. */
export interface Centre {
  /** A public constant, or a released mean. */
  readonly offset: number;
  /** Released number per item. */
  readonly itemOffsets?: ArrayLike<number>;
  /** Each person's own number, from own ratings and released values only. */
  readonly userOffsets?: ArrayLike<number>;
}

/**
 * y_ij = r_ij − offset − itemOffset_j − userOffset_i, aligned with `rows.values`. O(ratings).
 * @param rowsAre whether rows of the matrix are users or items
 * @param targets overwritten and returned: for callers that centre again and again
 */
export function centredTargets(
  rows: Csr,
  rowsAre: 'users' | 'items',
  centre: Centre,
  targets: Float32Array = sharedFloat32(rows.values.length),
): Float32Array {
  const { offsets, indices, values } = rows;
  const ofRow = rowsAre === 'users' ? centre.userOffsets : centre.itemOffsets;
  const ofColumn = rowsAre === 'users' ? centre.itemOffsets : centre.userOffsets;
  for (let row = 0; row < rows.rowCount; row++) {
    const shift = centre.offset + (ofRow?.[row] ?? 0);
    const end = offsets[row + 1];
    if (ofColumn === undefined) for (let at = offsets[row]; at < end; at++) targets[at] = values[at] - shift;
    else for (let at = offsets[row]; at < end; at++) targets[at] = values[at] - shift - ofColumn[indices[at]];
  }
  return targets;
}

/**
 * Everyone's own mean, shrunk: Σ_j (r_ij − offset − itemOffset_j) / (n_i + shrinkage). Stays with its owner,
 * reads no one else's data, costs nothing. O(ratings).
 */
export function ownMeans(byUser: Csr, centre: Omit<Centre, 'userOffsets'>, shrinkage: number): Float32Array {
  const means = sharedFloat32(byUser.rowCount);
  for (let user = 0; user < byUser.rowCount; user++) {
    const begin = byUser.offsets[user];
    const end = byUser.offsets[user + 1];
    let sum = 0;
    for (let at = begin; at < end; at++) {
      sum += byUser.values[at] - centre.offset - (centre.itemOffsets?.[byUser.indices[at]] ?? 0);
    }
    means[user] = end > begin ? sum / (end - begin + shrinkage) : 0;
  }
  return means;
}
