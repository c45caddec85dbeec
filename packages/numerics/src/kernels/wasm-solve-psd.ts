import { NotPositiveDefiniteError } from '../cholesky.js';
import type { SolvePsdJob } from '../engine.js';
import { packedLength } from '../packed-symmetric.js';
import type { WasmExports } from './wasm-exports.js';
import type { WasmKernel } from './wasm-kernel.js';
import { Bump, largestRange, paddedWidth } from './wasm-memory.js';

function layout(job: SolvePsdJob, wasm: WasmExports, base: number, systems: number) {
  const d = job.width;
  const bump = new Bump(base);
  return {
    matrices: bump.take(systems * packedLength(d) * 8),
    vectors: bump.take(systems * d * 8),
    ridges: bump.take(systems * 8),
    added: job.added === undefined ? 0 : bump.take(systems * packedLength(d) * 8),
    out: bump.take(systems * d * 8),
    status: bump.take(systems),
    scratch: bump.take(wasm.solvePsdScratchBytes(paddedWidth(d))),
    end: bump.at,
  };
}

/**
 * `solvePsd`: eigenvalues in float32 where the ridge makes that exact enough, all else in float64; without
 * eigenvectors where nothing is added to the projection. See assembly/solve-psd.ts.
 */
export const wasmSolvePsd: WasmKernel<'solvePsd'> = {
  stage(job, bounds, bump, wasm) {
    const d = job.width;
    const common = job.common === undefined ? 0 : bump.take(d * d * 8);
    return {
      addresses: [common],
      scratchBytes: layout(job, wasm, 0, largestRange(bounds).rows).end,
      write(memory) {
        if (common !== 0) memory.f64.set(job.common!, common / 8);
      },
    };
  },

  run({ wasm, memory, staging, scratch }, job, begin, end) {
    const d = job.width;
    const length = packedLength(d);
    const at = layout(job, wasm, scratch, end - begin);
    memory.f64.set(job.matrices.subarray(begin * length, end * length), at.matrices / 8);
    memory.f64.set(job.vectors.subarray(begin * d, end * d), at.vectors / 8);
    memory.f64.set(job.ridge.subarray(begin, end), at.ridges / 8);
    if (job.added !== undefined) {
      memory.f64.set(job.added.subarray(begin * length, end * length), at.added / 8);
    }
    wasm.solvePsd(
      end - begin,
      d,
      paddedWidth(d),
      at.matrices,
      at.vectors,
      at.ridges,
      staging.addresses[0],
      at.added,
      job.project !== false,
      at.out,
      at.status,
      at.scratch,
    );
    for (let k = begin; k < end; k++) {
      if (memory.u8[at.status + k - begin] !== 0) throw new NotPositiveDefiniteError(-1);
    }
    const out = at.out / 8;
    job.out.data.set(memory.f64.subarray(out, out + (end - begin) * d), (job.begin + begin) * d);
  },
};
