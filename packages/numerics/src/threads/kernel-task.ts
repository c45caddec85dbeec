import type { JobKind, KernelJobs, Kernels, Staging } from '../kernels/kernels.js';
import { scalarKernels } from '../kernels/scalar.js';
import { createWasmKernels, type WasmBuild } from '../kernels/wasm.js';

/** Which kernels a thread uses, with the memory that all threads of the engine share. */
export type KernelChoice =
  | { readonly build: 'scalar' }
  | { readonly build: WasmBuild; readonly memory: WebAssembly.Memory };

/**
 * Shared counters of a job: the next slice and the next range that nobody has taken, and how many slices are
 * in place.
 */
const NEXT_SLICE = 0;
const NEXT_RANGE = 1;
const SLICES_DONE = 2;
export const COUNTERS = 3;

/** One job for all threads: each takes slices, then ranges, until there are none left. */
export interface RangesPayload<Kind extends JobKind = JobKind> {
  readonly choice: KernelChoice;
  readonly kind: Kind;
  readonly job: KernelJobs[Kind];
  readonly bounds: Uint32Array;
  readonly counters: Int32Array;
  readonly staging: Staging;
}

/** The kernels of the calling thread. */
export function createKernels(choice: KernelChoice): Kernels {
  return choice.build === 'scalar' ? scalarKernels : createWasmKernels(choice.build, choice.memory);
}

let own: { readonly build: string; readonly kernels: Kernels } | undefined;

/** Task of every thread of a kernel pool. After a failure the others stop at their next range. */
export function runRanges(payload: RangesPayload, thread: number): void {
  const { choice, kind, job, bounds, counters, staging } = payload;
  if (own?.build !== choice.build) own = { build: choice.build, kernels: createKernels(choice) };
  const { kernels } = own;
  kernels.adopt(staging, thread);
  const compute = kernels[kind] as (job: unknown, begin: number, end: number) => void;
  try {
    stageSlices(kernels, payload);
    for (;;) {
      const range = Atomics.add(counters, NEXT_RANGE, 1);
      if (range + 1 >= bounds.length) return;
      compute(job, bounds[range], bounds[range + 1]);
    }
  } catch (error) {
    Atomics.store(counters, NEXT_RANGE, bounds.length);
    Atomics.store(counters, SLICES_DONE, staging.slices);
    Atomics.notify(counters, SLICES_DONE);
    throw error;
  }
}

/** Puts slices in place until none is left, then waits for those that other threads have taken. */
function stageSlices(kernels: Kernels, { kind, job, counters, staging: { slices } }: RangesPayload): void {
  for (;;) {
    const slice = Atomics.add(counters, NEXT_SLICE, 1);
    if (slice >= slices) break;
    kernels.stageSlice(kind, job, slice);
    if (Atomics.add(counters, SLICES_DONE, 1) + 1 === slices) Atomics.notify(counters, SLICES_DONE);
  }
  for (;;) {
    const done = Atomics.load(counters, SLICES_DONE);
    if (done >= slices) return;
    Atomics.wait(counters, SLICES_DONE, done);
  }
}
