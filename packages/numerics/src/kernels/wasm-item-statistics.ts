import type { ExactGramianJob, ItemStatisticsJob } from '../engine.js';
import { checkContributions, gridScale, vectorLimit, vectorsBeyondBound } from '../exact-grid.js';
import { packedLength } from '../packed-symmetric.js';
import type { WasmExports } from './wasm-exports.js';
import { SLICE_ROWS, sliceRows, type WasmKernel } from './wasm-kernel.js';
import { Bump, largestRange, paddedWidth } from './wasm-memory.js';

/** The accumulator (d × (d + 4) float64), a row of zeros, and a panel of 64 pairs of ratings. */
function kernelScratchBytes(width: number): number {
  return width * (width + 4) * 8 + width * 4 + Math.max(64 * (width + 4) * 4, width * 8);
}

function layout(job: ItemStatisticsJob, base: number, items: number, entries: number, first = 0) {
  const d = job.users.width;
  const bump = new Bump(base);
  return {
    offsets: bump.take((items + 1) * 4),
    indices: bump.takeEntries(entries, first),
    targets: bump.takeEntries(entries, first),
    roots: job.rootWeights === undefined ? 0 : bump.takeEntries(entries, first),
    matrices: job.matrices ? bump.take(items * packedLength(d) * 8) : 0,
    vectors: bump.take(items * d * 8),
    scratch: bump.take(kernelScratchBytes(paddedWidth(d))),
    end: bump.at,
  };
}

/** Vectors in kernel memory, times the grid scale; throws when one was beyond its bound. */
function putOnGrid(
  wasm: WasmExports,
  table: number,
  count: number,
  { vectorBits, vectorBound }: Pick<ExactGramianJob, 'vectorBits' | 'vectorBound'>,
): void {
  const within = wasm.toGrid(table, count, gridScale(vectorBits, vectorBound), vectorLimit(vectorBound));
  if (within === 0) throw vectorsBeyondBound();
}

/** `itemStatistics` in 16-bit integer lanes; see assembly/item-statistics.ts. */
export const wasmItemStatistics: WasmKernel<'itemStatistics'> = {
  stage(job, bounds, bump) {
    const { users } = job;
    const table = bump.take(users.rowCount * paddedWidth(users.width) * 4);
    const { rows, entries } = largestRange(bounds, job.byItem.offsets, job.begin);
    return {
      addresses: [table],
      scratchBytes: layout(job, 0, rows, entries).end,
      slices: Math.ceil(users.rowCount / SLICE_ROWS),
      write() {},
    };
  },

  stageSlice({ wasm, memory, staging }, job, slice) {
    const width = paddedWidth(job.users.width);
    const { begin, end } = sliceRows(job.users.rowCount, slice);
    const at = staging.addresses[0] + begin * width * 4;
    memory.putRows(at, job.users, begin, end);
    putOnGrid(wasm, at, (end - begin) * width, job);
  },

  run({ wasm, memory, staging, scratch }, job, begin, end) {
    checkContributions(job, begin, end);
    const { byItem, rootWeights, out } = job;
    const d = job.users.width;
    const first = byItem.offsets[job.begin + begin];
    const last = byItem.offsets[job.begin + end];
    const at = layout(job, scratch, end - begin, last - first, first);
    memory.putOffsets(at.offsets, byItem, job.begin + begin, job.begin + end);
    memory.u32.set(byItem.indices.subarray(first, last), at.indices / 4);
    memory.f32.set((job.targets ?? byItem.values).subarray(first, last), at.targets / 4);
    if (rootWeights !== undefined) memory.f32.set(rootWeights.subarray(first, last), at.roots / 4);
    wasm.itemStatistics(
      staging.addresses[0],
      paddedWidth(d),
      d,
      end - begin,
      at.offsets,
      at.indices,
      at.roots,
      at.targets,
      gridScale(job.targetBits, job.targetBound),
      at.matrices,
      at.vectors,
      at.scratch,
    );
    const vectors = at.vectors / 8;
    out.vectors.set(memory.f64.subarray(vectors, vectors + (end - begin) * d), begin * d);
    if (job.matrices) {
      const length = packedLength(d);
      const matrices = at.matrices / 8;
      out.matrices.set(memory.f64.subarray(matrices, matrices + (end - begin) * length), begin * length);
    }
  },
};

function gramianLayout(job: ExactGramianJob, base: number, users: number) {
  const d = job.users.width;
  const width = paddedWidth(d);
  const bump = new Bump(base);
  return {
    offsets: bump.take(2 * 4),
    indices: bump.take(users * 4),
    targets: bump.take(users * 4),
    table: bump.take(users * width * 4),
    matrix: bump.take(packedLength(d) * 8),
    vector: bump.take(d * 8),
    scratch: bump.take(kernelScratchBytes(width)),
    end: bump.at,
  };
}

/** `exactGramian`: one item that everybody rated 0. */
export const wasmExactGramian: WasmKernel<'exactGramian'> = {
  stage: (job) => ({
    addresses: [],
    scratchBytes: gramianLayout(job, 0, job.blockRows).end,
    write() {},
  }),

  run({ wasm, memory, scratch }, job, begin, end) {
    const { users, blockRows, out } = job;
    const d = users.width;
    const width = paddedWidth(d);
    const length = packedLength(d);
    const at = gramianLayout(job, scratch, blockRows);
    for (let block = begin; block < end; block++) {
      const first = block * blockRows;
      const count = Math.min(blockRows, users.rowCount - first);
      memory.putRows(at.table, users, first, first + count);
      putOnGrid(wasm, at.table, count * width, job);
      memory.u32[at.offsets / 4] = 0;
      memory.u32[at.offsets / 4 + 1] = count;
      for (let k = 0; k < count; k++) memory.u32[at.indices / 4 + k] = k;
      memory.f32.fill(0, at.targets / 4, at.targets / 4 + count);
      wasm.itemStatistics(
        at.table,
        width,
        d,
        1,
        at.offsets,
        at.indices,
        0,
        at.targets,
        1,
        at.matrix,
        at.vector,
        at.scratch,
      );
      out.set(memory.f64.subarray(at.matrix / 8, at.matrix / 8 + length), block * length);
    }
  },
};
