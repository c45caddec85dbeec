import type { WasmKernel } from './wasm-kernel.js';
import { Bump, paddedWidth } from './wasm-memory.js';

function layout(width: number, base: number, rows: number) {
  const bump = new Bump(base);
  return {
    rows: bump.take(rows * width * 4),
    out: bump.take(width * width * 8),
    scratch: bump.take(width * width * 4),
    end: bump.at,
  };
}

/** `gramian`: float32 products summed over 128 rows, those sums in float64. */
export const wasmGramian: WasmKernel<'gramian'> = {
  stage: (job) => ({
    addresses: [],
    scratchBytes: layout(paddedWidth(job.rows.width), 0, job.blockRows).end,
    write() {},
  }),

  run({ wasm, memory, scratch }, { rows, blockRows, out }, begin, end) {
    const d = rows.width;
    const width = paddedWidth(d);
    const at = layout(width, scratch, blockRows);
    const sum = at.out / 8;
    for (let block = begin; block < end; block++) {
      const first = block * blockRows;
      const count = Math.min(blockRows, rows.rowCount - first);
      memory.putRows(at.rows, rows, first, first + count);
      memory.f64.fill(0, sum, sum + width * width);
      wasm.gramian(at.rows, count, width, at.out, at.scratch);
      const to = block * d * d;
      for (let a = 0; a < d; a++) {
        for (let c = a; c < d; c++) {
          const value = memory.f64[sum + a * width + c];
          out[to + a * d + c] = value;
          out[to + c * d + a] = value;
        }
      }
    }
  },
};
