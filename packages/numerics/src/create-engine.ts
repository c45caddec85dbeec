import type { Engine } from './engine.js';
import { checkExactGramian, checkItemStatistics } from './exact-grid.js';
import { scalarKernels } from './kernels/scalar.js';
import { packedLength } from './packed-symmetric.js';
import { sharedFloat32, sharedFloat64, sharedInt32 } from './shared-array.js';

export interface EngineOptions {
  /** Threads to compute with; by default the number of cores the host reports. */
  readonly threads?: number;
  /** Which kernels; `auto` takes the fastest that this host can run. */
  readonly kernel?: 'auto' | 'scalar' | 'simd' | 'relaxed-simd';
}

/** Rows summed by one call of the Gramian kernel; fixed, so that the order of addition never varies. */
const GRAMIAN_BLOCK = 4096;

/** An engine on this host. Close it when done. */
export async function createEngine(_options: EngineOptions = {}): Promise<Engine> {
  const kernels = scalarKernels;
  return {
    description: 'scalar kernels, 1 thread',
    threads: 1,
    warnings: [],
    async solveRows(job) {
      kernels.solveRows(job, 0, job.rows.rowCount);
    },
    async gramian(rows) {
      const d = rows.width;
      const total = new Float64Array(d * d);
      const part = new Float64Array(d * d);
      for (let begin = 0; begin < rows.rowCount; begin += GRAMIAN_BLOCK) {
        kernels.gramian(rows, begin, Math.min(begin + GRAMIAN_BLOCK, rows.rowCount), part);
        for (let a = 0; a < d * d; a++) total[a]! += part[a]!;
      }
      return total;
    },
    async itemStatistics(job) {
      checkItemStatistics(job);
      const d = job.users.width;
      const count = job.end - job.begin;
      const matrices = sharedFloat64(job.matrices ? count * packedLength(d) : 0);
      const vectors = sharedFloat64(count * d);
      kernels.itemStatistics(job, job.begin, job.end, matrices, vectors);
      return { matrices, vectors };
    },
    async exactGramian(job) {
      checkExactGramian(job);
      const out = new Float64Array(packedLength(job.users.width));
      kernels.exactGramian(job, 0, job.users.rowCount, out);
      return out;
    },
    async solvePsd(job) {
      kernels.solvePsd(job, 0, job.count);
    },
    async sumBags(job) {
      kernels.sumBags(job, 0, job.bags.rowCount);
    },
    async topK(job) {
      const indices = sharedInt32(job.rows.rowCount * job.k);
      const scores = sharedFloat32(job.rows.rowCount * job.k);
      kernels.topK(job, 0, job.rows.rowCount, indices, scores);
      return { indices, scores };
    },
    async predictPairs(rows, items, pairs) {
      const out = sharedFloat32(pairs.indices.length);
      kernels.predictPairs(rows, items, pairs, 0, rows.rowCount, out);
      return out;
    },
    async close() {},
  };
}
