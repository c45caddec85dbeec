import type { JobKind, KernelJobs, Kernels, Staging } from '../kernels/kernels.js';
import { scalarKernels } from '../kernels/scalar.js';
import { createWasmKernels, type WasmBuild } from '../kernels/wasm.js';

/** Which kernels a thread uses, with the memory that all threads of the engine share. */
export type KernelChoice =
  | { readonly build: 'scalar' }
  | { readonly build: WasmBuild; readonly memory: WebAssembly.Memory };

/** One job for all threads: each takes ranges from `next` until there are none left. */
export interface RangesPayload<Kind extends JobKind = JobKind> {
  readonly choice: KernelChoice;
  readonly kind: Kind;
  readonly job: KernelJobs[Kind];
  readonly bounds: Uint32Array;
  /** One shared counter: the next range that nobody has taken. */
  readonly next: Int32Array;
  readonly staging: Staging;
}

/** The kernels of the calling thread. */
export function createKernels(choice: KernelChoice): Kernels {
  return choice.build === 'scalar' ? scalarKernels : createWasmKernels(choice.build, choice.memory);
}

let own: { readonly build: string; readonly kernels: Kernels } | undefined;

/** Task of every thread of a kernel pool. After a failure the others stop at their next range. */
export function runRanges({ choice, kind, job, bounds, next, staging }: RangesPayload, thread: number): void {
  if (own?.build !== choice.build) own = { build: choice.build, kernels: createKernels(choice) };
  const { kernels } = own;
  kernels.adopt(staging, thread);
  const compute = kernels[kind] as (job: unknown, begin: number, end: number) => void;
  try {
    for (;;) {
      const range = Atomics.add(next, 0, 1);
      if (range + 1 >= bounds.length) return;
      compute(job, bounds[range]!, bounds[range + 1]!);
    }
  } catch (error) {
    Atomics.store(next, 0, bounds.length);
    throw error;
  }
}
