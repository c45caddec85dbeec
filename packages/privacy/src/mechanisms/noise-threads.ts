import type { GaussianPart } from './gaussian-part.js';

/**
 * Threads of this process that run a function by its module and name, once each: what an engine computes
 * with. They get the keys of single parts, never the root key.
 */
export interface NoiseThreads {
  readonly size: number;
  runOnEach(
    task: { readonly module: string | URL; readonly exportName: string },
    payload: unknown,
  ): Promise<unknown[]>;
}

/** One part for all threads: each takes ranges from the shared counter `next` until there are none left. */
export interface NoisePayload {
  readonly part: GaussianPart;
  readonly next: Int32Array;
}

/**
 * Adds the noise of a part in all threads; returns what ties left out: place, value, … Arrays that are not in
 * shared memory are copied.
 */
export async function runNoiseTasks(part: GaussianPart, threads: NoiseThreads): Promise<number[]> {
  const values = inSharedMemory(part.values);
  const out = part.out === part.values ? values : inSharedMemory(part.out);
  const payload: NoisePayload = {
    part: { ...part, values, out },
    next: new Int32Array(new SharedArrayBuffer(4)),
  };
  // From src/ and from dist/ alike: threads run the compiled file.
  const module = new URL('../../dist/mechanisms/noise-task.js', import.meta.url);
  const ties = await threads.runOnEach({ module, exportName: 'addNoise' }, payload);
  if (out !== part.out) part.out.set(out);
  return (ties as number[][]).flat();
}

function inSharedMemory(array: Float64Array): Float64Array {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const shared = new Float64Array(new SharedArrayBuffer(array.byteLength));
  shared.set(array);
  return shared;
}
