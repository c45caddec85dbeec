import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutRows, cutTargets, responseStep, termStep } from './exact-products.js';
import { RowEquations } from './ridge-rows.js';

/** One row that rated every column, in the order given. */
function fullRow(order: readonly number[]) {
  return {
    rowCount: 1,
    columnCount: order.length,
    offsets: Uint32Array.of(0, order.length),
    indices: Uint32Array.from(order),
    values: new Float32Array(0),
  };
}

const width = 4;
let state = 1;
const uniform = () => {
  state = (state * 48271) % 2147483647;
  return (2 * state) / 2147483647 - 1;
};

describe('exact sums of products', () => {
  const count = 20_000;
  const rows = Float64Array.from({ length: count * width }, () => uniform() / 2);
  const targets = Float64Array.from({ length: count }, uniform);
  const forward = [...Array(count).keys()];
  const backward = forward.toReversed();

  it('do not depend on their order, to the last bit; without cutting they do', () => {
    const sums = (order: readonly number[], vectors: Float64Array, values: Float32Array) => {
      const equations = new RowEquations(width);
      const inOrder = Float32Array.from(order, (at) => values[at]);
      equations.accumulate(fullRow(order), 0, inOrder, vectors, 0);
      return [...equations.matrix, ...equations.vector];
    };
    const cut = [cutRows(rows, 1, count), cutTargets(targets, 1)] as const;
    expect(sums(forward, ...cut)).toEqual(sums(backward, ...cut));
    const raw = [rows, Float32Array.from(targets)] as const;
    expect(sums(forward, ...raw)).not.toEqual(sums(backward, ...raw));
  });

  it('sums of responses do not depend on their order either', () => {
    const sums = (order: readonly number[]) => {
      const equations = new RowEquations(width);
      const values = cutTargets(targets, 1);
      const inOrder = Float32Array.from(order, (at) => values[at]);
      // M is public: the same rounding of it for both orders.
      equations.accumulate(fullRow(forward), 0, values, rows, 1);
      const out = new Float64Array(width);
      const largest = equations.sumResponses(fullRow(order), 0, inOrder, rows, 0.5, out);
      return [largest, ...out];
    };
    expect(sums(forward)).toEqual(sums(backward));
  });

  it('cutting enlarges no target and no norm, and two targets differ by at most twice their bound', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 1e7 }),
        (bound, first, second, terms) => {
          const [a, b] = cutTargets([first * bound, second * bound], bound);
          expect(Math.abs(a)).toBeLessThanOrEqual(Math.abs(first * bound));
          expect(Math.abs(a - b)).toBeLessThanOrEqual(2 * bound);
          const [low, high] = cutTargets([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY], bound);
          expect(high - low).toBeLessThanOrEqual(2 * bound);
          const [x] = cutRows(Float64Array.of(first * bound), bound, terms);
          expect(Math.abs(x)).toBeLessThanOrEqual(Math.abs(first * bound));
          expect(Math.abs(x - first * bound)).toBeLessThan(bound * 2 ** -10);
          // The largest sum there can be stays a whole number of steps below 2⁵³.
          expect((terms * bound) / termStep(bound, terms)).toBeLessThanOrEqual(2 ** 53);
          expect((terms * bound * 2 ** 15) / responseStep(bound, terms)).toBeLessThanOrEqual(2 ** 53);
        },
      ),
      { seed: 5 },
    );
    expect([...cutTargets([Number.NaN], 1)]).toEqual([0]);
    expect(() => cutRows(rows, 1, 2 ** 40)).toThrow(/too many/);
  });
});
