import { wasmBase64 } from './noise-kernel.generated.js';

const KEY = 4096;
const TOP = 8192;
const OFF_TOP = 40960;
const NARROW = 73728;
const WIDE = 106496;
const TIES = 303104;
const OUT = 319488;
/**
 * Words, and at most as many draws, of one batch: whole blocks, three by three. Words before the first one
 * wanted count as well.
 */
export const KERNEL_WORDS = 16368;
/** What the kernel has code for; the sampler needs no more for any σ ≤ 2^47. */
const MOST_NARROW_LEVELS = 1;
const MOST_WIDE_LEVELS = 5;
/**
 * A batch in which more draws tie than this (2^-17 a word: impossible by chance) would overrun the list of
 * ties.
 */
const MOST_TIES = 4096;

interface Exports {
  readonly memory: WebAssembly.Memory;
  draw(
    counter: number,
    count: number,
    first: number,
    stride: number,
    width: number,
    row: number,
    left: number,
    narrow: number,
    wide: number,
    offNarrow: number,
    offWide: number,
    perStep: number,
    step: number,
  ): number;
}

/** Levels of one sampler: its packed top table, and how many of either kind follow. */
export interface PackedLevels {
  readonly top: Uint32Array;
  readonly narrowLevels: number;
  readonly wideLevels: number;
}

/** Draws as the kernel makes them; see `GaussianStream`. */
export interface PackedStream {
  readonly key: Int32Array;
  readonly width: number;
  readonly wordsPerDraw: number;
  readonly diagonal: PackedLevels;
  readonly offDiagonal: PackedLevels;
  /** Tables of the levels that there are. */
  readonly narrow?: Uint32Array;
  readonly wide?: Uint32Array;
}

/**
 * The fast path of noise: ChaCha20 and table draws in WebAssembly SIMD (assembly/noise.ts). It gives the same
 * words and the same draws as the TypeScript code, bit for bit, so where a host has no WebAssembly SIMD only
 * speed is lost.
 */
class NoiseKernel {
  /** The batch: numbers that get noise. */
  readonly out: Float64Array;
  readonly #exports: Exports;
  readonly #key: Int32Array;
  readonly #tables: ReadonlyMap<number, Uint32Array>;
  readonly #loaded = new Map<number, Uint32Array>();
  readonly #ties: Int32Array;

  constructor() {
    const bytes = Uint8Array.from(atob(wasmBase64), (character) => character.charCodeAt(0));
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
    this.#exports = instance.exports as unknown as Exports;
    const { buffer } = this.#exports.memory;
    this.#key = new Int32Array(buffer, KEY, 11);
    this.#tables = new Map([
      [TOP, new Uint32Array(buffer, TOP, 8192)],
      [OFF_TOP, new Uint32Array(buffer, OFF_TOP, 8192)],
      [NARROW, new Uint32Array(buffer, NARROW, 8192)],
      [WIDE, new Uint32Array(buffer, WIDE, 32768)],
    ]);
    this.#ties = new Int32Array(buffer, TIES, MOST_TIES);
    this.out = new Float64Array(buffer, OUT, KERNEL_WORDS);
  }

  /**
   * Loads the tables of a stream, except those that are there already. Throws `RangeError` for levels that it
   * would leave out.
   */
  load({ diagonal, offDiagonal, narrow, wide }: PackedStream): void {
    for (const { narrowLevels, wideLevels } of [diagonal, offDiagonal]) {
      if (narrowLevels > MOST_NARROW_LEVELS || wideLevels > MOST_WIDE_LEVELS)
        throw new RangeError(
          `The noise kernel draws ${MOST_NARROW_LEVELS} narrow and ${MOST_WIDE_LEVELS} wide levels; the sampler has ${narrowLevels} and ${wideLevels}.`,
        );
    }
    this.#loadAt(TOP, diagonal.top);
    this.#loadAt(OFF_TOP, offDiagonal.top);
    if (narrow) this.#loadAt(NARROW, narrow);
    if (wide) this.#loadAt(WIDE, wide);
  }

  #loadAt(address: number, table: Uint32Array): void {
    if (this.#loaded.get(address) === table) return;
    this.#tables.get(address)!.set(table);
    this.#loaded.set(address, table);
  }

  /**
   * Adds draws `first`, `first` + 1, … of the stream whose tables are loaded to the first `count` numbers of
   * `out`: v becomes (v·perStep + draw)·step. Returns the indices of those that a tie leaves to the caller.
   */
  draw(stream: PackedStream, first: number, count: number, perStep: number, step: number): Int32Array {
    const { key, width, wordsPerDraw, diagonal, offDiagonal } = stream;
    const word = first * wordsPerDraw;
    const skipped = word % 16;
    this.#key.set(key);
    this.#key.fill(0, 8);
    const { row, left } = placeOf(first, width);
    const ties = this.#exports.draw(
      (word - skipped) / 16,
      count,
      skipped,
      wordsPerDraw,
      width,
      row,
      left,
      diagonal.narrowLevels,
      diagonal.wideLevels,
      offDiagonal.narrowLevels,
      offDiagonal.wideLevels,
      perStep,
      step,
    );
    return this.#ties.subarray(0, ties);
  }
}

/**
 * How many entries of packed upper triangles of `width` lie between entry `index` and the next diagonal one,
 * and the row of that. O(width).
 */
export function placeOf(index: number, width: number): { readonly row: number; readonly left: number } {
  let rest = index % ((width * (width + 1)) / 2);
  let row = 0;
  while (rest > 0 && rest >= width - row) rest -= width - row++;
  return rest === 0 ? { row, left: 0 } : { row: (row + 1) % width, left: width - row - rest };
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
