import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { revealToMechanism } from '../../../packages/privacy/src/recorder/sensitive.js';
import { PersonVectorSum } from './person-vector-sum.js';

const size = 6;
const bound = 0.8;
const sumOf = (vectors: readonly Float32Array[], limit = bound) => {
  const sum = new PersonVectorSum(size, limit);
  for (const vector of vectors) sum.add(vector, [0, 2, 2, size - 2]);
  const { statistic, gridStep } = sum.statistic();
  return revealToMechanism(statistic).map((value) => value * gridStep);
};
const distance = (a: Float64Array, b: Float64Array) => Math.hypot(...a.map((value, at) => value - b[at]));

describe('PersonVectorSum', () => {
  it('moves by at most the bound when anyone leaves, whatever their vector', () => {
    const number = fc.oneof(fc.float(), fc.constantFrom(1e30, -1e30, Infinity, Number.NaN, 1e-30));
    const vector = fc
      .array(number, { minLength: size, maxLength: size })
      .map((values) => Float32Array.from(values));
    fc.assert(
      fc.property(fc.array(vector, { minLength: 1, maxLength: 5 }), (vectors) => {
        const all = sumOf(vectors);
        vectors.forEach((_, person) => {
          const fewer = sumOf(vectors.filter((__, other) => other !== person));
          expect(distance(all, fewer)).toBeLessThanOrEqual(bound);
        });
      }),
    );
  });

  it('reaches the bound, and would exceed it with a looser clip', () => {
    const long = Float32Array.of(3, 0, 4, 0, 0, 0);
    expect(distance(sumOf([long]), sumOf([]))).toBeGreaterThan(0.999 * bound);
    expect(distance(sumOf([long], 10 * bound), sumOf([]))).toBeGreaterThan(5 * bound);
  });

  it('adds an outer product as if it were written out, and bounds it whatever it holds', () => {
    const sumOfOuter = (
      people: readonly { readonly s: readonly number[]; readonly u: readonly number[] }[],
    ) => {
      const sum = new PersonVectorSum(size, bound);
      for (const { s, u } of people)
        sum.addOuter(Uint32Array.of(2, 0), Float64Array.from(s), 2, Float32Array.from([9, ...u]), 1, 2);
      const { statistic, gridStep } = sum.statistic();
      return revealToMechanism(statistic).map((value) => value * gridStep);
    };
    const short = { s: [0.5, -0.25], u: [0.5, 1] };
    const [s0, s1] = short.s as [number, number];
    const written = Float32Array.of(s1 * 0.5, s1, 0, 0, s0 * 0.5, s0);
    expect(distance(sumOfOuter([short]), sumOf([written]))).toBeLessThan(1e-5);
    const number = fc.oneof(fc.float(), fc.constantFrom(1e30, -1e30, Infinity, Number.NaN, 1e-30));
    const pair = fc.array(number, { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(fc.array(fc.record({ s: pair, u: pair }), { minLength: 1, maxLength: 4 }), (people) => {
        const all = sumOfOuter(people);
        people.forEach((_, person) => {
          const fewer = sumOfOuter(people.filter((__, other) => other !== person));
          expect(distance(all, fewer)).toBeLessThanOrEqual(bound);
        });
      }),
    );
  });

  it('leaves short vectors as they are', () => {
    expect(sumOf([Float32Array.of(0.1, -0.2, 0, 0, 0, 0.3)])[5]).toBeCloseTo(0.3, 4);
  });
});
