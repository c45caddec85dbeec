import { type Csr, compileKernel, kernelMemory, packedLength } from '@hushrec/numerics';
import type { ChoiceQuestion } from './choice-question.js';
import { wasmBase64 } from './choice-sums.generated.js';
import type { ChoiceSums } from './choice-sums.js';
import type { ChosenItems } from './left-out-tastes.js';

interface Exports {
  prepare(
    width: number,
    vectorBound: number,
    momentBound: number,
    gauge: number,
    sums: number,
    moment: number,
    itemWeights: number,
    taste: number,
    plain: number,
    amounts: number,
  ): void;
  leaveOut(
    items: number,
    whitened: number,
    alone: number,
    common: number,
    ridge: number,
    roots: number,
    rows: number,
    turned: number,
    tastes: number,
    matrix: number,
    room: number,
  ): void;
  addPeople(
    people: number,
    offsets: number,
    indices: number,
    grades: number,
    own: number,
    leavesOut: number,
  ): void;
}

/** Where nothing is kept: the first addresses belong to the module's own data. */
const FIRST_ADDRESS = 1024;
/** WebAssembly addresses end here. */
const MOST_BYTES = 2 ** 32 - 2 ** 16;
/** People that are handed over at once. */
const GROUP = 256;

let compiled: WebAssembly.Module | undefined | null;

/** Where things are in the kernel's memory, in the order in which they are asked for. */
class Places {
  bytes = FIRST_ADDRESS;
  take(length: number, bytesEach: number): number {
    const place = this.bytes;
    this.bytes += Math.ceil((length * bytesEach) / 16) * 16;
    return place;
  }
}

/**
 * `PlainChoiceSums` in WebAssembly, person by person without a call between. Memory: 8 bytes per item and
 * coordinate, 12 more where echoes are left out.
 */
export class WasmChoiceSums implements ChoiceSums {
  readonly #question: ChoiceQuestion;
  readonly #memory: WebAssembly.Memory;
  readonly #exports: Exports;
  readonly #places: ReturnType<typeof placesFor>;

  private constructor(
    question: ChoiceQuestion,
    places: ReturnType<typeof placesFor>,
    module: WebAssembly.Module,
    memory: WebAssembly.Memory,
  ) {
    this.#question = question;
    this.#memory = memory;
    this.#places = places;
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    this.#exports = exports as unknown as Exports;
    const { items, itemWeights, vectorBound, momentBound, gauge, ridge } = question;
    const { width } = items;
    const at = places;
    this.#floats64(at.itemWeights, itemWeights.length).set(itemWeights);
    this.#exports.prepare(
      width,
      vectorBound,
      momentBound,
      gauge,
      at.sums,
      at.moment,
      at.itemWeights,
      at.taste,
      at.plain,
      at.amounts,
    );
    if (at.leftOut === undefined) return;
    const { common, roots, rows, turned, tastes, matrix, room, ...of } = at.leftOut;
    this.#exports.leaveOut(
      of.items,
      of.whitened,
      of.alone,
      common,
      ridge,
      roots,
      rows,
      turned,
      tastes,
      matrix,
      room,
    );
    this.#floats32(of.items, items.data.length).set(items.data);
    const { even } = places;
    const shared = this.#floats64(common, even * even);
    for (let a = 0; a < width; a++)
      for (let b = 0; b < width; b++)
        shared[a * even + b] = question.unobservedWeight * question.gramian[a * width + b];
  }

  /** Undefined where the host has no SIMD, or no room for it. @param rows everybody who will be added */
  static for(question: ChoiceQuestion, rows: Csr): WasmChoiceSums | undefined {
    if (compiled === undefined) compiled = compileKernel(wasmBase64) ?? null;
    const places = placesFor(question, rows);
    if (compiled === null || places.bytes > MOST_BYTES) return undefined;
    const memory = kernelMemory(places.bytes);
    return memory && new WasmChoiceSums(question, places, compiled, memory);
  }

  addBlock(
    { rowCount, offsets, indices }: Csr,
    grades: Float32Array,
    own: Float32Array,
    chosen: ChosenItems | undefined,
  ): void {
    const { width } = this.#question.items;
    const at = this.#places;
    if (chosen !== undefined && at.leftOut !== undefined) {
      this.#floats32(at.leftOut.whitened, chosen.whitened.data.length).set(chosen.whitened.data);
      this.#floats32(at.leftOut.alone, chosen.alone.data.length).set(chosen.alone.data);
    }
    const { buffer } = this.#memory;
    for (let begin = 0; begin < rowCount; begin += GROUP) {
      const end = Math.min(rowCount, begin + GROUP);
      const [from, to] = [offsets[begin], offsets[end]];
      new Uint32Array(buffer, at.offsets, GROUP + 1).set(offsets.subarray(begin, end + 1));
      new Uint32Array(buffer, at.indices, to - from).set(indices.subarray(from, to));
      this.#floats32(at.grades, to - from).set(grades.subarray(from, to));
      this.#floats32(at.own, GROUP * width).set(own.subarray(begin * width, end * width));
      const leavesOut = Number(chosen !== undefined);
      this.#exports.addPeople(end - begin, at.offsets, at.indices, at.grades, at.own, leavesOut);
    }
  }

  addTo({ vectors, moment }: { readonly vectors: Float64Array; readonly moment: Float64Array }): void {
    const { width } = this.#question.items;
    const { even, sums: at } = this.#places;
    const sums = this.#floats64(at, (vectors.length / width) * even);
    for (let row = 0, to = 0; to < vectors.length; row += even, to += width)
      for (let c = 0; c < width; c++) vectors[to + c] += sums[row + c];
    const own = this.#floats64(this.#places.moment, moment.length);
    for (let k = 0; k < moment.length; k++) moment[k] += own[k];
  }

  #floats64(place: number, length: number): Float64Array {
    return new Float64Array(this.#memory.buffer, place, length);
  }

  #floats32(place: number, length: number): Float32Array {
    return new Float32Array(this.#memory.buffer, place, length);
  }
}

function placesFor({ items, leftOut }: ChoiceQuestion, { rowCount, columnCount, offsets }: Csr) {
  const { width } = items;
  const even = width + (width % 2);
  let longest = 0; // choices of one person
  for (let row = 0; row < rowCount; row++) longest = Math.max(longest, offsets[row + 1] - offsets[row]);
  const places = new Places();
  const numbers = (length: number) => places.take(length, 8);
  const always = {
    even,
    sums: numbers(columnCount * even),
    moment: numbers(packedLength(width)),
    itemWeights: numbers(columnCount),
    taste: numbers(width + 2),
    plain: numbers(width + 2),
    amounts: numbers(longest),
    offsets: places.take(GROUP + 1, 4),
    // Blocks begin anywhere, so no more is known of a group than that it has no more than so many choices.
    indices: places.take(Math.min(offsets[rowCount] - offsets[0], GROUP * longest), 4),
    grades: places.take(Math.min(offsets[rowCount] - offsets[0], GROUP * longest), 4),
    own: places.take(GROUP * width, 4),
  };
  const ofItems = () => places.take(columnCount * width, 4);
  const ofPerson = () => numbers((longest + 1) * even);
  const leaving = leftOut && {
    items: ofItems(),
    whitened: ofItems(),
    alone: ofItems(),
    common: numbers(even * even),
    roots: numbers(longest + 1),
    rows: ofPerson(),
    turned: ofPerson(),
    tastes: ofPerson(),
    matrix: numbers(even * even),
    room: numbers(2 * even * even),
  };
  return { ...always, leftOut: leaving || undefined, bytes: places.bytes };
}
