import type { JobKind, KernelJobs, Kernels, Staging } from './kernels.js';
import { wasmBase64 as relaxedSimd } from './relaxed-simd.generated.js';
import { wasmBase64 as simd } from './simd.generated.js';
import type { WasmExports } from './wasm-exports.js';
import { wasmGramian } from './wasm-gramian.js';
import { wasmExactGramian, wasmItemStatistics } from './wasm-item-statistics.js';
import type { WasmKernel, WasmThread } from './wasm-kernel.js';
import { Bump, FIRST_ADDRESS, KernelMemory } from './wasm-memory.js';
import { wasmSolvePsd } from './wasm-solve-psd.js';
import { wasmSolveRows } from './wasm-solve-rows.js';
import { wasmPredictPairs, wasmSumBags } from './wasm-sparse-products.js';
import { wasmTopK } from './wasm-top-k.js';

/**
 * `simd` gives the same bits on every host. `relaxed-simd` fuses multiply and add: about a fifth faster, and
 * its last bits depend on the processor.
 */
export type WasmBuild = 'simd' | 'relaxed-simd';

function moduleBytes(build: WasmBuild): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(build === 'simd' ? simd : relaxedSimd), (character) => character.charCodeAt(0));
}

/** Whether this host can run a build. */
export function wasmBuildAvailable(build: WasmBuild): boolean {
  return typeof WebAssembly === 'object' && WebAssembly.validate(moduleBytes(build));
}

/** Memory that all threads of an engine share, or undefined where the host has none to share. */
export function createKernelMemory(): WebAssembly.Memory | undefined {
  try {
    return new WebAssembly.Memory({ initial: 16, maximum: 65_536, shared: true });
  } catch {
    return undefined;
  }
}

const kernels: { readonly [Kind in JobKind]: WasmKernel<Kind> } = {
  solveRows: wasmSolveRows,
  gramian: wasmGramian,
  itemStatistics: wasmItemStatistics,
  exactGramian: wasmExactGramian,
  solvePsd: wasmSolvePsd,
  sumBags: wasmSumBags,
  topK: wasmTopK,
  predictPairs: wasmPredictPairs,
};

/** The kernels of one thread over the engine's memory. Synchronous: the modules are small. */
export function createWasmKernels(build: WasmBuild, shared: WebAssembly.Memory): Kernels {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes(build)), {
    env: { memory: shared },
  });
  const wasm = instance.exports as unknown as WasmExports;
  const memory = new KernelMemory(shared);
  let thread: WasmThread = {
    wasm,
    memory,
    staging: { addresses: [], scratch: 0, scratchBytes: 0, slices: 0 },
    scratch: 0,
  };
  const run =
    <Kind extends JobKind>(kind: Kind) =>
    (job: KernelJobs[Kind], begin: number, end: number) =>
      kernels[kind].run(thread, job, begin, end);
  return {
    name: build,
    stage(kind, job, bounds, threads): Staging {
      const bump = new Bump(FIRST_ADDRESS);
      const plan = kernels[kind].stage(job, bounds, bump, wasm);
      const scratchBytes = new Bump(0);
      scratchBytes.take(plan.scratchBytes);
      memory.ensure(bump.at + threads * scratchBytes.at);
      plan.write(memory);
      return {
        addresses: plan.addresses,
        scratch: bump.at,
        scratchBytes: scratchBytes.at,
        slices: plan.slices ?? 0,
      };
    },
    adopt(staging, index) {
      memory.refresh();
      thread = { wasm, memory, staging, scratch: staging.scratch + index * staging.scratchBytes };
    },
    stageSlice: (kind, job, slice) => kernels[kind].stageSlice?.(thread, job, slice),
    solveRows: run('solveRows'),
    gramian: run('gramian'),
    itemStatistics: run('itemStatistics'),
    exactGramian: run('exactGramian'),
    solvePsd: run('solvePsd'),
    sumBags: run('sumBags'),
    topK: run('topK'),
    predictPairs: run('predictPairs'),
  };
}
