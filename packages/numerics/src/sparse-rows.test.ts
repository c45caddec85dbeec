import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Csr } from './csr.js';
import { csrFromTriples, TriplesError } from './csr-from-triples.js';
import { randomFactors } from './random-factors.js';
import { reorder, transpose, transposeWithOrder } from './transpose.js';

const triples = fc
  .record({ rows: fc.integer({ min: 1, max: 8 }), columns: fc.integer({ min: 1, max: 8 }) })
  .chain((shape) =>
    fc
      .uniqueArray(
        fc.tuple(fc.nat(shape.rows - 1), fc.nat(shape.columns - 1), fc.integer({ min: -9, max: 9 })),
        {
          selector: ([row, column]) => row * 100 + column,
        },
      )
      .map((entries) => ({ ...shape, entries })),
  );

interface Triples {
  readonly rows: number;
  readonly columns: number;
  readonly entries: readonly (readonly [row: number, column: number, value: number])[];
}

const rowsOf = ({ rows, columns, entries }: Triples) =>
  csrFromTriples(
    rows,
    columns,
    entries.map(([row]) => row),
    entries.map(([, column]) => column),
    entries.map(([, , value]) => value),
  );

const entriesOf = (csr: Csr) => {
  const entries: [number, number, number][] = [];
  for (let row = 0; row < csr.rowCount; row++)
    for (let k = csr.offsets[row]; k < csr.offsets[row + 1]; k++)
      entries.push([row, csr.indices[k], csr.values[k]]);
  return entries;
};

describe('sparse rows', () => {
  it('hold exactly the triples, by row, then by column', () => {
    fc.assert(
      fc.property(triples, (given) => {
        const csr = rowsOf(given);
        const sorted = [...given.entries].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        expect(entriesOf(csr)).toEqual(sorted);
      }),
    );
  });

  it('transpose back to themselves, and carry aligned arrays along', () => {
    fc.assert(
      fc.property(triples, (given) => {
        const csr = rowsOf(given);
        const turned = transposeWithOrder(csr);
        expect(transpose(turned.csr)).toEqual(csr);
        expect(reorder(csr.values, turned.order)).toEqual(turned.csr.values);
      }),
    );
  });

  it('refuse indices out of range and repeated pairs', () => {
    expect(() => csrFromTriples(2, 2, [0, 2], [0, 0])).toThrow(TriplesError);
    expect(() => csrFromTriples(2, 2, [0, 1], [0, -1])).toThrow(/column outside/);
    expect(() => csrFromTriples(2, 2, [0, 0], [1, 1])).toThrow(/twice/);
    expect(() => csrFromTriples(2, 2, [0], [1, 1])).toThrow(/lengths/);
  });
});

describe('random factors', () => {
  it('have the standard deviation asked for, and repeat with the same generator', () => {
    const generator = (seed: number) => () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed / 2 ** 32;
    };
    const factors = randomFactors(500, 41, 0.25, generator(1));
    expect(randomFactors(500, 41, 0.25, generator(1))).toEqual(factors);
    const meanSquare = factors.data.reduce((sum, x) => sum + x * x, 0) / factors.data.length;
    // Deterministic: the generator is seeded. 20,500 draws give the variance to about 1 %.
    expect(meanSquare / 0.25 ** 2).toBeGreaterThan(0.95);
    expect(meanSquare / 0.25 ** 2).toBeLessThan(1.05);
  });
});
