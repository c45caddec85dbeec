import type { JobKind, KernelJobs, Staging } from './kernels.js';
import type { WasmExports } from './wasm-exports.js';
import type { Bump, KernelMemory } from './wasm-memory.js';

/** What a kernel needs while it runs a range. */
export interface WasmThread {
  readonly wasm: WasmExports;
  readonly memory: KernelMemory;
  readonly staging: Staging;
  /** First byte of this thread's own scratch memory. */
  readonly scratch: number;
}

/** One job kind in WebAssembly: how its inputs are laid out, and how a range of it is computed. */
export interface WasmKernel<Kind extends JobKind> {
  /**
   * Takes addresses for what all ranges share (calling `write` once all are known to exist), and says how
   * many bytes of scratch a range needs, and in how many slices `stageSlice` puts the rest in place.
   */
  stage(
    job: KernelJobs[Kind],
    bounds: Uint32Array,
    addresses: Bump,
    wasm: WasmExports,
  ): {
    readonly addresses: readonly number[];
    readonly scratchBytes: number;
    readonly slices?: number;
    write(memory: KernelMemory): void;
  };
  stageSlice?(thread: WasmThread, job: KernelJobs[Kind], slice: number): void;
  run(thread: WasmThread, job: KernelJobs[Kind], begin: number, end: number): void;
}

/** Rows of a matrix that one slice puts in place. */
export const SLICE_ROWS = 1024;

/** Rows of slice number `slice`. */
export function sliceRows(rowCount: number, slice: number): { readonly begin: number; readonly end: number } {
  return { begin: slice * SLICE_ROWS, end: Math.min(rowCount, (slice + 1) * SLICE_ROWS) };
}
