import { arbitraryPeople, ratingsOf } from '@hushrec/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contributionsByItem } from '../../../packages/statistics/src/contributions.js';
import { adaptiveWeights } from './adaptive-weights.js';

const itemCount = 12;

describe('adaptiveWeights', () => {
  it('spends the whole budget of every person, never more, over the items really used', () => {
    const counts = fc.array(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), {
      minLength: itemCount,
      maxLength: itemCount,
    });
    fc.assert(
      fc.property(
        arbitraryPeople(itemCount),
        counts,
        fc.constantFrom(0, 0.25, 1 / 3, 0.5, 1),
        fc.constantFrom(1, 100),
        (people, released, exponent, budget) => {
          const { byUser } = ratingsOf(people, itemCount);
          const { rootWeights } = adaptiveWeights(byUser, released, exponent, budget);
          for (let user = 0; user < byUser.rowCount; user++) {
            const own = rootWeights!.subarray(byUser.offsets[user], byUser.offsets[user + 1]);
            if (own.length === 0) continue;
            const spent = own.reduce((sum, root) => sum + root ** 4, 0);
            expect(spent).toBeLessThanOrEqual(budget);
            expect(spent).toBeGreaterThan(budget * (1 - 1e-5));
          }
        },
      ),
    );
  });

  it.each([0, -1, Number.NaN, Infinity])('refuses a budget of %s: influence would be unbounded', (budget) => {
    const { byUser } = ratingsOf([{ name: 'one', items: [0], ratings: [3] }], 1);
    expect(() => adaptiveWeights(byUser, [1], 0.5, budget)).toThrow(`The weight budget is ${budget}`);
  });

  it('prefers rare items by the exponent', () => {
    const { byUser } = ratingsOf([{ name: 'two', items: [0, 1], ratings: [3, 3] }], 2);
    const [rare, common] = adaptiveWeights(byUser, [1, 16], 0.5, 1).rootWeights!.map((root) => root ** 2);
    expect(rare / common).toBeCloseTo(4, 5);
  });

  it('depends on no one else', () => {
    const other = { name: 'other', items: [0, 3, 4], ratings: [1, 1, 1] };
    const me = { name: 'me', items: [1, 3], ratings: [2, 5] };
    const released = [3, 4, 5, 6, 7];
    const alone = adaptiveWeights(ratingsOf([me], 5).byUser, released, 0.25, 1).rootWeights!;
    const together = adaptiveWeights(ratingsOf([other, me], 5).byUser, released, 0.25, 1).rootWeights!;
    expect([...together.subarray(3)]).toEqual([...alone]);
  });

  it('follows its entries when turned round', () => {
    const { byUser } = ratingsOf(
      [
        { name: 'a', items: [0, 2], ratings: [1, 2] },
        { name: 'b', items: [0], ratings: [3] },
      ],
      3,
    );
    const contributions = adaptiveWeights(byUser, [1, 1, 8], 1, 1);
    const turned = contributionsByItem(contributions);
    expect([...turned.byItem.values]).toEqual([1, 3, 2]);
    const [first, second, third] = contributions.rootWeights!;
    expect([...turned.rootWeights!]).toEqual([first, third, second]);
  });

  it.each([0, -1, Number.NaN, Infinity])('refuses the count %f', (count) => {
    const { byUser } = ratingsOf([{ name: 'a', items: [0], ratings: [1] }], 1);
    expect(() => adaptiveWeights(byUser, [count], 0.25, 1)).toThrow(/Floor the counts/);
  });
});
