import type { BaselineModel, FactorModel, ItemModel, NeighbourModel } from '@hushrec/model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scorerFor } from './scorer.js';

const items = 12;
const finite = (size: number) => fc.double({ min: -size, max: size, noNaN: true });
const vector = (length: number, size: number) =>
  fc.array(finite(size), { minLength: length, maxLength: length }).map((values) => Float32Array.from(values));
const feedback = fc.constantFrom('explicit' as const, 'implicit' as const);

const factors: fc.Arbitrary<FactorModel> = fc.record({
  kind: fc.constant('factors' as const),
  feedback,
  rank: fc.constant(3),
  itemFactors: vector(items * 3, 2),
  itemBias: vector(items, 1),
  offset: finite(4),
  personFeatures: fc.record({
    names: fc.constant(['young', 'old']),
    weights: fc.constant([1, 0.5]),
    factors: vector(9, 1),
  }),
  foldIn: fc.record({
    ridge: fc.double({ min: 0.01, max: 5, noNaN: true }),
    ridgeExponent: fc.double({ min: 0, max: 1, noNaN: true }),
    interceptRidge: fc.double({ min: 0.01, max: 5, noNaN: true }),
    unobservedWeight: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
});
const neighbours: fc.Arbitrary<NeighbourModel> = fc.record({
  kind: fc.constant('neighbours' as const),
  feedback,
  k: fc.constant(4),
  neighbours: fc
    .array(fc.uniqueArray(fc.integer({ min: 0, max: items - 1 }), { minLength: 0, maxLength: 4 }), {
      minLength: items,
      maxLength: items,
    })
    .map((rows) => Int32Array.from(rows.flatMap((row) => [...row, -1, -1, -1, -1].slice(0, 4)))),
  similarities: vector(items * 4, 1),
  itemBias: vector(items, 1),
  offset: finite(4),
  userShrinkage: fc.double({ min: 0.1, max: 10, noNaN: true }),
});
const baseline: fc.Arbitrary<BaselineModel> = fc.record({
  kind: fc.constant('baseline' as const),
  feedback,
  offset: finite(4),
  itemBias: vector(items, 1),
  userShrinkage: fc.double({ min: 0.1, max: 10, noNaN: true }),
});
const history = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: items - 1 }), fc.integer({ min: 1, max: 5 })), {
    selector: ([item]) => item,
    maxLength: items,
  })
  .map((pairs) => ({
    items: Uint32Array.from(pairs, ([item]) => item),
    ratings: Float64Array.from(pairs, ([, rating]) => rating),
    features: pairs.length % 2 === 0 ? [] : [pairs.length % 4 === 1 ? 0 : 1],
  }));

describe.each<[string, fc.Arbitrary<ItemModel>]>([
  ['factors', factors],
  ['neighbours', neighbours],
  ['baseline', baseline],
])('explanations of a %s model', (_, arbitraryModel) => {
  it('add up to the score', () => {
    fc.assert(
      fc.property(arbitraryModel, history, (model, own) => {
        const scorer = scorerFor(model, own);
        for (let item = 0; item < items; item++) {
          const total = scorer.contributions(item).reduce((sum, each) => sum + each, scorer.base(item));
          // Conditioning: ridge ≥ 0.01 and ‖v‖² ≤ 12 per item bound the loss of digits at about 1e4.
          expect(Math.abs(total - scorer.score(item))).toBeLessThan(1e-9 * (1 + Math.abs(total)));
        }
      }),
    );
  });
});

describe('scores of all items', () => {
  it('are those of the items one by one, to the last bit', () => {
    fc.assert(
      fc.property(factors, history, fc.integer({ min: 1, max: items }), (model, own, count) => {
        const some = { ...model, itemFactors: model.itemFactors.slice(0, 3 * count) };
        const kept = own.items.filter((item) => item < count);
        const scorer = scorerFor(some, { items: kept, ratings: own.ratings.slice(0, kept.length) });
        const all = scorer.scores!();
        expect(all).toHaveLength(count);
        all.forEach((score, item) => {
          expect(score).toBe(scorer.score(item));
        });
      }),
    );
  });
});

describe('neighbour scores', () => {
  const model: NeighbourModel = {
    kind: 'neighbours',
    feedback: 'explicit',
    k: 2,
    neighbours: Int32Array.of(1, 2, 0, -1, 0, 1),
    similarities: Float32Array.of(0.5, -0.25, 0.5, 0, -0.25, 0.125),
    itemBias: Float32Array.of(1, 0, -1),
    offset: 3,
    userShrinkage: 0,
  };
  it('are the similarity-weighted deviations worked out by hand', () => {
    // y = (4 − 3, 1 − 2) = (1, −1), U = 0; item 0: 3 + 1 + 0 + (0.5·1 + (−0.25)(−1))/0.75 = 5
    const scorer = scorerFor(model, { items: Uint32Array.of(1, 2), ratings: Float64Array.of(4, 1) });
    expect(scorer.score(0)).toBeCloseTo(5, 12);
  });
  it('are sums of similarities for implicit feedback', () => {
    const scorer = scorerFor(
      { ...model, feedback: 'implicit' },
      { items: Uint32Array.of(1, 2), ratings: Float64Array.of(1, 1) },
    );
    expect(scorer.score(0)).toBeCloseTo(0.25, 12);
  });
});
