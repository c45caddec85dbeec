import { checkVectors } from '../exact-grid.js';
import type { KernelJobs, Kernels } from './kernels.js';
import { exactGramianScalar, itemStatisticsScalar } from './scalar-item-statistics.js';
import { solvePsdScalar } from './scalar-solve-psd.js';
import { solveRowsScalar } from './scalar-solve-rows.js';
import { topKScalar } from './scalar-top-k.js';

/** The readable reference: plain loops, float64 arithmetic, runs everywhere. */
export const scalarKernels: Kernels = {
  name: 'scalar',
  solveRows: solveRowsScalar,
  itemStatistics: itemStatisticsScalar,
  exactGramian: exactGramianScalar,
  solvePsd: solvePsdScalar,
  topK: topKScalar,
  stage(kind, job) {
    if (kind === 'itemStatistics' || kind === 'exactGramian') {
      const { users, vectorBound } = job as KernelJobs['exactGramian'];
      checkVectors(users.data, vectorBound);
    }
    return { addresses: [], scratch: 0, scratchBytes: 0, slices: 0 };
  },
  adopt() {},
  stageSlice() {},
  gramian({ rows, blockRows, out }, begin, end) {
    const d = rows.width;
    out.fill(0, begin * d * d, end * d * d);
    const last = Math.min(end * blockRows, rows.rowCount);
    for (let row = begin * blockRows; row < last; row++) {
      const to = Math.floor(row / blockRows) * d * d;
      for (let a = 0; a < d; a++) {
        const value = rows.data[row * d + a];
        for (let c = 0; c < d; c++) out[to + a * d + c] += value * rows.data[row * d + c];
      }
    }
  },
  sumBags({ bags, table, out }, begin, end) {
    const d = table.width;
    const sum = new Float64Array(d);
    for (let row = begin; row < end; row++) {
      sum.fill(0);
      for (let k = bags.offsets[row]; k < bags.offsets[row + 1]; k++) {
        const from = bags.indices[k] * d;
        const value = bags.values[k];
        for (let a = 0; a < d; a++) sum[a] += value * table.data[from + a];
      }
      out.data.set(sum, row * d);
    }
  },
  predictPairs({ rows, items, pairs, out }, begin, end) {
    const d = rows.width;
    for (let row = begin; row < end; row++) {
      for (let k = pairs.offsets[row]; k < pairs.offsets[row + 1]; k++) {
        const item = pairs.indices[k] * d;
        let sum = 0;
        for (let a = 0; a < d; a++) sum += rows.data[row * d + a] * items.data[item + a];
        out[k] = sum;
      }
    }
  },
};
