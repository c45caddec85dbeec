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
   * Takes addresses for what all ranges share (calling `write` once all are known to exist), and says how many bytes of
   * scratch a range needs.
   */
  stage(
    job: KernelJobs[Kind],
    bounds: Uint32Array,
    addresses: Bump,
    wasm: WasmExports,
  ): {
    readonly addresses: readonly number[];
    readonly scratchBytes: number;
    write(memory: KernelMemory): void;
  };
  run(thread: WasmThread, job: KernelJobs[Kind], begin: number, end: number): void;
}
