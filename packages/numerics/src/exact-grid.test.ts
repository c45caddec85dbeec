import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from './create-engine.js';
import { csrFromTriples } from './csr-from-triples.js';
import type { Engine, ItemStatisticsJob } from './engine.js';
import { ExactnessError, gridScale, MAX_TARGET_BITS, MAX_VECTOR_BITS, onGrid } from './exact-grid.js';
import { zeroFactors } from './random-factors.js';

const float = (min: number, max: number) =>
  fc.float({ min: Math.fround(min), max: Math.fround(max), noNaN: true });

describe('rounding to the grid', () => {
  /**
   * |trunc(fl(√w · fl(v · s)))| · bound ≤ √w · |v| · 2^bits, in whole numbers: numbers are m · 2^e, so that both sides
   * become integers after multiplication with a power of two. This is what sensitivity rests on.
   */
  const exactly = (value: number): { mantissa: bigint; exponent: number } => {
    if (value === 0) return { mantissa: 0n, exponent: 0 };
    const exponent = Math.floor(Math.log2(Math.abs(value))) - 53;
    return { mantissa: BigInt(value * 2 ** -exponent), exponent };
  };

  it('never exceeds the number it stands for', () => {
    fc.assert(
      fc.property(
        float(-8, 8),
        float(0, 4),
        fc.constantFrom(0.1, 0.7, 1, 3, 8, 100),
        fc.integer({ min: 1, max: MAX_TARGET_BITS }),
        (value, root, bound, bits) => {
          const rounded = Math.trunc(Math.fround(root * onGrid(value, gridScale(bits, bound))));
          const v = exactly(Math.abs(value));
          const w = exactly(root);
          const b = exactly(bound);
          const left = BigInt(Math.abs(rounded)) * b.mantissa;
          const right = w.mantissa * v.mantissa;
          const shift = w.exponent + v.exponent + bits - b.exponent;
          const [l, r] = shift >= 0 ? [left, right << BigInt(shift)] : [left << BigInt(-shift), right];
          expect(l <= r).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('would exceed it without the margin', () => {
    // Without (1 − 2⁻²⁰) some number rounds up to an integer that it has not reached.
    let exceeded = 0;
    for (let k = 1; k < 20_000; k++) {
      const value = Math.fround(k / 20_000);
      const scale = Math.fround(2 ** 15 / 0.7);
      if (Math.trunc(Math.fround(value * scale)) > (value * 2 ** 15) / 0.7) exceeded++;
    }
    expect(exceeded).toBeGreaterThan(0);
  });

  it('loses less than one step and a millionth', () => {
    fc.assert(
      fc.property(float(-1, 1), (value) => {
        const exact = value * 2 ** MAX_VECTOR_BITS;
        const rounded = Math.trunc(onGrid(value, gridScale(MAX_VECTOR_BITS, 1)));
        expect(Math.abs(exact - rounded)).toBeLessThan(1 + 2 ** (MAX_VECTOR_BITS - 19));
      }),
    );
  });
});

describe.each(['scalar', 'simd'] as const)('exact sums of the %s kernels', (kernel) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ kernel, threads: 1 });
  });
  afterAll(() => engine.close());

  const byItem = csrFromTriples(2, 3, [0, 0, 1], [0, 2, 1], [1, -2, 3]);
  const job = (more: Partial<ItemStatisticsJob>): ItemStatisticsJob => ({
    byItem,
    users: zeroFactors(3, 4),
    vectorBound: 1,
    targetBound: 3,
    vectorBits: 15,
    targetBits: 15,
    matrices: true,
    begin: 0,
    end: 2,
    ...more,
  });
  const withUser = (value: number) => {
    const users = zeroFactors(3, 4);
    users.data[5] = value;
    return users;
  };

  it.each([
    ['a NaN in a vector', { users: withUser(Number.NaN) }, 'vectors'],
    ['a vector beyond its bound', { users: withUser(1.01) }, 'vectors'],
    ['an infinite vector', { users: withUser(-Infinity) }, 'vectors'],
    ['a target beyond its bound', { targetBound: 2.9 }, 'targets'],
    ['a NaN target', { targets: Float32Array.of(0, Number.NaN, 0) }, 'targets'],
    ['a negative root weight', { rootWeights: Float32Array.of(1, -1, 1) }, 'weights'],
    ['a NaN root weight', { rootWeights: Float32Array.of(1, Number.NaN, 1) }, 'weights'],
    ['too many bits', { vectorBits: 16 }, 'settings'],
    ['a bound of 0', { vectorBound: 0 }, 'settings'],
  ] as const)('refuse %s', async (_, more, input) => {
    const run = engine.itemStatistics(job(more));

    await expect(run).rejects.toMatchObject({ name: 'ExactnessError', input });
  });

  it('refuse sums that could reach 2^53, for users as for items', async () => {
    const many = 2 ** 23;
    const crowd = csrFromTriples(1, 1, [0], [0]);
    const offsets = Uint32Array.of(0, many);
    const huge = { ...crowd, offsets, indices: new Uint32Array(many), values: new Float32Array(many) };
    await expect(
      engine.itemStatistics(job({ byItem: huge, users: zeroFactors(1, 1), targetBits: 22, end: 1 })),
    ).rejects.toThrow(ExactnessError);
    const rowCount = 2 ** 23;
    const everybody = { rowCount, width: 1, data: new Float32Array(rowCount) };
    await expect(engine.exactGramian({ users: everybody, vectorBound: 1, vectorBits: 15 })).rejects.toThrow(
      /2\^53/,
    );
  });
});
