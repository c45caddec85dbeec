import type { FactorModel, ModelLoss } from '@hushrec/model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldIn } from './fold-in.js';
import { Recommender } from './recommender.js';
import { type IndexedHistory, scorerFor } from './scorer.js';

const logistic: ModelLoss = { kind: 'logistic', likedFrom: 4 };
const poisson: ModelLoss = { kind: 'poisson' };
const losses: [string, ModelLoss][] = [
  ['logistic', logistic],
  ['poisson', poisson],
];
const items = 10;
const finite = (size: number) => fc.double({ min: -size, max: size, noNaN: true });
const vector = (length: number, size: number) =>
  fc.array(finite(size), { minLength: length, maxLength: length }).map((values) => Float32Array.from(values));
const positive = fc.double({ min: 0.05, max: 5, noNaN: true });
const modelWith = (loss: ModelLoss): fc.Arbitrary<FactorModel> =>
  fc.record({
    kind: fc.constant('factors' as const),
    feedback: fc.constant('explicit' as const),
    loss: fc.constant(loss),
    rank: fc.constant(2),
    itemFactors: vector(items * 2, 2),
    itemBias: vector(items, 1),
    offset: finite(1),
    foldIn: fc.record({
      ridge: positive,
      ridgeExponent: fc.double({ min: 0, max: 1, noNaN: true }),
      ridgeCountOffset: fc.integer({ min: 0, max: 3 }),
      interceptRidge: positive,
      unobservedWeight: fc.constant(0),
    }),
  });
const history: fc.Arbitrary<IndexedHistory> = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: items - 1 }), fc.integer({ min: 1, max: 5 })), {
    selector: ([item]) => item,
    minLength: 1,
    maxLength: items,
  })
  .map((pairs) => ({
    items: Uint32Array.from(pairs, ([item]) => item),
    ratings: Float64Array.from(pairs, ([, rating]) => rating),
  }));

/** Half the objective of `FactorModel`'s doc comment, written out plainly for w = (u, c). */
function objective(model: FactorModel, own: IndexedHistory, w: readonly number[]): number {
  const { ridge, ridgeExponent, ridgeCountOffset = 0, interceptRidge = 0 } = model.foldIn;
  const d = model.rank;
  let value = 0.5 * interceptRidge * w[d] ** 2;
  for (let a = 0; a < d; a++)
    value += 0.5 * ridge * (own.items.length + ridgeCountOffset) ** ridgeExponent * w[a] ** 2;
  own.items.forEach((item, k) => {
    let z = model.offset + (model.itemBias?.[item] ?? 0) + w[d];
    for (let a = 0; a < d; a++) z += w[a] * model.itemFactors[item * d + a];
    const rating = own.ratings[k];
    value +=
      model.loss?.kind === 'logistic'
        ? Math.log(1 + Math.exp(rating >= 4 ? -z : z)) // −ln of the chance of what happened
        : Math.exp(z) - rating * z; // −ln of the Poisson chance of the count, but for a constant
  });
  return value;
}

/**
 * The simplest minimizer there is: one coordinate after the other, by golden section. Knows no derivative.
 */
function minimize(f: (w: readonly number[]) => number, width: number): number[] {
  const golden = (Math.sqrt(5) - 1) / 2;
  const w = new Array<number>(width).fill(0);
  for (let sweep = 0; sweep < 400; sweep++) {
    for (let a = 0; a < width; a++) {
      let [low, high] = [w[a] - 4 / (1 + sweep), w[a] + 4 / (1 + sweep)];
      const at = (x: number) => f(w.map((each, b) => (b === a ? x : each)));
      while (high - low > 1e-9) {
        const [left, right] = [high - golden * (high - low), low + golden * (high - low)];
        if (at(left) < at(right)) high = right;
        else low = left;
      }
      w[a] = (low + high) / 2;
    }
  }
  return w;
}

