import type { Engine } from './engine.js';
import { createKernelMemory, type WasmBuild, wasmBuildAvailable } from './kernels/wasm.js';
import { RangeEngine } from './range-engine.js';
import { sharedMemoryAvailable } from './shared-array.js';
import { KernelRunner } from './threads/kernel-runner.js';
import type { KernelChoice } from './threads/kernel-task.js';
import { coreCount } from './threads/worker-port.js';

/** What an engine may use. */
export interface EngineOptions {
  /**
   * Threads to compute with; by default the number of cores the host reports. Results do not depend on it.
   */
  readonly threads?: number;
  /**
   * `auto` takes the fastest that this host can run. `simd` gives the same bits on every host, `relaxed-simd`
   * does not; `scalar` is the reference in plain TypeScript.
   */
  readonly kernel?: 'auto' | 'scalar' | WasmBuild;
}

/** An option that this host, or any host, cannot meet. */
export class EngineOptionError extends RangeError {
  override readonly name = 'EngineOptionError';
  readonly kind = 'usage';
  readonly option: 'threads' | 'kernel';
  constructor(option: EngineOptionError['option'], message: string) {
    super(message);
    this.option = option;
  }
}

/**
 * An engine on this host. What the host lacks is in `warnings`; what was asked for by name and is missing
 * throws.
 */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const warnings: string[] = [];
  const choice = chooseKernel(options.kernel ?? 'auto', warnings);
  const threads = await chooseThreads(options.threads, warnings);
  const description = `${choice.build} kernels, ${threads} ${threads === 1 ? 'thread' : 'threads'}`;
  return new RangeEngine(new KernelRunner(choice, threads), description, warnings);
}

function chooseKernel(kernel: NonNullable<EngineOptions['kernel']>, warnings: string[]): KernelChoice {
  if (kernel === 'scalar') return { build: 'scalar' };
  const memory = createKernelMemory();
  const builds: WasmBuild[] = kernel === 'auto' ? ['relaxed-simd', 'simd'] : [kernel];
  if (memory !== undefined) {
    for (const build of builds) if (wasmBuildAvailable(build)) return { build, memory };
  }
  const lacking = memory === undefined ? 'shared WebAssembly memory' : `WebAssembly ${builds.at(-1)}`;
  if (kernel !== 'auto') {
    throw new EngineOptionError('kernel', `This host has no ${lacking}. Use kernel "auto" to do without.`);
  }
  warnings.push(`This host has no ${lacking}: training uses plain JavaScript and is 20 to 40 times slower.`);
  return { build: 'scalar' };
}

async function chooseThreads(asked: number | undefined, warnings: string[]): Promise<number> {
  if (asked !== undefined && !(Number.isInteger(asked) && asked >= 1 && asked <= 1024)) {
    throw new EngineOptionError('threads', `threads is ${asked}; expected a whole number from 1 to 1024.`);
  }
  if (!sharedMemoryAvailable) {
    if (asked !== 1) warnings.push('This host has no SharedArrayBuffer: training uses one thread.');
    return 1;
  }
  const cores = await coreCount();
  if (asked === undefined && cores === 1) warnings.push('This host has one core: training uses one thread.');
  return asked ?? cores;
}
