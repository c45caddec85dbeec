import { compileKernel, kernelMemory } from '@hushrec/numerics';
import { wasmBase64 } from './item-vector-sums.generated.js';

interface Exports {
  addOuter(
    sums: number,
    width: number,
    items: number,
    amounts: number,
    count: number,
    vector: number,
    scale: number,
  ): void;
}

/** Where nothing is kept: the first addresses belong to the module's own data. */
const FIRST_ADDRESS = 1024;
const PAGE = 2 ** 16;
/** WebAssembly addresses end here. */
const MOST_BYTES = 2 ** 32;

let compiled: WebAssembly.Module | undefined | null;

/** The compiled kernel, or undefined where the host has no SIMD. */
function kernelModule(): WebAssembly.Module | undefined {
  if (compiled === undefined) compiled = compileKernel(wasmBase64) ?? null;
  return compiled ?? undefined;
}

/**
 * Rows of whole numbers, one per item, to which multiples of a vector are added: sums[item] +=
 * trunc(amount · scale · vector). In WebAssembly where the host has it, else in plain TypeScript with the
 * same integers. Memory: 8 bytes per item and coordinate.
 */
export class ItemVectorSums {
  /** One person's vector: write it here before `add`. */
  readonly vector: Float64Array;
  /**
   * Her items and what the vector is multiplied by: write them here before `add`. At most one entry per item.
   */
  readonly items: Uint32Array;
  readonly amounts: Float64Array;
  readonly #sums: Float64Array;
  readonly #width: number;
  readonly #padded: number;
  readonly #wasm:
    | { readonly exports: Exports; readonly at: readonly [number, number, number, number] }
    | undefined;

  /** @param kernel false takes plain TypeScript, for comparison */
  constructor(itemCount: number, width: number, kernel = true) {
    this.#width = width;
    const padded = width + (width % 2);
    const lengths = [itemCount * padded, padded, itemCount] as const;
    const places: number[] = [];
    let bytes = FIRST_ADDRESS;
    for (const length of lengths) {
      places.push(bytes);
      bytes += length * 8;
    }
    const items = bytes;
    bytes += itemCount * 4;
    // One coordinate is no vector: two lanes would do twice the work.
    const module = kernel && width > 1 && bytes <= MOST_BYTES - PAGE ? kernelModule() : undefined;
    const memory = module && kernelMemory(bytes);
    if (module === undefined || memory === undefined) {
      this.#padded = width;
      this.#sums = new Float64Array(itemCount * width);
      this.vector = new Float64Array(width);
      this.amounts = new Float64Array(itemCount);
      this.items = new Uint32Array(itemCount);
      return;
    }
    const [sums, vector, amounts] = places as [number, number, number];
    this.#padded = padded;
    this.#sums = new Float64Array(memory.buffer, sums, lengths[0]);
    this.vector = new Float64Array(memory.buffer, vector, width);
    this.amounts = new Float64Array(memory.buffer, amounts, itemCount);
    this.items = new Uint32Array(memory.buffer, items, itemCount);
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    this.#wasm = { exports: exports as unknown as Exports, at: [sums, items, amounts, vector] };
  }

  /** Adds the first `count` of `items`. O(count · width). */
  add(count: number, scale: number): void {
    if (this.#wasm !== undefined) {
      const [sums, items, amounts, vector] = this.#wasm.at;
      this.#wasm.exports.addOuter(sums, this.#padded, items, amounts, count, vector, scale);
      return;
    }
    const { items, amounts, vector } = this;
    const sums = this.#sums;
    const width = this.#width;
    if (width === 1) {
      const factor = vector[0];
      for (let k = 0; k < count; k++) sums[items[k]] += Math.trunc(amounts[k] * scale * factor);
      return;
    }
    for (let k = 0; k < count; k++) {
      const amount = amounts[k] * scale;
      const row = items[k] * width;
      for (let c = 0; c < width; c++) sums[row + c] += Math.trunc(amount * vector[c]);
    }
  }

  /** Adds what was summed to `into`, items by rows without gaps. O(items · width). */
  addTo(into: Float64Array): void {
    const sums = this.#sums;
    const width = this.#width;
    if (this.#padded === width) {
      for (let at = 0; at < into.length; at++) into[at] += sums[at];
      return;
    }
    for (let row = 0, to = 0; to < into.length; row += this.#padded, to += width) {
      for (let c = 0; c < width; c++) into[to + c] += sums[row + c];
    }
  }
}
