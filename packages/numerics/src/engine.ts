import type { Csr, FactorMatrix } from './csr.js';
import type { WorkerPool } from './threads/worker-pool.js';

/**
 * One half-step of alternating least squares. For every row r, with (j, y) its entries and w their weights:
 *
 *   out_r = (Σ_j w_j x_j x_jᵀ + unobservedWeight · gramian + ridge_r · diag(ridgeShape))⁻¹ Σ_j w_j y_j x_j
 *
 * Rows without entries get 0.
 */
export interface SolveRowsJob {
  readonly rows: Csr;
  /** x: one row per column of `rows`. */
  readonly fixed: FactorMatrix;
  readonly out: FactorMatrix;
  /**
   * Where given, gets what `out` would get for targets that are all 1, from the same factorization. Not for
   * `cg`.
   */
  readonly ofOnes?: FactorMatrix;
  /** One ridge for all rows, or one per row. */
  readonly ridge: number | Float32Array;
  /** Multiplies the ridge per dimension (for an intercept with a ridge of its own); all 1 when absent. */
  readonly ridgeShape?: Float32Array;
  /** Aligned with rows.values; all 1 when absent. */
  readonly weights?: Float32Array;
  /** Replaces rows.values as targets y, aligned with them. */
  readonly targets?: Float32Array;
  /** Weight of all pairs, observed or not (implicit feedback); needs `gramian` (width × width, symmetric). */
  readonly unobservedWeight?: number;
  readonly gramian?: Float64Array;
  /**
   * `cholesky` (default) solves exactly. `cg` takes `cgSteps` (default 3) conjugate-gradient steps from the
   * present content of `out`: O(entries · d) a step instead of O(entries · d²) + O(d³), for training without
   * privacy.
   */
  readonly solver?: 'cholesky' | 'cg';
  readonly cgSteps?: number;
  /**
   * What becomes of a row whose own system is not positive definite, as far as float64 can tell: `throw`
   * (default) ends the job; `nan` makes that row of the results not a number, which whoever clips it counts
   * as 0, and leaves all others as they are. For rows that are people: whether everybody's job ends must not
   * depend on one of them.
   */
  readonly unsolvable?: 'throw' | 'nan';
}

/**
 * Exact sums about people. User vectors, weights and targets are first rounded towards zero to integers,
 * so that every sum is an exact integer in float64, in whatever order it is taken:
 *
 *   x_ij = trunc(√w_ij · u_i · 2^vectorBits / vectorBound)     (‖x_ij‖ ≤ √w_ij · 2^vectorBits when ‖u_i‖ ≤ vectorBound)
 *   t_ij = trunc(√w_ij · y_ij · 2^targetBits / targetBound)    (|t_ij| ≤ √w_ij · 2^targetBits when |y_ij| ≤ targetBound)
 *   A_j = Σ_i x_ij x_ijᵀ,   b_j = Σ_i t_ij x_ij
 *
 * The caller guarantees the two bounds (by clipping); the engine does the rounding, and does it so that the
 * two norms in brackets hold without any allowance for floating point (see `gridScale`). Refuses (throws
 * `ExactnessError`) when a sum could reach 2^53 and when a vector, weight or target is NaN or beyond its
 * bound.
 */
export interface ItemStatisticsJob {
  /** Items by rows, users by columns; values are y. */
  readonly byItem: Csr;
  readonly users: FactorMatrix;
  /** √w_ij aligned with byItem.values; all 1 when absent. */
  readonly rootWeights?: Float32Array;
  /** Replaces byItem.values as y. */
  readonly targets?: Float32Array;
  readonly vectorBound: number;
  readonly targetBound: number;
  readonly vectorBits: number;
  readonly targetBits: number;
  /** Whether A is wanted; b always is. */
  readonly matrices: boolean;
  /** Items [begin, end) of this call. */
  readonly begin: number;
  readonly end: number;
  /**
   * Where the sums may go if they fit, for callers that are done with the last ones: fresh memory costs a
   * quarter of the step. In shared memory where there are threads, as what `itemStatistics` returned is.
   */
  readonly into?: ItemStatistics;
}

