import { type Csr, packedLength, zeroFactors } from '@hushrec/numerics';
import { SeededRandom } from '@hushrec/ratings';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ChoiceQuestion } from './choice-question.js';
import { type ChoiceSums, PlainChoiceSums } from './choice-sums.js';
import { WasmChoiceSums } from './wasm-choice-sums.js';
import { WhitenedItems } from './whitened-items.js';

const itemCount = 90;
/** More than are handed to the kernel at once. */
const people = 300;

/** People of 0 to 40 choices whose tastes are any vectors. */
function generated(
  width: number,
  leftOut: boolean,
  bounds = { vectorBound: 0.4, momentBound: 0.1 },
  hasGrades = false,
) {
  const random = new SeededRandom(11 + width);
  const items = zeroFactors(itemCount, width);
  for (let at = 0; at < items.data.length; at++) items.data[at] = random.normal();
  const gramian = new Float64Array(width * width);
  for (let row = 0; row < items.data.length; row += width)
    for (let a = 0; a < width; a++)
      for (let b = 0; b < width; b++) gramian[a * width + b] += items.data[row + a] * items.data[row + b];
  const chosen = Array.from({ length: people }, (_, person) =>
    [...new Set(Array.from({ length: person % 41 }, () => random.below(itemCount)))].sort((a, b) => a - b),
  );
  const offsets = Uint32Array.of(0, ...chosen.map(({ length }) => length));
  for (let person = 0; person < people; person++) offsets[person + 1] += offsets[person];
  const indices = Uint32Array.from(chosen.flat());
  const values = new Float32Array(indices.length).fill(1);
  const rows: Csr = { rowCount: people, columnCount: itemCount, offsets, indices, values };
  const question: ChoiceQuestion = {
    items,
    gramian,
    ridge: 0.005,
    unobservedWeight: 0.05,
    itemWeights: Float64Array.from({ length: itemCount }, () => 0.2 + random.uniform()),
    gauge: 0.7,
    ...bounds,
    leftOut,
  };
  const own = Float32Array.from({ length: people * width }, () => random.normal());
  const grades = Float32Array.from(indices, () => (hasGrades ? random.below(5) / 4 : 1));
  return { question, rows, grades, own };
}

function summed(sums: ChoiceSums, { question, rows, grades, own }: ReturnType<typeof generated>) {
  const { width } = question.items;
  const whitened = new WhitenedItems(question);
  const fixed = whitened.chosenBy(rows);
  const chosen = question.leftOut ? { whitened: fixed, alone: whitened.aloneBy(rows, fixed) } : undefined;
  sums.addBlock(rows, grades, own, chosen);
  const into = {
    vectors: new Float64Array(itemCount * width).fill(2),
    moment: new Float64Array(packedLength(width)).fill(5),
  };
  sums.addTo(into);
  return into;
}

function kernel({ question, rows }: ReturnType<typeof generated>): WasmChoiceSums {
  const found = WasmChoiceSums.for(question, rows);
  if (found === undefined) throw new Error('This host has no SIMD.');
  return found;
}

describe.each([false, true])('the kernel of sums over choices, echoes left out: %s', (leftOut) => {
  it.each([1, 2, 3, 8, 13, 24])('adds the same integers as plain TypeScript, width %i', (width) => {
    const given = generated(width, leftOut);
    const found = summed(kernel(given), given);
    expect(found).toEqual(summed(new PlainChoiceSums(given.question, itemCount), given));
    expect(found.vectors.some((value) => Math.abs(value) > 1000)).toBe(true);
    expect(found.moment.every(Number.isInteger)).toBe(true);
  });

  it.each([
    ['everybody is scaled', { vectorBound: 1e-3, momentBound: 1e-4 }],
    ['nobody is', { vectorBound: 1e3, momentBound: 1e3 }],
  ])('and where %s', (_, bounds) => {
    const given = generated(5, leftOut, bounds);
    expect(summed(kernel(given), given)).toEqual(
      summed(new PlainChoiceSums(given.question, itemCount), given),
    );
  });

  it.each([1, 4, 7, 24])('and where choices have grades, some of them 0, width %i', (width) => {
    const given = generated(width, leftOut, undefined, true);
    const found = summed(kernel(given), given);
    expect(found).toEqual(summed(new PlainChoiceSums(given.question, itemCount), given));
    expect(found.vectors.every(Number.isInteger)).toBe(true);
    const alike = { ...given, grades: given.grades.map(() => 1) };
    expect(found.vectors).not.toEqual(summed(kernel(alike), alike).vectors);
  });

  it('counts tastes that are not finite as nothing, and no one else less', () => {
    const given = generated(6, leftOut);
    const broken = { ...given, own: given.own.slice() };
    // The second and the third of these people, 20 and 21 choices each.
    for (const [person, value] of [
      [20, Number.NaN],
      [21, Infinity],
    ] as const)
      broken.own[person * 6 + 2] = value;
    const found = summed(kernel(broken), broken);
    expect(found).toEqual(summed(new PlainChoiceSums(broken.question, itemCount), broken));
    expect(found.vectors.every(Number.isFinite)).toBe(true);
    expect(found.moment.every(Number.isFinite)).toBe(true);
    expect(found.vectors).not.toEqual(summed(kernel(given), given).vectors);
  });

  it('adds one block after the other', () => {
    const given = generated(4, leftOut);
    const { question, rows, grades, own } = given;
    const sums = kernel(given);
    const whitened = new WhitenedItems(question);
    const cut = 117;
    for (const [begin, end] of [
      [0, cut],
      [cut, people],
    ] as const) {
      const from = rows.offsets[begin];
      const block = {
        ...rows,
        rowCount: end - begin,
        offsets: rows.offsets.slice(begin, end + 1).map((offset) => offset - from),
        indices: rows.indices.subarray(from, rows.offsets[end]),
      };
      const fixed = whitened.chosenBy(block);
      const chosen = leftOut ? { whitened: fixed, alone: whitened.aloneBy(block, fixed) } : undefined;
      sums.addBlock(
        block,
        grades.subarray(from, rows.offsets[end]),
        own.subarray(begin * 4, end * 4),
        chosen,
      );
    }
    const into = {
      vectors: new Float64Array(itemCount * 4).fill(2),
      moment: new Float64Array(packedLength(4)).fill(5),
    };
    sums.addTo(into);
    expect(into).toEqual(summed(kernel(given), given));
  });
});

describe('a host that lacks something', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.resetModules();
  });

  it('without SIMD has no such kernel', async () => {
    vi.resetModules();
    vi.spyOn(WebAssembly, 'validate').mockReturnValue(false);
    const anew = await import('./wasm-choice-sums.js');
    const { question, rows } = generated(4, false);
    expect(anew.WasmChoiceSums.for(question, rows)).toBeUndefined();
  });

  it('without room for it neither', () => {
    vi.spyOn(WebAssembly, 'Memory').mockImplementation(function refuse() {
      throw new RangeError('could not allocate memory');
    });
    const { question, rows } = generated(4, false);
    expect(WasmChoiceSums.for(question, rows)).toBeUndefined();
  });
});
