import type { Csr } from '../csr.js';
import type { WasmKernel } from './wasm-kernel.js';
import { Bump, largestRange, paddedWidth } from './wasm-memory.js';

function layout(width: number, base: number, rows: number, entries: number, first = 0) {
  const bump = new Bump(base);
  return {
    offsets: bump.take((rows + 1) * 4),
    indices: bump.takeEntries(entries, first),
    values: bump.takeEntries(entries, first),
    rows: bump.take(rows * width * 4),
    end: bump.at,
  };
}

const rangeLayout = (csr: Csr, width: number, base: number, begin: number, end: number) =>
  layout(width, base, end - begin, csr.offsets[end] - csr.offsets[begin], csr.offsets[begin]);

/** `sumBags`: one gather-multiply-add per entry. */
export const wasmSumBags: WasmKernel<'sumBags'> = {
  stage({ bags, table }, bounds, bump) {
    const width = paddedWidth(table.width);
    const address = bump.take(table.rowCount * width * 4);
    const { rows, entries } = largestRange(bounds, bags.offsets);
    return {
      addresses: [address],
      scratchBytes: layout(width, 0, rows, entries).end,
      write: (memory) => memory.putRows(address, table, 0, table.rowCount),
    };
  },

  run({ wasm, memory, staging, scratch }, { bags, table, out }, begin, end) {
    const width = paddedWidth(table.width);
    const at = rangeLayout(bags, width, scratch, begin, end);
    const first = bags.offsets[begin];
    const last = bags.offsets[end];
    memory.putOffsets(at.offsets, bags, begin, end);
    memory.u32.set(bags.indices.subarray(first, last), at.indices / 4);
    memory.f32.set(bags.values.subarray(first, last), at.values / 4);
    wasm.sumBags(staging.addresses[0], width, end - begin, at.offsets, at.indices, at.values, at.rows);
    memory.takeRows(at.rows, out, begin, end);
  },
};

/** `predictPairs`: one dot product per entry. */
export const wasmPredictPairs: WasmKernel<'predictPairs'> = {
  stage({ items, pairs }, bounds, bump) {
    const width = paddedWidth(items.width);
    const address = bump.take(items.rowCount * width * 4);
    const { rows, entries } = largestRange(bounds, pairs.offsets);
    return {
      addresses: [address],
      scratchBytes: layout(width, 0, rows, entries).end,
      write: (memory) => memory.putRows(address, items, 0, items.rowCount),
    };
  },

  run({ wasm, memory, staging, scratch }, { rows, pairs, out }, begin, end) {
    const width = paddedWidth(rows.width);
    const at = rangeLayout(pairs, width, scratch, begin, end);
    const first = pairs.offsets[begin];
    const last = pairs.offsets[end];
    memory.putOffsets(at.offsets, pairs, begin, end);
    memory.u32.set(pairs.indices.subarray(first, last), at.indices / 4);
    memory.putRows(at.rows, rows, begin, end);
    wasm.predictPairs(at.rows, staging.addresses[0], width, end - begin, at.offsets, at.indices, at.values);
    out.set(memory.f32.subarray(at.values / 4, at.values / 4 + last - first), first);
  },
};
