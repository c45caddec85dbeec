import type { SmallProduct } from '../small-product.js';
import { compileKernel, kernelMemory } from './compile-kernel.js';
import { wasmBase64 } from './small-product.generated.js';

interface Exports {
  product(
    out: number,
    left: number,
    right: number,
    rows: number,
    inner: number,
    columns: number,
    transposed: number,
    triangle: number,
    symmetric: number,
    onto: number,
  ): void;
}

/** Where nothing is kept: the first addresses belong to the module's own data. */
const FIRST_ADDRESS = 1024;
const PAGE = 2 ** 16;

/**
 * Products of small matrices in WebAssembly, with the bits of plain TypeScript. Its memory grows with the
 * largest one and is used again.
 */
export class WasmSmallProduct {
  readonly #exports: Exports;
  readonly #memory: WebAssembly.Memory;
  #numbers: Float64Array;

  private constructor(module: WebAssembly.Module, memory: WebAssembly.Memory) {
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    this.#exports = exports as unknown as Exports;
    this.#memory = memory;
    this.#numbers = new Float64Array(memory.buffer);
  }

  static #loaded: WasmSmallProduct | undefined | null;

  /** The one of this thread; undefined where the host has no SIMD, or no memory for it. */
  static get instance(): WasmSmallProduct | undefined {
    if (WasmSmallProduct.#loaded === undefined) {
      const module = compileKernel(wasmBase64);
      const memory = module && kernelMemory(PAGE);
      WasmSmallProduct.#loaded = module && memory ? new WasmSmallProduct(module, memory) : null;
    }
    return WasmSmallProduct.#loaded ?? undefined;
  }

  /** `smallProduct`; false where there is no room for it. */
  readonly multiply = ((out, left, right, rows, inner, columns, shape = {}) => {
    const { left: turned, right: triangle, symmetric = false, onto = false } = shape;
    const stride = columns + (columns % 2);
    const atLeft = FIRST_ADDRESS / 8;
    const atRight = atLeft + rows * inner;
    const atOut = atRight + inner * stride;
    if (!this.#makeRoom(atOut + rows * stride)) return false;
    const numbers = this.#numbers;
    numbers.set(firstOf(left, rows * inner), atLeft);
    copyRows(right, 0, columns, numbers, atRight, stride, inner);
    if (onto) copyRows(out, 0, columns, numbers, atOut, stride, rows);
    const kind = triangle === undefined ? 0 : triangle === 'upper' ? 1 : 2;
    this.#exports.product(
      8 * atOut,
      8 * atLeft,
      8 * atRight,
      rows,
      inner,
      stride,
      Number(turned === 'transposed'),
      kind,
      Number(symmetric),
      Number(onto),
    );
    copyRows(numbers, atOut, stride, out, 0, columns, rows);
    return true;
  }) satisfies (...product: Parameters<SmallProduct>) => boolean;

  #makeRoom(length: number): boolean {
    if (length <= this.#numbers.length) return true;
    try {
      this.#memory.grow(Math.ceil((8 * length - this.#memory.buffer.byteLength) / PAGE));
    } catch {
      return false;
    }
    this.#numbers = new Float64Array(this.#memory.buffer);
    return true;
  }
}

function firstOf(numbers: Float64Array, length: number): Float64Array {
  return numbers.length === length ? numbers : numbers.subarray(0, length);
}

/** Rows of one matrix to where another has them; where one is wider, the last column is left alone. */
function copyRows(
  from: Float64Array,
  first: number,
  width: number,
  into: Float64Array,
  at: number,
  widthThere: number,
  rows: number,
): void {
  if (width === widthThere) {
    into.set(from.subarray(first, first + rows * width), at);
    return;
  }
  const both = Math.min(width, widthThere);
  for (let row = 0; row < rows; row++)
    into.set(from.subarray(first + row * width, first + row * width + both), at + row * widthThere);
}
