import type { Csr, FactorMatrix } from '../csr.js';

/** A job needs more than the 4 GiB that 32-bit WebAssembly can address, or than the host gives. */
export class KernelMemoryError extends RangeError {
  override readonly name = 'KernelMemoryError';
  readonly bytes: number;
  constructor(bytes: number) {
    super(
      `A job needs ${Math.ceil(bytes / 2 ** 20)} MiB of kernel memory, which this host does not give. Use fewer dimensions, smaller blocks, or the scalar kernels.`,
    );
    this.bytes = bytes;
  }
}

const PAGE = 65_536;
const ALIGNMENT = 64;
/** Below this lie the module's own constants. */
export const FIRST_ADDRESS = PAGE;

/** Rounds up to a multiple of 4, the lanes of a vector. */
export function paddedWidth(width: number): number {
  return (width + 3) & ~3;
}

/**
 * Hands out consecutive aligned addresses; counting from 0 it measures, counting from a base it allocates.
 */
export class Bump {
  at: number;
  constructor(base: number) {
    this.at = base;
  }
  take(bytes: number): number {
    const address = this.at;
    this.at += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    return address;
  }
  /**
   * Place for `count` entries of four bytes that begin with entry `first` of an array. V8 copies shared
   * memory eight bytes at a time where both sides lie alike, and byte by byte, five times as slowly,
   * elsewhere: where `first` is odd the place is not a multiple of eight either.
   */
  takeEntries(count: number, first: number): number {
    return this.take(4 * (count + 1)) + 4 * (first & 1);
  }
}

/** One shared WebAssembly memory, seen as typed arrays. */
export class KernelMemory {
  readonly memory: WebAssembly.Memory;
  f32!: Float32Array;
  f64!: Float64Array;
  u32!: Uint32Array;
  i32!: Int32Array;
  u8!: Uint8Array;

  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
    this.refresh();
  }

  /**
   * Growth makes a new buffer object over the same bytes; call after another thread may have grown the
   * memory.
   */
  refresh(): void {
    const { buffer } = this.memory;
    if (this.f32?.buffer === buffer) return;
    this.f32 = new Float32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.u32 = new Uint32Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.u8 = new Uint8Array(buffer);
  }

  /** Makes addresses below `bytes` usable. */
  ensure(bytes: number): void {
    const missing = Math.ceil((bytes - this.memory.buffer.byteLength) / PAGE);
    if (missing <= 0) return;
    try {
      this.memory.grow(missing);
    } catch {
      throw new KernelMemoryError(bytes);
    }
    this.refresh();
  }

  /** Rows [begin, end) of a matrix at an address, padded with zeros to a multiple of 4. */
  putRows(address: number, matrix: FactorMatrix, begin: number, end: number): void {
    const { width: d, data } = matrix;
    const width = paddedWidth(d);
    let to = address / 4;
    if (width === d) {
      this.f32.set(data.subarray(begin * d, end * d), to);
      return;
    }
    for (let row = begin; row < end; row++, to += width) {
      for (let a = 0; a < d; a++) this.f32[to + a] = data[row * d + a];
      for (let a = d; a < width; a++) this.f32[to + a] = 0;
    }
  }

  /** The way back. */
  takeRows(address: number, matrix: FactorMatrix, begin: number, end: number): void {
    const { width: d, data } = matrix;
    const width = paddedWidth(d);
    let from = address / 4;
    if (width === d) {
      data.set(this.f32.subarray(from, from + (end - begin) * d), begin * d);
      return;
    }
    for (let row = begin; row < end; row++, from += width) {
      for (let a = 0; a < d; a++) data[row * d + a] = this.f32[from + a];
    }
  }

  /** Offsets of rows [begin, end], counted from the first entry of row `begin`. */
  putOffsets(address: number, csr: Csr, begin: number, end: number): void {
    const first = csr.offsets[begin];
    const to = address / 4;
    for (let row = begin; row <= end; row++) this.u32[to + row - begin] = csr.offsets[row] - first;
  }
}

/** The most rows and the most entries of any range, which is what scratch memory must hold. */
export function largestRange(
  bounds: Uint32Array,
  offsets?: Uint32Array,
  shift = 0,
): { rows: number; entries: number } {
  let rows = 0;
  let entries = 0;
  for (let k = 0; k + 1 < bounds.length; k++) {
    const begin = bounds[k];
    const end = bounds[k + 1];
    rows = Math.max(rows, end - begin);
    if (offsets !== undefined) entries = Math.max(entries, offsets[end + shift] - offsets[begin + shift]);
  }
  return { rows, entries };
}
