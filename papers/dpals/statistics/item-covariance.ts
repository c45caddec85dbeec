import { type Csr, transposeWithOrder } from '@hushrec/numerics';
import { clipFactor, requireBound, roundingMargin, type SumShape } from '@hushrec/statistics';

const gridBits = 15;
/** Above this the packed matrix would take more than half a gigabyte, and is refused. */
export const mostCovarianceItems = 11_000;

/** Memory of the packed matrix. */
function gibibytes(itemCount: number): string {
  return ((8 * itemCount * (itemCount + 1)) / 2 / 2 ** 30).toFixed(2);
}

/** The catalogue is too large for a dense item–item matrix. */
export class CovarianceSizeError extends RangeError {
  override readonly name = 'CovarianceSizeError';
  readonly kind = 'usage';
  readonly itemCount: number;
  constructor(itemCount: number) {
    super(
      `A covariance of ${itemCount} items takes ${gibibytes(itemCount)} GiB; expected at most ${mostCovarianceItems} items ` +
        `(${gibibytes(mostCovarianceItems)} GiB). Use hush or dpals, or keep the most popular items only.`,
    );
    this.itemCount = itemCount;
  }
}

/**
 * Plans ask this too: a catalogue that is too large is refused before anything is charged.
 *
 * @throws CovarianceSizeError with the memory that it would take
 */
export function requireCovarianceFits(itemCount: number): void {
  if (itemCount > mostCovarianceItems) throw new CovarianceSizeError(itemCount);
}

/**
 * Length, sensitivity rowBound² and grid of `addItemCovariance`. @throws CovarianceSizeError before anyone is
 * looked at
 */
export function covarianceShape(itemCount: number, rowBound: number): SumShape {
  requireBound('row bound', rowBound);
  requireCovarianceFits(itemCount);
  return {
    length: (itemCount * (itemCount + 1)) / 2,
    sensitivity: rowBound ** 2,
    gridStep: (rowBound * 2 ** -gridBits) ** 2,
  };
}

/**
 * C = Σ_i x_i x_iᵀ over people, x_i being a person's row scaled down to norm ≤ `rowBound`, as a packed upper
 * triangle on a grid (McSherry & Mironov 2009; Dwork et al. 2014, "Analyze Gauss").
 *
 * Frobenius sensitivity rowBound²: one person adds x xᵀ with x = trunc(2¹⁵ x_i/rowBound) and ‖x‖ ≤ 2¹⁵, since
 * scaling leaves room for rounding and truncation only shrinks. A row with a value that is not finite counts
 * as 0. O(Σ_i n_i² + m²) time, O(m²/2) memory. Item by item over the people who rated it, so that sums go to
 * one row of the matrix at a time, which the cache holds; they are sums of integers, the same in every order.
 *
 * @param values replaces rows.values, aligned with them
 * @param into m(m + 1)/2 numbers, overwritten
 */
export function addItemCovariance(
  rows: Csr,
  values: Float32Array,
  rowBound: number,
  into: Float64Array,
): void {
  const m = rows.columnCount;
  if (rows.rowCount * 4 ** gridBits >= 2 ** 52) {
    throw new RangeError(
      'A covariance over this many people would not be exact; split them and add the parts.',
    );
  }
  const { indices } = rows;
  const onGrid = rowsOnGrid(rows, values, rowBound);
  const { csr: byItem, order } = transposeWithOrder(rows);
  const row = new Float64Array(m);
  for (let item = 0, to = 0; item < m; to += m - item, item++) {
    for (let k = byItem.offsets[item]; k < byItem.offsets[item + 1]; k++) {
      const own = order[k];
      const end = rows.offsets[byItem.indices[k] + 1];
      const value = onGrid[own];
      if (value === 0) continue;
      // A person's items are in order, so those from here on are the ones of this row.
      for (let at = own; at < end; at++) row[indices[at]] += value * onGrid[at];
    }
    into.set(row.subarray(item), to);
    row.fill(0, item);
  }
}

/** trunc(2¹⁵ x_i/rowBound) of every person; integers of at most 2¹⁵, aligned with the rows. */
function rowsOnGrid(rows: Csr, values: Float32Array, rowBound: number): Int32Array {
  const onGrid = new Int32Array(values.length);
  for (let user = 0; user < rows.rowCount; user++) {
    const begin = rows.offsets[user];
    const end = rows.offsets[user + 1];
    let square = 0;
    for (let at = begin; at < end; at++) square += values[at] ** 2;
    if (!Number.isFinite(square) || square === 0) continue;
    const scale = (clipFactor(Math.sqrt(square), rowBound) * roundingMargin * 2 ** gridBits) / rowBound;
    for (let at = begin; at < end; at++) onGrid[at] = Math.trunc(values[at] * scale);
  }
  return onGrid;
}
