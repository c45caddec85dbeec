import type { TopKJob } from '../engine.js';
import { SLICE_ROWS, sliceRows, type WasmKernel } from './wasm-kernel.js';
import { Bump, largestRange, paddedWidth } from './wasm-memory.js';

/** Items of a panel in assembly/top-k.ts. */
const PANEL = 8;
/** Numbers before each row's list there. */
const BEFORE_LIST = 4;

function layout(job: TopKJob, base: number, rows: number, excluded: number, first = 0) {
  const width = paddedWidth(job.rows.width);
  const padded = paddedWidth(rows);
  const bump = new Bump(base);
  const list = BEFORE_LIST + paddedWidth(job.k);
  return {
    padded,
    list,
    rows: bump.take(padded * width * 4),
    scratch: bump.take(padded * (width * 2 + 8) + PANEL * 4),
    indices: bump.take(padded * list * 4),
    scores: bump.take(padded * list * 4),
    cursors: bump.take(padded * 8),
    excluded: bump.takeEntries(excluded, first),
    end: bump.at,
  };
}

/**
 * `topK` in float32, with the selection fused to the scoring: bounds in 16-bit integers, four rows by eight
 * items at a time, say which scores are worth computing.
 */
export const wasmTopK: WasmKernel<'topK'> = {
  stage(job, bounds, bump) {
    const width = paddedWidth(job.items.width);
    const padded = Math.ceil(job.items.rowCount / PANEL) * PANEL;
    const addresses = {
      panels: bump.take(padded * width * 4),
      bias: bump.take(padded * 4),
      quantized: bump.take(padded * width * 2),
      limits: bump.take(padded * 12),
      plain: bump.take(padded * width * 4),
    };
    const { rows, entries } = largestRange(bounds, job.exclude?.offsets);
    return {
      addresses: Object.values(addresses),
      scratchBytes: layout(job, 0, rows, entries).end,
      slices: Math.ceil(padded / SLICE_ROWS),
      write() {},
    };
  },

  stageSlice({ wasm, memory, staging }, { items, itemBias }, slice) {
    const width = paddedWidth(items.width);
    const { begin, end } = sliceRows(Math.ceil(items.rowCount / PANEL) * PANEL, slice);
    const last = Math.min(end, items.rowCount);
    const [panels, bias, quantized, limits, plain] = staging.addresses as [
      number,
      number,
      number,
      number,
      number,
    ];
    const line = width * 4;
    memory.putRows(plain + begin * line, items, begin, last);
    memory.f32.fill(0, plain / 4 + last * width, plain / 4 + end * width);
    if (itemBias === undefined) memory.f32.fill(0, bias / 4 + begin, bias / 4 + last);
    else memory.f32.set(itemBias.subarray(begin, last), bias / 4 + begin);
    memory.f32.fill(-Infinity, bias / 4 + last, bias / 4 + end);
    wasm.packItems(plain + begin * line, end - begin, width, panels + begin * line);
    // What float32 sums may lose of a bias, and what their bounds may.
    const margin = largest(itemBias?.subarray(begin, last)) * (width + 64) * 2 ** -23;
    wasm.quantizeItems(
      panels + begin * line,
      (end - begin) / PANEL,
      width,
      bias + begin * 4,
      margin,
      quantized + begin * width * 2,
      limits + begin * 12,
    );
  },

  run({ wasm, memory, staging, scratch }, job, begin, end) {
    const { k, exclude, out } = job;
    const first = exclude === undefined ? 0 : exclude.offsets[begin];
    const last = exclude === undefined ? 0 : exclude.offsets[end];
    const at = layout(job, scratch, end - begin, last - first, first);
    const [panels, bias, quantized, limits] = staging.addresses as [number, number, number, number];
    const width = paddedWidth(job.rows.width);
    memory.f32.fill(0, at.rows / 4, at.rows / 4 + at.padded * width);
    memory.putRows(at.rows, job.rows, begin, end);
    memory.i32.fill(-1, at.indices / 4, at.indices / 4 + at.padded * at.list);
    memory.f32.fill(-Infinity, at.scores / 4, at.scores / 4 + at.padded * at.list);
    for (let row = 0; row < at.padded; row++) {
      const from = at.scores / 4 + row * at.list;
      memory.f32.fill(Infinity, from, from + BEFORE_LIST);
    }
    memory.u32.fill(0, at.cursors / 4, at.cursors / 4 + at.padded * 2);
    if (exclude !== undefined) {
      memory.u32.set(exclude.indices.subarray(first, last), at.excluded / 4);
      for (let row = begin; row < end; row++) {
        memory.u32[at.cursors / 4 + 2 * (row - begin)] = exclude.offsets[row] - first;
        memory.u32[at.cursors / 4 + 2 * (row - begin) + 1] = exclude.offsets[row + 1] - first;
      }
    }
    wasm.topK(
      at.rows,
      at.padded,
      width,
      panels,
      quantized,
      limits,
      job.items.rowCount,
      bias,
      k,
      4 * paddedWidth(k),
      at.indices,
      at.scores,
      at.cursors,
      at.excluded,
      at.scratch,
    );
    for (let row = begin; row < end; row++) {
      const list = (row - begin) * at.list + BEFORE_LIST;
      out.indices.set(memory.i32.subarray(at.indices / 4 + list, at.indices / 4 + list + k), row * k);
      out.scores.set(memory.f32.subarray(at.scores / 4 + list, at.scores / 4 + list + k), row * k);
    }
  },
};

/** Largest absolute value that is finite. */
function largest(values: Float32Array | undefined): number {
  let most = 0;
  for (const value of values ?? []) {
    const size = Math.abs(value);
    if (size > most && size < Infinity) most = size;
  }
  return most;
}
