import type { Csr, FactorMatrix } from './csr.js';
import type {
  Engine,
  ExactGramianJob,
  ItemStatistics,
  ItemStatisticsJob,
  SolvePsdJob,
  SolveRowsJob,
  SumBagsJob,
  TopK,
  TopKJob,
} from './engine.js';
import { checkExactGramian, checkItemStatistics } from './exact-grid.js';
import { checkShapes } from './job-shapes.js';
import type { JobKind, KernelJobs } from './kernels/kernels.js';
import { packedLength } from './packed-symmetric.js';
import { sharedFloat32, sharedFloat64, sharedInt32, sharedMemoryAvailable } from './shared-array.js';
import { type ChunkLimits, chunkByCost } from './threads/chunk-by-cost.js';
import type { KernelRunner } from './threads/kernel-runner.js';
import type { WorkerPool } from './threads/worker-pool.js';

/** Rows summed by one range of a Gramian; fixed, so that the order of addition never varies. */
const GRAMIAN_BLOCK = 2048;
/** Jobs below this many multiply-adds are done before a thread would have woken up. */
const WORTH_THREADS = 4e6;
/**
 * Multiply-adds of a range: some hundredths of a second, so that other events get their turn between ranges.
 */
const MOST_COST = 2e8;
/** Scratch memory of a range: rows of results and entries. */
const MOST_ROWS = 2048;
const MOST_ENTRIES = 65_536;
const MOST_RESULT_BYTES = 4 * 2 ** 20;
/**
 * Systems that a kernel takes through the eigenvalue iteration together at most, in the time of the slowest;
 * see assembly/ql-group.ts.
 */
const PSD_GROUP = 16;

/** An engine over kernels that compute ranges: splits jobs by cost, in one thread or several. */
export class RangeEngine implements Engine {
  readonly description: string;
  readonly warnings: readonly string[];
  readonly threads: number;
  readonly kernel: Engine['kernel'];
  readonly pool?: WorkerPool;
  readonly #runner: KernelRunner;

  constructor(runner: KernelRunner, description: string, warnings: readonly string[]) {
    this.#runner = runner;
    this.threads = runner.threads;
    this.kernel = runner.kernel;
    if (runner.pool !== undefined) this.pool = runner.pool;
    this.description = description;
    this.warnings = warnings;
  }

  async solveRows(job: SolveRowsJob): Promise<void> {
    checkShapes.solveRows(job);
    const d = job.fixed.width;
    const { offsets, rowCount } = job.rows;
    const cheap = job.solver === 'cg';
    const costOf = (row: number) => {
      const n = offsets[row + 1] - offsets[row];
      if (cheap) return 8 * n * d + d * d;
      return n < d ? n * n * d + n * d + 200 : n * d * d + (d * d * d) / 6;
    };
    const out = sharedCopy(job.out.data);
    const ofOnes = job.ofOnes && sharedCopy(job.ofOnes.data);
    const whole = {
      ...job,
      out: { ...job.out, data: out },
      ...(job.ofOnes && ofOnes && { ofOnes: { ...job.ofOnes, data: ofOnes } }),
    };
    await this.#run('solveRows', whole, rowCount, costOf, {}, offsets);
    if (out !== job.out.data) job.out.data.set(out);
    if (ofOnes !== undefined && ofOnes !== job.ofOnes?.data) job.ofOnes?.data.set(ofOnes);
  }

  async gramian(rows: FactorMatrix): Promise<Float64Array> {
    const d = rows.width;
    const blocks = Math.ceil(rows.rowCount / GRAMIAN_BLOCK);
    const out = sharedFloat64(blocks * d * d);
    const job = { rows, blockRows: GRAMIAN_BLOCK, out };
    await this.#run('gramian', job, blocks, () => (GRAMIAN_BLOCK * d * d) / 2, { rows: 1 });
    return sumOfBlocks(out, d * d);
  }

  async itemStatistics(job: ItemStatisticsJob): Promise<ItemStatistics> {
    checkShapes.itemStatistics(job);
    checkItemStatistics(job);
    const d = job.users.width;
    const count = job.end - job.begin;
    const { offsets } = job.byItem;
    const { into, ...rest } = job;
    const out: ItemStatistics = {
      matrices: placeFor(job.matrices ? count * packedLength(d) : 0, into?.matrices),
      vectors: placeFor(count * d, into?.vectors),
    };
    const perEntry = job.matrices ? (d * d) / 4 + 4 * d : 6 * d;
    const costOf = (k: number) => (offsets[job.begin + k + 1] - offsets[job.begin + k]) * perEntry + d * d;
    const rows = Math.max(1, Math.floor(MOST_RESULT_BYTES / (8 * (packedLength(d) + d))));
    await this.#run('itemStatistics', { ...rest, out }, count, costOf, { rows }, offsets, job.begin);
    return out;
  }

  async exactGramian(job: ExactGramianJob): Promise<Float64Array> {
    checkExactGramian(job);
    const d = job.users.width;
    const blocks = Math.ceil(job.users.rowCount / GRAMIAN_BLOCK);
    const out = sharedFloat64(blocks * packedLength(d));
    const whole = { ...job, blockRows: GRAMIAN_BLOCK, out };
    await this.#run('exactGramian', whole, blocks, () => (GRAMIAN_BLOCK * d * d) / 4, { rows: 1 });
    return sumOfBlocks(out, packedLength(d));
  }

