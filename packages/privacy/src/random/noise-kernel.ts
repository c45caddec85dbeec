import { wasmBase64 } from './noise-kernel.generated.js';

const KEY = 4096;
const TOP = 8192;
const FINE = 40960;
const WORDS = 73728;
const TIES = 139264;
const OUT = 155648;
/** Words, and at most as many draws, of one batch. */
export const KERNEL_WORDS = 16384;
/** A batch in which more draws tie than this (2^-19 a word: impossible by chance) would overrun the list of ties. */
const MOST_TIES = 4096;

interface Exports {
  readonly memory: WebAssembly.Memory;
  fill(counter: number, groups: number, offset: number): void;
  draw(levels: number, draws: number): number;
}

/**
 * The fast path of noise: ChaCha20 and table draws in WebAssembly SIMD (assembly/noise.ts). It gives the same words and
 * the same draws as the TypeScript code, bit for bit, so where a host has no WebAssembly SIMD only speed is lost.
 */
export class NoiseKernel {
  /** The batch's words. */
  readonly words: Int32Array;
  /** The batch's draws. */
  readonly out: Float64Array;
  readonly #exports: Exports;
  readonly #key: Int32Array;
  readonly #top: Uint32Array;
  readonly #fine: Uint32Array;
  readonly #ties: Int32Array;
  #topTable: Uint32Array | undefined;
  #fineTable: Uint32Array | undefined;

  constructor() {
    const bytes = Uint8Array.from(atob(wasmBase64), (character) => character.charCodeAt(0));
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
    this.#exports = instance.exports as unknown as Exports;
    const { buffer } = this.#exports.memory;
    this.#key = new Int32Array(buffer, KEY, 11);
    this.#top = new Uint32Array(buffer, TOP, 8192);
    this.#fine = new Uint32Array(buffer, FINE, 8192);
    this.words = new Int32Array(buffer, WORDS, KERNEL_WORDS);
    this.#ties = new Int32Array(buffer, TIES, MOST_TIES);
    this.out = new Float64Array(buffer, OUT, KERNEL_WORDS);
  }

  /** Puts 4·groups blocks of the stream into `words` from `offset` on. */
  fill(
    key: Int32Array,
    nonce: readonly [number, number, number],
    counter: number,
    groups: number,
    offset: number,
  ): void {
    this.#key.set(key);
    this.#key.set(nonce, 8);
    this.#exports.fill(counter, groups, offset);
  }

  /** Turns `words` into `draws` values in `out`; returns the indices of those the caller must decide itself. */
  draw(top: Uint32Array, fine: Uint32Array, levels: number, draws: number): Int32Array {
    if (this.#topTable !== top) this.#top.set(top);
    if (this.#fineTable !== fine) this.#fine.set(fine);
    [this.#topTable, this.#fineTable] = [top, fine];
    return this.#ties.subarray(0, this.#exports.draw(levels, draws));
  }
}

let kernel: NoiseKernel | null | undefined;

/** The kernel of this thread, or null where the host cannot run it. */
export function noiseKernel(): NoiseKernel | null {
  if (kernel === undefined) {
    try {
      kernel = new NoiseKernel();
    } catch {
      kernel = null;
    }
  }
  return kernel;
}
