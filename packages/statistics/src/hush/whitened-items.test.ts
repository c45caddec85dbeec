import { createEngine, solvePositiveDefinite, zeroFactors } from '@hushrec/numerics';
import { SeededRandom } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { WhitenedItems } from './whitened-items.js';

const [people, itemCount, width] = [200, 300, 12];
const [ridge, unobservedWeight] = [0.005, 0.05];

/** People of 3 to 40 choices, and vectors of which the last `alike` directions are popularity alone. */
function generated(alike: number) {
  const random = new SeededRandom(5);
  const data = zeroFactors(itemCount, width);
  for (let item = 0; item < itemCount; item++)
    for (let k = 0; k < width; k++)
      data.data[item * width + k] = k < width - alike ? random.normal() : (1 + k) / (item + 10);
  const gramian = new Float64Array(width * width);
  for (let row = 0; row < data.data.length; row += width)
    for (let a = 0; a < width; a++)
      for (let b = 0; b < width; b++) gramian[a * width + b] += data.data[row + a] * data.data[row + b];
  const chosen = Array.from({ length: people }, (_, person) =>
    [...new Set(Array.from({ length: 3 + (person % 38) }, () => random.below(itemCount)))].sort(
      (a, b) => a - b,
    ),
  );
  const offsets = Uint32Array.of(0, ...chosen.map(({ length }) => length));
  for (let person = 0; person < people; person++) offsets[person + 1] += offsets[person];
  const indices = Uint32Array.from(chosen.flat());
  const values = new Float32Array(indices.length).fill(1);
  const rows = { rowCount: people, columnCount: itemCount, offsets, indices, values };
  return { items: data, gramian, rows, chosen };
}

/** u of someone with these choices, in float64. */
function tasteOf(chosen: readonly number[], { items, gramian }: ReturnType<typeof generated>) {
  const system = gramian.map((value) => unobservedWeight * value);
  const taste = new Float64Array(width);
  for (let a = 0; a < width; a++) system[a * width + a] += ridge;
  for (const item of chosen)
    for (let a = 0; a < width; a++) {
      taste[a] += items.data[item * width + a];
      for (let b = 0; b < width; b++)
        system[a * width + b] += items.data[item * width + a] * items.data[item * width + b];
    }
  solvePositiveDefinite(system, width, taste);
  return taste;
}

describe('items in units in which the common system is the identity', () => {
  it.each([0, 5])('give everybody the taste of her own system, with %s directions alike', async (alike) => {
    const given = generated(alike);
    const whitened = new WhitenedItems({ ...given, ridge, unobservedWeight });
    const engine = await createEngine({ threads: 1 });
    const out = zeroFactors(people, width);
    await engine.solveRows({ rows: given.rows, fixed: whitened.chosenBy(given.rows), out, ridge: 1 });
    whitened.backToTastes(out);
    await engine.close();
    for (let person = 0; person < people; person++) {
      const taste = tasteOf(given.chosen[person], given);
      const length = Math.hypot(...taste);
      for (let k = 0; k < width; k++)
        expect(Math.abs(out.data[person * width + k] - taste[k])).toBeLessThan(1e-4 * length);
    }
  });

  it('are computed for what was chosen, the same for one person as for all', () => {
    const given = generated(0);
    const whitened = new WhitenedItems({ ...given, ridge, unobservedWeight });
    const all = whitened.chosenBy(given.rows);
    const [first] = given.chosen;
    const alone = whitened.chosenBy({
      ...given.rows,
      rowCount: 1,
      offsets: given.rows.offsets.slice(0, 2),
      indices: Uint32Array.from(first),
    });
    for (let item = 0; item < itemCount; item++) {
      const row = alone.data.subarray(item * width, (item + 1) * width);
      if (first.includes(item)) expect(row).toEqual(all.data.subarray(item * width, (item + 1) * width));
      else expect(row.every((value) => value === 0)).toBe(true);
    }
  });

  it('refuse vectors that are not finite', () => {
    const given = generated(0);
    given.gramian[0] = Number.NaN;
    expect(() => new WhitenedItems({ ...given, ridge, unobservedWeight })).toThrow(/not positive definite/);
  });
});
