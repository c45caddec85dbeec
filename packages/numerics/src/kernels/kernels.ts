import type { Csr, FactorMatrix } from '../csr.js';
import type {
  ExactGramianJob,
  ItemStatisticsJob,
  SolvePsdJob,
  SolveRowsJob,
  SumBagsJob,
  TopKJob,
} from '../engine.js';

/**
 * The arithmetic of every engine job on a range of its rows, items or systems. Implementations differ in speed
 * alone: results agree with the scalar reference within the tolerances of `kernel-contract.ts`, and integer sums
 * agree exactly. A row's result never depends on the range it is computed in, which is what makes results equal
 * for any number of threads.
 */
export interface Kernels {
  readonly name: string;
  /** Rows [begin, end) of job.out. */
  solveRows(job: SolveRowsJob, begin: number, end: number): void;
  /** Σ over rows [begin, end) of x xᵀ into the full d × d `out`. */
  gramian(rows: FactorMatrix, begin: number, end: number, out: Float64Array): void;
  /** Items [begin, end) (within job.begin … job.end) into blocks that start at job.begin. */
  itemStatistics(
    job: ItemStatisticsJob,
    begin: number,
    end: number,
    matrices: Float64Array,
    vectors: Float64Array,
  ): void;
  /** Σ over users [begin, end) into the packed triangle `out`. */
  exactGramian(job: ExactGramianJob, begin: number, end: number, out: Float64Array): void;
  /** Systems [begin, end). */
  solvePsd(job: SolvePsdJob, begin: number, end: number): void;
  /** Rows [begin, end) of job.out. */
  sumBags(job: SumBagsJob, begin: number, end: number): void;
  /** Rows [begin, end) of the rowCount × k outputs. */
  topK(job: TopKJob, begin: number, end: number, indices: Int32Array, scores: Float32Array): void;
  /** Entries of rows [begin, end). */
  predictPairs(
    rows: FactorMatrix,
    items: FactorMatrix,
    pairs: Csr,
    begin: number,
    end: number,
    out: Float32Array,
  ): void;
}