  async solvePsd(job: SolvePsdJob): Promise<void> {
    checkShapes.solvePsd(job);
    const d = job.width;
    const out = sharedCopy(job.out.data);
    // Whole groups, about 32 ranges for each thread.
    const most = Math.floor(MOST_RESULT_BYTES / (16 * packedLength(d)) / PSD_GROUP);
    const groups = Math.ceil(job.count / (32 * this.threads * PSD_GROUP));
    const limits = { rows: PSD_GROUP * Math.max(1, Math.min(most, groups)), cost: Infinity };
    const whole = { ...job, out: { ...job.out, data: out } };
    await this.#run('solvePsd', whole, job.count, () => 2 * d * d * d + 30 * d * d, limits);
    if (out !== job.out.data) job.out.data.set(out);
  }

  async sumBags(job: SumBagsJob): Promise<void> {
    checkShapes.sumBags(job);
    const { offsets, rowCount } = job.bags;
    const d = job.table.width;
    const out = sharedCopy(job.out.data);
    const costOf = (row: number) => 2 * (offsets[row + 1] - offsets[row] + 1) * d;
    await this.#run('sumBags', { ...job, out: { ...job.out, data: out } }, rowCount, costOf, {}, offsets);
    if (out !== job.out.data) job.out.data.set(out);
  }

  async topK(job: TopKJob): Promise<TopK> {
    checkShapes.topK(job);
    const { rowCount } = job.rows;
    const out: TopK = { indices: sharedInt32(rowCount * job.k), scores: sharedFloat32(rowCount * job.k) };
    const costOf = () => job.items.rowCount * (job.rows.width + 8);
    // Items come through the cache once a range: many rows each, as long as every thread gets some ranges.
    const rows =
      this.threads === 1 ? 256 : Math.min(256, Math.max(32, Math.ceil(rowCount / (8 * this.threads))));
    const limits = { rows, cost: MOST_COST };
    await this.#run('topK', { ...job, out }, rowCount, costOf, limits, job.exclude?.offsets);
    return out;
  }

  async predictPairs(rows: FactorMatrix, items: FactorMatrix, pairs: Csr): Promise<Float32Array> {
    checkShapes.predictPairs(rows, items, pairs);
    const { offsets, rowCount } = pairs;
    const out = sharedFloat32(pairs.indices.length);
    const costOf = (row: number) => 2 * (offsets[row + 1] - offsets[row] + 1) * rows.width;
    await this.#run('predictPairs', { rows, items, pairs, out }, rowCount, costOf, {}, offsets);
    return out;
  }

  async close(): Promise<void> {
    await this.#runner.close();
  }

  async #run<Kind extends JobKind>(
    kind: Kind,
    job: KernelJobs[Kind],
    count: number,
    costOf: (row: number) => number,
    limits: Partial<ChunkLimits>,
    offsets?: Uint32Array,
    shift = 0,
  ): Promise<void> {
    let total = 0;
    for (let row = 0; row < count; row++) total += costOf(row);
    const inThreads = this.threads > 1 && total > WORTH_THREADS;
    const cost = Math.min(Math.max(total / (32 * this.threads), WORTH_THREADS / 8), MOST_COST);
    const all = { rows: MOST_ROWS, entries: MOST_ENTRIES, cost, ...limits };
    const bounds = chunkByCost(count, costOf, all, offsets, shift);
    await this.#runner.run(kind, inThreads ? withSharedArrays(job) : job, bounds, inThreads);
  }
}

function sumOfBlocks(blocks: Float64Array, length: number): Float64Array {
  const total = new Float64Array(length);
  for (let at = 0; at < blocks.length; at += length) {
    for (let k = 0; k < length; k++) total[k] += blocks[at + k];
  }
  return total;
}

/** The first numbers of an array that is large enough and shared, else new ones. */
function placeFor(length: number, given: Float64Array | undefined): Float64Array {
  const usable = given !== undefined && given.length >= length && (isShared(given) || !sharedMemoryAvailable);
  return usable ? given.subarray(0, length) : sharedFloat64(length);
}

function isShared(array: ArrayBufferView): boolean {
  return sharedMemoryAvailable && array.buffer instanceof SharedArrayBuffer;
}

/** The array itself where threads can write to it, else a shared copy, to be copied back. */
function sharedCopy(array: Float32Array): Float32Array {
  if (isShared(array)) return array;
  const copy = sharedFloat32(array.length);
  copy.set(array);
  return copy;
}

/**
 * The same job with every array in shared memory; arrays that are there already are passed on as they are.
 */
function withSharedArrays<T>(value: T): T {
  if (ArrayBuffer.isView(value)) {
    if (isShared(value)) return value;
    const from = value as unknown as Float32Array;
    const bytes = new SharedArrayBuffer(from.byteLength);
    const copy = new (from.constructor as new (buffer: SharedArrayBuffer) => Float32Array)(bytes);
    copy.set(from);
    return copy as unknown as T;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withSharedArrays(each)])) as T;
}
