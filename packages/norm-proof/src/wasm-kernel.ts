import { wasmBase64 } from './field-kernel.generated.js';
import { type FieldKernel, plainKernel } from './kernel.js';

interface Exports {
  readonly memory: WebAssembly.Memory;
  add(a: number, b: number, out: number, count: number): void;
  subtract(a: number, b: number, out: number, count: number): void;
  signedProducts(
    vector: number,
    count: number,
    bits: number,
    products: number,
    out: number,
    sums: number,
    tables: number,
  ): void;
  weightedSum(rows: number, count: number, weights: number, width: number, out: number): void;
  valuesAtRoots(values: number, log: number, roots: number): void;
  sumOfProducts(
    rows: number,
    count: number,
    width: number,
    log: number,
    paired: number,
    out: number,
    work: number,
  ): void;
}

type Vector = BigUint64Array<ArrayBuffer>;

const PAGE = 65536;
/** What lies below is the module's own. */
const BEGIN = 4096;
const TABLES = 32 * 512;

/** `plainKernel` in WebAssembly (assembly/field.ts): the same numbers. */
class WasmKernel implements FieldKernel {
  readonly #exports: Exports;

  constructor() {
    const bytes = Uint8Array.from(atob(wasmBase64), (character) => character.charCodeAt(0));
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
    this.#exports = instance.exports as unknown as Exports;
  }

  /** Addresses of so many bytes each, one after another. */
  #room(sizes: readonly number[]): number[] {
    let end = BEGIN;
    const places = sizes.map((size) => {
      const at = end;
      end += Math.ceil(size / 16) * 16;
      return at;
    });
    const { memory } = this.#exports;
    const missing = end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    return places;
  }

  #write(at: number, vector: BigUint64Array): void {
    new BigUint64Array(this.#exports.memory.buffer, at, vector.length).set(vector);
  }

  #read(at: number, length: number): Vector {
    return new BigUint64Array(this.#exports.memory.buffer, at, length).slice();
  }

  add(a: BigUint64Array, b: BigUint64Array): Vector {
    return this.#both(a, b, 'add');
  }

  subtract(a: BigUint64Array, b: BigUint64Array): Vector {
    return this.#both(a, b, 'subtract');
  }

  #both(a: BigUint64Array, b: BigUint64Array, what: 'add' | 'subtract'): Vector {
    const { length } = a;
    const [first, second] = this.#room([8 * length, 8 * length]);
    this.#write(first, a);
    this.#write(second, b);
    this.#exports[what](first, second, first, length);
    return this.#read(first, length);
  }

  signedProducts(vector: BigUint64Array, bits: Uint8Array, count: number): Vector {
    const length = 4 * Math.ceil(vector.length / 4);
    const sizes = [8 * length, bits.length, 8 * count, 16 * count, TABLES];
    const [at, bitsAt, out, sums, tables] = this.#room(sizes);
    this.#write(at, vector);
    this.#write(at + 8 * vector.length, new BigUint64Array(length - vector.length));
    new Uint8Array(this.#exports.memory.buffer).set(bits, bitsAt);
    this.#exports.signedProducts(at, vector.length, bitsAt, count, out, sums, tables);
    return this.#read(out, count);
  }

  weightedSum(rows: BigUint64Array, weights: BigUint64Array, width: number): Vector {
    const [at, weightsAt, out] = this.#room([8 * rows.length, 8 * weights.length, 8 * width]);
    this.#write(at, rows);
    this.#write(weightsAt, weights);
    this.#exports.weightedSum(at, weights.length, weightsAt, width, out);
    return this.#read(out, width);
  }

  sumOfProducts(rows: BigUint64Array, width: number, points: number, paired: boolean): Vector {
    const [at, out, work] = this.#room([8 * rows.length, 16 * points, 72 * points]);
    this.#write(at, rows);
    const count = rows.length / width;
    this.#exports.sumOfProducts(at, count, width, Math.log2(points), paired ? 1 : 0, out, work);
    return this.#read(out, 2 * points - 1);
  }

  valuesAtRoots(coefficients: BigUint64Array, points: number): Vector {
    const [at, roots] = this.#room([8 * points, 8 * points]);
    // Powers of a root repeat.
    let folded = new BigUint64Array(points);
    for (let from = 0; from < coefficients.length; from += points) {
      const part = new BigUint64Array(points);
      part.set(coefficients.subarray(from, from + points));
      folded = from === 0 ? part : this.add(folded, part);
    }
    this.#write(at, folded);
    this.#exports.valuesAtRoots(at, Math.log2(points), roots);
    return this.#read(at, points);
  }
}

let kernel: FieldKernel | undefined;

/** The fast kernel of this thread; the plain one where the host has no WebAssembly SIMD. */
export function fastKernel(): FieldKernel {
  if (kernel === undefined)
    try {
      kernel = new WasmKernel();
    } catch {
      kernel = plainKernel;
    }
  return kernel;
}
