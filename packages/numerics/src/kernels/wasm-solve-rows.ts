import type { SolveRowsJob } from '../engine.js';
import { solveRowExactly } from './scalar-solve-rows.js';
import type { WasmExports } from './wasm-exports.js';
import { SLICE_ROWS, sliceRows, type WasmKernel } from './wasm-kernel.js';
import { Bump, largestRange, paddedWidth } from './wasm-memory.js';

/** Mirrors `MOST_ROWS` of assembly/gather-panel.ts. */
const MOST_PANEL_ROWS = 128;

function layout(
  job: SolveRowsJob,
  base: number,
  { rows, entries, first = 0 }: { readonly rows: number; readonly entries: number; readonly first?: number },
  wasm: WasmExports,
) {
  const width = paddedWidth(job.fixed.width);
  const bump = new Bump(base);
  return {
    offsets: bump.take((rows + 1) * 4),
    indices: bump.takeEntries(entries, first),
    targets: bump.takeEntries(entries, first),
    weights: job.weights === undefined ? 0 : bump.takeEntries(entries, first),
    ridges: bump.take(rows * 4),
    out: bump.take(rows * width * 4),
    ofOnes: job.ofOnes === undefined ? 0 : bump.take(rows * width * 4),
    status: bump.take(rows),
    // The primal way needs A, 1/diagonal, two numbers a row of a panel, and the panel; the dual way less,
    // having fewer entries than dimensions.
    scratch: bump.take(
      job.solver === 'cg'
        ? wasm.cgScratchBytes(width, entries)
        : (width * width + 3 * width + 2 * MOST_PANEL_ROWS + Math.max(MOST_PANEL_ROWS, width) * width) * 4,
    ),
    end: bump.at,
  };
}

/**
 * `solveRows` in float32; rows that float32 cannot factorise, or of a condition above about 10³, are solved
 * again in float64.
 */
export const wasmSolveRows: WasmKernel<'solveRows'> = {
  stage(job, bounds, bump, wasm) {
    const d = job.fixed.width;
    const width = paddedWidth(d);
    const fixed = bump.take(job.fixed.rowCount * width * 4);
    const unobserved = job.gramian === undefined ? 0 : (job.unobservedWeight ?? 0);
    const base = unobserved === 0 ? 0 : bump.take(width * width * 4);
    const diagonal = job.ridgeShape === undefined ? 0 : bump.take(width * 4);
    const largest = largestRange(bounds, job.rows.offsets);
    return {
      addresses: [fixed, base, diagonal],
      scratchBytes: layout(job, 0, largest, wasm).end,
      slices: Math.ceil(job.fixed.rowCount / SLICE_ROWS),
      write(memory) {
        if (base !== 0) {
          memory.f32.fill(0, base / 4, base / 4 + width * width);
          for (let a = 0; a < d; a++)
            for (let c = 0; c < d; c++)
              // Without −0, which tiles must not be added to: assembly/tile-f32.ts.
              memory.f32[base / 4 + a * width + c] = Math.fround(unobserved * job.gramian![a * d + c]) + 0;
        }
        if (diagonal !== 0) {
          memory.f32.fill(0, diagonal / 4, diagonal / 4 + width);
          memory.f32.set(job.ridgeShape!, diagonal / 4);
        }
      },
    };
  },

  stageSlice({ memory, staging }, job, slice) {
    const { begin, end } = sliceRows(job.fixed.rowCount, slice);
    const at = staging.addresses[0] + begin * paddedWidth(job.fixed.width) * 4;
    memory.putRows(at, job.fixed, begin, end);
  },

  run({ wasm, memory, staging, scratch }, job, begin, end) {
    const { rows, weights, ridge } = job;
    const d = job.fixed.width;
    const first = rows.offsets[begin];
    const last = rows.offsets[end];
    const at = layout(job, scratch, { rows: end - begin, entries: last - first, first }, wasm);
    const [fixed, base, diagonal] = staging.addresses as [number, number, number];
    memory.putOffsets(at.offsets, rows, begin, end);
    memory.u32.set(rows.indices.subarray(first, last), at.indices / 4);
    memory.f32.set((job.targets ?? rows.values).subarray(first, last), at.targets / 4);
    if (weights !== undefined) memory.f32.set(weights.subarray(first, last), at.weights / 4);
    if (typeof ridge === 'number') memory.f32.fill(ridge, at.ridges / 4, at.ridges / 4 + end - begin);
    else memory.f32.set(ridge.subarray(begin, end), at.ridges / 4);
    const steps = job.solver === 'cg' ? (job.cgSteps ?? 3) : 0;
    if (steps > 0) memory.putRows(at.out, job.out, begin, end);
    wasm.solveRows(
      fixed,
      paddedWidth(d),
      d,
      end - begin,
      at.offsets,
      at.indices,
      at.targets,
      at.weights,
      base,
      diagonal,
      at.ridges,
      steps,
      at.out,
      at.ofOnes,
      at.status,
      at.scratch,
    );
    memory.takeRows(at.out, job.out, begin, end);
    if (job.ofOnes !== undefined) memory.takeRows(at.ofOnes, job.ofOnes, begin, end);
    let rescue: { readonly matrix: Float64Array; readonly vector: Float64Array } | undefined;
    for (let row = begin; row < end; row++) {
      if (memory.u8[at.status + row - begin] === 0) continue;
      rescue ??= { matrix: new Float64Array(d * d), vector: new Float64Array(d) };
      solveRowExactly(job, row, rescue.matrix, rescue.vector);
    }
  },
};
