// out = left · right, float64, by rows: every entry is summed in the order of the inner index, two IEEE
// operations a term, so that it has the bits it has in plain TypeScript.

/**
 * Four rows and four columns of out, `count` terms. Rows of `left` are `rowStep` bytes apart, terms of a row
 * `termStep`; rows of `right` and `out` are `columnBytes` apart.
 */
@inline
function tile4x4(
  out: usize, left: usize, rowStep: usize, termStep: usize, right: usize, columnBytes: usize, count: i32, onto: bool,
): void {
  let s00 = f64x2.splat(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00, s30 = s00, s31 = s00;
  if (onto) {
    let at = out;
    s00 = v128.load(at); s01 = v128.load(at, 16);
    at += columnBytes;
    s10 = v128.load(at); s11 = v128.load(at, 16);
    at += columnBytes;
    s20 = v128.load(at); s21 = v128.load(at, 16);
    at += columnBytes;
    s30 = v128.load(at); s31 = v128.load(at, 16);
  }
  const second = left + rowStep;
  const third = second + rowStep;
  const fourth = third + rowStep;
  let k: usize = 0;
  for (; count > 0; count--) {
    const c0 = v128.load(right), c1 = v128.load(right, 16);
    right += columnBytes;
    let row = v128.load_splat<f64>(left + k);
    s00 = f64x2.add(s00, f64x2.mul(row, c0)); s01 = f64x2.add(s01, f64x2.mul(row, c1));
    row = v128.load_splat<f64>(second + k);
    s10 = f64x2.add(s10, f64x2.mul(row, c0)); s11 = f64x2.add(s11, f64x2.mul(row, c1));
    row = v128.load_splat<f64>(third + k);
    s20 = f64x2.add(s20, f64x2.mul(row, c0)); s21 = f64x2.add(s21, f64x2.mul(row, c1));
    row = v128.load_splat<f64>(fourth + k);
    s30 = f64x2.add(s30, f64x2.mul(row, c0)); s31 = f64x2.add(s31, f64x2.mul(row, c1));
    k += termStep;
  }
  v128.store(out, s00); v128.store(out, s01, 16);
  out += columnBytes;
  v128.store(out, s10); v128.store(out, s11, 16);
  out += columnBytes;
  v128.store(out, s20); v128.store(out, s21, 16);
  out += columnBytes;
  v128.store(out, s30); v128.store(out, s31, 16);
}

/** One row and two columns. */
@inline
function tile1x2(
  out: usize, left: usize, termStep: usize, right: usize, columnBytes: usize, count: i32, onto: bool,
): void {
  let sum = onto ? v128.load(out) : f64x2.splat(0);
  for (; count > 0; count--) {
    sum = f64x2.add(sum, f64x2.mul(v128.load_splat<f64>(left), v128.load(right)));
    left += termStep;
    right += columnBytes;
  }
  v128.store(out, sum);
}

/** What is on the other side of a triangle becomes 0: adding nothing changes no sum. */
function zeroOtherSide(triangle: usize, width: i32, stride: i32, upper: bool): void {
  for (let row = 0; row < width; row++) {
    const at = triangle + (<usize>(row * stride) << 3);
    if (upper) memory.fill(at, 0, <usize>row << 3);
    else memory.fill(at + (<usize>(row + 1) << 3), 0, <usize>(stride - row - 1) << 3);
  }
}

/**
 * `left` rows × inner, or the other way round with `transposed`; `right` inner × columns, `columns` even.
 * `triangle`: 1 where `right` is an upper one, 2 where it is a lower one, of which `inner` columns are meant;
 * 0 else. With `symmetric` nothing is written further left of the diagonal than three columns; with `onto`
 * sums begin with what is in `out`.
 */
export function product(
  out: usize, left: usize, right: usize, rows: i32, inner: i32, columns: i32,
  transposed: bool, triangle: i32, symmetric: bool, onto: bool,
): void {
  const upper = triangle == 1;
  const lower = triangle == 2;
  if (triangle != 0) zeroOtherSide(right, inner, columns, upper);
  const rowStep: usize = transposed ? 8 : <usize>inner << 3;
  const termStep: usize = transposed ? <usize>rows << 3 : 8;
  const columnBytes = <usize>columns << 3;
  const wholeRows = rows & ~3;
  const wholeColumns = columns & ~3;
  for (let row = 0; row < rows; row += row < wholeRows ? 4 : 1) {
    const own = left + <usize>row * rowStep;
    const to = out + <usize>row * columnBytes;
    const first = symmetric ? row & ~3 : 0;
    if (row < wholeRows) {
      for (let column = first; column < wholeColumns; column += 4) {
        const begin = lower ? column : 0;
        const end = upper ? min(column + 4, inner) : inner;
        const at = <usize>column << 3;
        const terms = right + <usize>begin * columnBytes + at;
        tile4x4(to + at, own + <usize>begin * termStep, rowStep, termStep, terms, columnBytes, end - begin, onto);
      }
    }
    const last = row < wholeRows ? 4 : 1;
    for (let r = 0; r < last; r++) {
      const line = own + <usize>r * rowStep;
      for (let column = row < wholeRows ? wholeColumns : first; column < columns; column += 2) {
        const begin = lower ? min(column, inner) : 0;
        const end = upper ? min(column + 2, inner) : inner;
        const at = <usize>column << 3;
        const terms = right + <usize>begin * columnBytes + at;
        tile1x2(to + <usize>r * columnBytes + at, line + <usize>begin * termStep, termStep, terms, columnBytes, end - begin, onto);
      }
    }
  }
}
