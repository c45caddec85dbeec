import { describe, expect, it } from 'vitest';
import { PeopleNames, peopleCoins } from './person-coins.js';
import { RunSecret } from './run-secret.js';

const people = Array.from({ length: 20_000 }, (_, i) => `person ${i}`);
const key = Uint8Array.from({ length: 32 }, (_, i) => 11 * i + 5);
const tossedBy = (ids: readonly string[]) => {
  const source = peopleCoins(new RunSecret({ key }));
  const names = new PeopleNames(ids.length, ids);
  return { line: (label: string, occurrence: number) => names.coins(source.line(label, occurrence)) };
};
const coins = tossedBy(people);

describe('coins of people', () => {
  it('belong to the person: nobody’s depend on who else is there, or on the order', () => {
    const some = people.filter((_, i) => i % 3 !== 0).reverse();
    const others = tossedBy(some);
    some.slice(0, 500).forEach((id, row) => {
      const before = people.indexOf(id);
      expect(others.line('batch', 4).uniform(row)).toBe(coins.line('batch', 4).uniform(before));
      expect(others.line('batch', 4).uniformFor(row, 9)).toBe(coins.line('batch', 4).uniformFor(before, 9));
    });
  });

  it('begin a stream with the single coin, and go on in blocks', () => {
    const line = coins.line('batch', 0);
    const stream = line.stream(17);
    const first = Array.from({ length: 20 }, () => stream());
    expect(first[0]).toBe(line.uniform(17));
    expect(first[8]).toBe(line.uniformFor(17, 1));
    expect(new Set(first).size).toBe(20);
  });

  it('have 53 bits', () => {
    const line = coins.line('batch', 0);
    // The lowest of 53 bits is 0 for all of 200 draws with probability 2⁻²⁰⁰.
    const lowest = Array.from({ length: 200 }, (_, row) => (line.uniform(row) * 2 ** 53) % 2);
    expect(lowest).toContain(1);
    expect(lowest).toContain(0);
  });

  it('refuses a person who is not there, and ids that are not one a row', () => {
    expect(() => coins.line('batch', 0).uniform(people.length)).toThrow(RangeError);
    const keys = peopleCoins(new RunSecret()).line('x', 0);
    expect(() => new PeopleNames(3, ['a', 'b']).coins(keys)).toThrow(/3 people and 2 ids/);
  });

  const rate = 0.2;
  const sizeOf = (line: string, step: number, who: (row: number) => boolean = () => true) => {
    const own = coins.line(line, step);
    let size = 0;
    for (let row = 0; row < people.length; row++) if (who(row) && own.uniform(row) < rate) size++;
    return size;
  };
  const zOf = (size: number, expected: number, chance: number, n: number) =>
    (size - expected) / Math.sqrt(n * chance * (1 - chance));

  // Poisson sampling: sizes are binomial. Σz² over 40 steps is χ²₄₀: above 130 with probability below 1e-10,
  // below 5 with probability below 1e-10. A batch of fixed size gives 0; one sample for all steps gives 40z²,
  // beyond these unless |z| is in (0.36, 1.8).
  it('give samples whose size is binomial, not fixed', () => {
    let sum = 0;
    for (let step = 0; step < 40; step++)
      sum += zOf(sizeOf('batch', step), people.length * rate, rate, people.length) ** 2;
    expect(sum).toBeGreaterThan(5);
    expect(sum).toBeLessThan(130);
  });

  // Both in two different samples: binomial with q². |z| > 6.5 has probability below 1e-10; one sample for
  // all steps gives z = 283.
  it('are independent between steps and between lines', () => {
    const both = (a: [string, number], b: [string, number]) => {
      const [first, second] = [coins.line(...a), coins.line(...b)];
      let size = 0;
      for (let row = 0; row < people.length; row++)
        if (first.uniform(row) < rate && second.uniform(row) < rate) size++;
      return zOf(size, people.length * rate ** 2, rate ** 2, people.length);
    };
    for (const other of [
      ['batch', 1],
      ['batch', 2],
      ['sums', 0],
    ] as const)
      expect(Math.abs(both(['batch', 0], [...other]))).toBeLessThan(6.5);
    expect(both(['batch', 0], ['batch', 0])).toBeGreaterThan(100);
  });
});