/**
 * Integer-valued sums of one block of items. Upper triangles are packed by rows: (0,0) (0,1) … (0,d−1) (1,1)
 * …
 */
export interface ItemStatistics {
  /** (end − begin) × d(d+1)/2, or empty when matrices were not asked for. */
  readonly matrices: Float64Array;
  /** (end − begin) × d. */
  readonly vectors: Float64Array;
}

/**
 * Σ_i x_i x_iᵀ over all users with x_i = trunc(u_i · 2^vectorBits / vectorBound): exact, as in
 * `ItemStatisticsJob`.
 */
export interface ExactGramianJob {
  readonly users: FactorMatrix;
  readonly vectorBound: number;
  readonly vectorBits: number;
}

/**
 * Solve (Π₊(A_k) + ridge_k I + common + added_k) x = b_k for a block of packed symmetric A_k; A is destroyed.
 */
export interface SolvePsdJob {
  readonly width: number;
  readonly count: number;
  /** count × d(d+1)/2, packed upper triangles. */
  readonly matrices: Float64Array;
  /** count × d. */
  readonly vectors: Float64Array;
  /** Added to the diagonal after the projection, per system. */
  readonly ridge: Float64Array;
  /**
   * Positive semi-definite d × d matrix added after the projection (unobserved term, public features);
   * optional.
   */
  readonly common?: Float64Array;
  /** Per-system PSD matrices added after the projection, packed like `matrices`; optional. */
  readonly added?: Float64Array;
  /** false keeps negative eigenvalues (ablation only). */
  readonly project?: boolean;
  /** Row `begin + k` of out gets solution k. */
  readonly out: FactorMatrix;
  readonly begin: number;
}

/** Top-k of offset_r + bias_j + x_r · v_j per row, best first, ties by smaller column. */
export interface TopKJob {
  readonly rows: FactorMatrix;
  readonly items: FactorMatrix;
  readonly itemBias?: Float32Array;
  /** Columns of row r to leave out; ascending within a row. */
  readonly exclude?: Csr;
  readonly k: number;
}

/** The best columns of every row, best first, with their scores. */
export interface TopK {
  /** rowCount × k; −1 where there are fewer than k candidates. */
  readonly indices: Int32Array;
  readonly scores: Float32Array;
}

/**
 * Sums of embeddings (feature bags): out_r = Σ_k value_k · table[column_k] over the entries k of row r. The
 * gradient with respect to the table is the same job on the transposed bags, with the gradients of `out` as
 * table.
 */
export interface SumBagsJob {
  readonly bags: Csr;
  readonly table: FactorMatrix;
  readonly out: FactorMatrix;
}

/** Where the arithmetic runs. Methods speak to this and know nothing of threads or WebAssembly. */
export interface Engine {
  readonly description: string;
  readonly threads: number;
  /** Which kernels it runs: what other threads must take to get the same bits. */
  readonly kernel: 'scalar' | 'simd' | 'relaxed-simd';
  /** The engine's threads, for work that is not linear algebra (noise); absent where there is one thread. */
  readonly pool?: WorkerPool;
  /** What this host lacks and what that costs; empty where everything is there. Apps show each once. */
  readonly warnings: readonly string[];
  solveRows(job: SolveRowsJob): Promise<void>;
  /** Σ_r x_r x_rᵀ as a full d × d float64 matrix. */
  gramian(rows: FactorMatrix): Promise<Float64Array>;
  itemStatistics(job: ItemStatisticsJob): Promise<ItemStatistics>;
  /** Packed upper triangle of integers, d(d+1)/2 entries. */
  exactGramian(job: ExactGramianJob): Promise<Float64Array>;
  solvePsd(job: SolvePsdJob): Promise<void>;
  sumBags(job: SumBagsJob): Promise<void>;
  topK(job: TopKJob): Promise<TopK>;
  /** x_r · v_j for every entry (r, j) of `pairs`, aligned with pairs.values. */
  predictPairs(rows: FactorMatrix, items: FactorMatrix, pairs: Csr): Promise<Float32Array>;
  /** Stops threads and frees memory. The engine cannot be used afterwards. */
  close(): Promise<void>;
}
