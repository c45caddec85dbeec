/** What is known of a product beforehand, so that no more than half of it is computed. */
export interface ProductShape {
  /** `right` is an upper triangle, or a lower one: what is on its other side is not read. */
  readonly right?: 'upper' | 'lower';
  /** The result is symmetric: what is below its diagonal, but for a few entries beside it, is not written. */
  readonly symmetric?: boolean;
}

/**
 * out = left · right for small dense matrices, by rows: `left` rows × inner, `right` inner × columns. Four
 * rows and two columns at a time, whose sums stay in registers and do not wait for each other: about three
 * times as fast as loops that store every sum. Every entry is summed in the order of `inner`, alone or in a
 * tile.
 */
export function smallProduct(
  out: Float64Array,
  left: Float64Array,
  right: Float64Array,
  rows: number,
  inner: number,
  columns: number,
  { right: triangle, symmetric = false }: ProductShape = {},
): void {
  const [wholeRows, wholeColumns] = [rows & ~3, columns & ~1];
  const [isUpper, isLower] = [triangle === 'upper', triangle === 'lower'];
  for (let row = 0; row < wholeRows; row += 4) {
    const first = row * inner;
    const second = first + inner;
    const third = second + inner;
    const fourth = third + inner;
    for (let column = symmetric ? row : 0; column < wholeColumns; column += 2) {
      let a0 = 0;
      let a1 = 0;
      let b0 = 0;
      let b1 = 0;
      let c0 = 0;
      let c1 = 0;
      let d0 = 0;
      let d1 = 0;
      let begin = 0;
      if (isLower) {
        const x = right[column * columns + column];
        a0 = left[first + column] * x;
        b0 = left[second + column] * x;
        c0 = left[third + column] * x;
        d0 = left[fourth + column] * x;
        begin = column + 1;
      }
      const end = isUpper ? column + 1 : inner;
      for (let k = begin, at = begin * columns + column; k < end; k++, at += columns) {
        const x = right[at];
        const y = right[at + 1];
        const a = left[first + k];
        const b = left[second + k];
        const c = left[third + k];
        const d = left[fourth + k];
        a0 += a * x;
        a1 += a * y;
        b0 += b * x;
        b1 += b * y;
        c0 += c * x;
        c1 += c * y;
        d0 += d * x;
        d1 += d * y;
      }
      if (isUpper) {
        const k = column + 1;
        const y = right[k * columns + k];
        a1 += left[first + k] * y;
        b1 += left[second + k] * y;
        c1 += left[third + k] * y;
        d1 += left[fourth + k] * y;
      }
      const to = row * columns + column;
      out[to] = a0;
      out[to + 1] = a1;
      out[to + columns] = b0;
      out[to + columns + 1] = b1;
      out[to + 2 * columns] = c0;
      out[to + 2 * columns + 1] = c1;
      out[to + 3 * columns] = d0;
      out[to + 3 * columns + 1] = d1;
    }
    for (let below = row; below < row + 4; below++)
      for (let column = wholeColumns; column < columns; column++)
        out[below * columns + column] = oneSum(left, right, below, column, inner, columns, isUpper, isLower);
  }
  for (let row = wholeRows; row < rows; row++)
    for (let column = symmetric ? row : 0; column < columns; column++)
      out[row * columns + column] = oneSum(left, right, row, column, inner, columns, isUpper, isLower);
}

function oneSum(
  left: Float64Array,
  right: Float64Array,
  row: number,
  column: number,
  inner: number,
  columns: number,
  isUpper: boolean,
  isLower: boolean,
): number {
  const end = isUpper ? column + 1 : inner;
  let sum = 0;
  for (let k = isLower ? column : 0; k < end; k++) sum += left[row * inner + k] * right[k * columns + column];
  return sum;
}
