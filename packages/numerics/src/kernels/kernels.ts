import type { Csr, FactorMatrix } from '../csr.js';
import type {
  ExactGramianJob,
  ItemStatistics,
  ItemStatisticsJob,
  SolvePsdJob,
  SolveRowsJob,
  SumBagsJob,
  TopK,
  TopKJob,
} from '../engine.js';

/** Every job of an engine with the place of its result, so that any thread can compute any range of it. */
export interface KernelJobs {
  /** Ranges are rows of job.out. */
  readonly solveRows: SolveRowsJob;
  /** Ranges are blocks of `blockRows` rows; block b's d × d sum goes to out[b·d² …). */
  readonly gramian: { readonly rows: FactorMatrix; readonly blockRows: number; readonly out: Float64Array };
  /** Ranges are items from 0, item k of the range being item job.begin + k of the data. */
  readonly itemStatistics: ItemStatisticsJob & { readonly out: ItemStatistics };
  /** Ranges are blocks of `blockRows` users; block b's packed triangle goes to out[b·d(d+1)/2 …). */
  readonly exactGramian: ExactGramianJob & { readonly blockRows: number; readonly out: Float64Array };
  /** Ranges are systems. */
  readonly solvePsd: SolvePsdJob;
  /** Ranges are rows of job.out. */
  readonly sumBags: SumBagsJob;
  /** Ranges are rows of the rowCount × k result. */
  readonly topK: TopKJob & { readonly out: TopK };
  /** Ranges are rows of `pairs`. */
  readonly predictPairs: {
    readonly rows: FactorMatrix;
    readonly items: FactorMatrix;
    readonly pairs: Csr;
    readonly out: Float32Array;
  };
}

/** Names of jobs, which are the names of their kernels. */
export type JobKind = keyof KernelJobs;

/** What one job put into kernel memory before its ranges are computed, and where each thread may scribble. */
export interface Staging {
  readonly addresses: readonly number[];
  readonly scratch: number;
  readonly scratchBytes: number;
  /** Pieces of what all ranges read that are still to be put in place; threads share them. */
  readonly slices: number;
}

/**
 * The arithmetic of every job on a range of it. Implementations differ in speed alone: results agree with the
 * scalar reference within the tolerances of the contract suite, and integer sums agree exactly. A row's
 * result never depends on the range it is computed in; that is what makes results equal for any number of
 * threads.
 */
export type Kernels = {
  readonly name: string;
  /** Once per job, in one thread: takes a place for what all ranges read, where the kernels can reach it. */
  stage<Kind extends JobKind>(
    kind: Kind,
    job: KernelJobs[Kind],
    bounds: Uint32Array,
    threads: number,
  ): Staging;
  /** Once per job and thread, before its ranges. */
  adopt(staging: Staging, thread: number): void;
  /** Slice `slice` of what all ranges read. No range may run before all slices are there. */
  stageSlice<Kind extends JobKind>(kind: Kind, job: KernelJobs[Kind], slice: number): void;
} & { readonly [Kind in JobKind]: (job: KernelJobs[Kind], begin: number, end: number) => void };