describe.each(losses)('the fold-in of a %s model', (kind, loss) => {
  it('finds the minimum that another optimizer finds', () => {
    fc.assert(
      fc.property(modelWith(loss), history, (model, own) => {
        const found = foldIn(model, own);
        const f = (w: readonly number[]) => objective(model, own, w);
        const slow = minimize(f, 3);
        const here = [...found.vector, found.intercept];
        // Never above what the other finds, whatever rounding allows; and the other came near, so that this
        // says something.
        expect(f(here)).toBeLessThanOrEqual(f(slow) + 1e-12 * (1 + Math.abs(f(slow))));
        expect(f(slow)).toBeLessThanOrEqual(f(here) + 1e-5 * (1 + Math.abs(f(here))));
      }),
      { numRuns: 12 },
    );
  });

  it('has no slope left, and explanations that add up to the score', () => {
    fc.assert(
      fc.property(modelWith(loss), history, (model, own) => {
        const scorer = scorerFor(model, own);
        for (let item = 0; item < items; item++) {
          const total = scorer.contributions(item).reduce((sum, each) => sum + each, scorer.base(item));
          expect(Math.abs(total - scorer.score(item))).toBeLessThan(1e-8 * (1 + Math.abs(total)));
        }
      }),
    );
  });

  it.each([
    ['huge vectors', 1e4, 5],
    ['huge counts', 1, 1e9],
    ['both', 100, 1e9],
    ['tiny vectors', 1e-6, 1],
  ])('stays finite: %s', (_, size, rating) => {
    const model: FactorModel = {
      kind: 'factors',
      feedback: 'explicit',
      loss,
      rank: 2,
      itemFactors: Float32Array.of(size, 0, size, size, -size, size),
      offset: 0,
      foldIn: { ridge: 1, ridgeExponent: 0, unobservedWeight: 0 },
    };
    const own = { items: Uint32Array.of(0, 1, 2), ratings: Float64Array.of(rating, 1, rating) };
    const { vector: u } = foldIn(model, own);
    expect(u.every(Number.isFinite), `${kind} ${u}`).toBe(true);
  });

  it('gives nothing for no history', () => {
    fc.assert(
      fc.property(modelWith(loss), (model) => {
        const { vector: u, intercept } = foldIn(model, {
          items: new Uint32Array(),
          ratings: new Float64Array(),
        });
        expect([...u, intercept]).toEqual([0, 0, 0]);
      }),
      { numRuns: 3 },
    );
  });
});

describe('recommendations by a loss', () => {
  // Items 0 … 4 are of one sort, 5 … 9 of the other.
  const sorted = (loss: ModelLoss): FactorModel => ({
    kind: 'factors',
    feedback: 'explicit',
    loss,
    rank: 2,
    itemFactors: Float32Array.from({ length: 20 }, (_, at) => (Math.floor(at / 10) === at % 2 ? 1.5 : -0.2)),
    offset: 0,
    foldIn: { ridge: 0.3, ridgeExponent: 0, unobservedWeight: 0 },
  });
  const itemIds = Array.from({ length: 10 }, (_, item) => `i${item}`);
  const scale = { min: 1, max: 5, step: 1 };

  it.each(losses)('%s: one star and five stars say opposite things', (_, loss) => {
    const recommender = new Recommender({ model: sorted(loss), itemIds, scale });
    const after = (rating: number) =>
      recommender.recommend(
        [0, 1, 2].map((item) => ({ id: `i${item}`, rating })),
        { k: 7 },
      );
    const [bad, good] = [after(1), after(5)];
    expect(
      good.items
        .slice(0, 2)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['i3', 'i4']);
    expect(bad.items[0].score).toBeLessThan(good.items[0].score);
    if (loss.kind === 'logistic') expect(bad.items.slice(5).map(({ id }) => id)).toEqual(['i3', 'i4']);
    expect(good.items[0].because.map(({ id }) => id).sort()).toEqual(['i0', 'i1', 'i2']);
    for (const { score } of [...bad.items, ...good.items]) {
      expect(score).toBeGreaterThanOrEqual(loss.kind === 'logistic' ? 0 : 1);
      expect(score).toBeLessThanOrEqual(loss.kind === 'logistic' ? 1 : 5);
    }
  });

  it('predict chances where they are chances, and counts on the scale where they are counts', () => {
    const liked = new Recommender({ model: sorted(logistic), itemIds, scale });
    const counted = new Recommender({ model: sorted(poisson), itemIds, scale });
    const own = [
      { id: 'i0', rating: 5 },
      { id: 'i5', rating: 1 },
    ];
    expect(liked.predict(own, 'i3')).toBeGreaterThan(0.6);
    expect(liked.predict(own, 'i8')).toBeLessThan(0.4);
    expect(counted.predict(own, 'i3')).toBeGreaterThan(3);
    expect(counted.predict(own, 'i8')).toBe(1);
    expect(() => liked.recommend([{ id: 'i0' }])).toThrow('has no rating');
  });
});
