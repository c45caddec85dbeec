import type { Csr, FactorMatrix } from './csr.js';
import type { ItemStatisticsJob, SolvePsdJob, SolveRowsJob, SumBagsJob, TopKJob } from './engine.js';
import { packedLength } from './packed-symmetric.js';

/** Arrays of a job that do not fit together. */
export class JobShapeError extends RangeError {
  override readonly name = 'JobShapeError';
  readonly input: string;
  constructor(input: string, expected: string) {
    super(`${input} does not fit the job; expected ${expected}.`);
    this.input = input;
  }
}

/** A number of a job that is NaN or infinite. */
export class JobValueError extends RangeError {
  override readonly name = 'JobValueError';
  readonly kind = 'data';
  readonly input: string;
  constructor(input: string) {
    super(
      `${input} has an entry that is NaN or infinite. Look for it in what the sums were made of: targets, weights, noise.`,
    );
    this.input = input;
  }
}

/** NaN and ±∞ are the numbers x for which x − x is not 0, and a sum of such differences shows one of them. */
function finite(name: string, array: Float64Array, length: number): void {
  let sum = 0;
  for (let k = 0; k < length; k++) sum += array[k] - array[k];
  if (sum !== 0) throw new JobValueError(name);
}

function require(holds: boolean, input: string, expected: string): void {
  if (!holds) throw new JobShapeError(input, expected);
}

function matrix(name: string, { rowCount, width, data }: FactorMatrix, rows: number, columns: number): void {
  require(rowCount >= rows && width === columns, name, `${rows} rows of ${columns} numbers`);
  require(data.length >= rowCount * width, `${name}.data`, `${rowCount * width} numbers`);
}

function aligned(name: string, array: { readonly length: number } | undefined, length: number): void {
  require(array === undefined || array.length >= length, name, `${length} entries`);
}

/** Rows that were checked before; a `Csr` does not change, and blocks of one job pass it many times. */
const checked = new WeakSet<Csr>();

/** Columns are indices into memory: the largest one is checked. O(entries) the first time. */
function sparse(name: string, csr: Csr): void {
  if (checked.has(csr)) return;
  const { offsets, indices, values, rowCount, columnCount } = csr;
  require(offsets.length === rowCount + 1, `${name}.offsets`, `${rowCount + 1} entries`);
  const count = offsets[rowCount];
  require(indices.length >= count && values.length >= count, name, `${count} indices and values`);
  let previous = 0;
  for (let row = 0; row <= rowCount; row++) {
    require(offsets[row] >= previous, `${name}.offsets`, 'ascending numbers');
    previous = offsets[row];
  }
  let most = 0;
  for (let k = 0; k < count; k++) if (indices[k] > most) most = indices[k];
  require(count === 0 || most < columnCount, `${name}.indices`, `columns below ${columnCount}`);
  checked.add(csr);
}

/** What must hold before raw addresses are computed from a job. */
export const checkShapes = {
  solveRows(job: SolveRowsJob): void {
    const { rows, fixed, out, ridge, gramian } = job;
    const entries = rows.offsets[rows.rowCount];
    sparse('rows', rows);
    matrix('fixed', fixed, rows.columnCount, fixed.width);
    matrix('out', out, rows.rowCount, fixed.width);
    if (job.ofOnes !== undefined) {
      matrix('ofOnes', job.ofOnes, rows.rowCount, fixed.width);
      require(job.solver !== 'cg', 'ofOnes', 'none, because solver is cg');
    }
    if (typeof ridge !== 'number') aligned('ridge', ridge, rows.rowCount);
    aligned('ridgeShape', job.ridgeShape, fixed.width);
    aligned('weights', job.weights, entries);
    aligned('targets', job.targets, entries);
    aligned('gramian', gramian, fixed.width ** 2);
    require((job.unobservedWeight ?? 0) === 0 ||
      gramian !== undefined, 'gramian', 'one, because unobservedWeight is not 0');
  },
  itemStatistics(job: ItemStatisticsJob): void {
    const { byItem, users, begin, end } = job;
    sparse('byItem', byItem);
    matrix('users', users, byItem.columnCount, users.width);
    aligned('rootWeights', job.rootWeights, byItem.offsets[byItem.rowCount]);
    aligned('targets', job.targets, byItem.offsets[byItem.rowCount]);
    require(begin >= 0 && begin <= end && end <= byItem.rowCount, 'begin … end', `0 … ${byItem.rowCount}`);
  },
  solvePsd(job: SolvePsdJob): void {
    const { width, count } = job;
    aligned('matrices', job.matrices, count * packedLength(width));
    aligned('vectors', job.vectors, count * width);
    aligned('ridge', job.ridge, count);
    aligned('common', job.common, width * width);
    aligned('added', job.added, count * packedLength(width));
    matrix('out', job.out, job.begin + count, width);
    finite('vectors', job.vectors, count * width);
    finite('ridge', job.ridge, count);
  },
  sumBags({ bags, table, out }: SumBagsJob): void {
    sparse('bags', bags);
    matrix('table', table, bags.columnCount, table.width);
    matrix('out', out, bags.rowCount, table.width);
  },
  topK({ rows, items, itemBias, exclude, k }: TopKJob): void {
    require(Number.isInteger(k) && k >= 1, 'k', 'a whole number of at least 1');
    matrix('rows', rows, rows.rowCount, rows.width);
    matrix('items', items, items.rowCount, rows.width);
    aligned('itemBias', itemBias, items.rowCount);
    if (exclude === undefined) return;
    sparse('exclude', exclude);
    require(exclude.rowCount >= rows.rowCount, 'exclude', `${rows.rowCount} rows`);
  },
  predictPairs(rows: FactorMatrix, items: FactorMatrix, pairs: Csr): void {
    sparse('pairs', pairs);
    matrix('rows', rows, pairs.rowCount, rows.width);
    matrix('items', items, pairs.columnCount, rows.width);
  },
};
