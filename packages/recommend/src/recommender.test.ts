import type { FactorModel } from '@hushrec/model';
import { describe, expect, it } from 'vitest';
import { HistoryError, type RecommendableModel, Recommender } from './recommender.js';

// Two tastes on a checkerboard: items a, c, e point one way, items b, d, f the other.
const model: FactorModel = {
  kind: 'factors',
  feedback: 'explicit',
  rank: 2,
  itemFactors: Float32Array.of(1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1),
  itemBias: Float32Array.of(0, 0, 0.1, 0.2, 0, 0),
  offset: 3,
  foldIn: { ridge: 0.1, ridgeExponent: 0, unobservedWeight: 0 },
};
const published: RecommendableModel = {
  model,
  itemIds: ['a', 'b', 'c', 'd', 'e', 'f'],
  titles: ['Amber', 'Birch', '', '', '', ''],
  scale: { min: 1, max: 5, step: 1 },
};

describe('Recommender', () => {
  const likesOdd = [
    { id: 'a', rating: 5 },
    { id: 'b', rating: 1 },
  ];
  it('ranks the taste the history shows, leaves the history out and says why', () => {
    const { items, basis, unknown } = new Recommender(published).recommend(likesOdd, { k: 4 });
    expect(basis).toBe('history');
    expect(unknown).toEqual([]);
    expect(items.map((each) => each.id)).toEqual(['c', 'e', 'd', 'f']);
    // The average item points half this way and half the other.
    expect(items[0].because).toEqual([
      { id: 'a', title: 'Amber', contribution: expect.closeTo(1 / 1.1, 6) },
      { id: 'b', title: 'Birch', contribution: expect.closeTo(1 / 1.1, 6) },
    ]);
    expect(items[0].score).toBeCloseTo(3.1 + 2 / 1.1, 5);
    expect(items[2].because).toEqual([]); // disliking b is no reason to be shown d
  });
  it('gives links and images that are web addresses, and no others', () => {
    const links = ['', '', 'https://shop.example/c', 'javascript:alert(1)', '/e', '//elsewhere.example/f'];
    const { items } = new Recommender({ ...published, links, images: links }).recommend(likesOdd, { k: 4 });
    expect(items.map(({ id, link, image }) => [id, link, image])).toEqual([
      ['c', 'https://shop.example/c', 'https://shop.example/c'],
      ['e', '/e', '/e'],
      ['d', undefined, undefined],
      ['f', undefined, undefined],
    ]);
  });
  it('falls back on released popularity, without reasons, where the certificate says that noise rules', () => {
    const counted = { ...published, model: { ...model, popularity: Float32Array.of(1, 2, 3, 4, 5, 6) } };
    const usefulness = {
      items: 6,
      itemsAboveNoise: 0,
      counts: { head: 2, tail: null },
      verdict: 'too-noisy',
      needed: 8,
    } as const;
    const noisy = new Recommender({ ...counted, usefulness });
    const result = noisy.recommend(likesOdd, { k: 4 });
    expect(result).toMatchObject({ basis: 'popularity', tooNoisy: true });
    expect(result.items.map(({ id, because }) => [id, because])).toEqual([
      ['f', []],
      ['e', []],
      ['d', []],
      ['c', []],
    ]);
    expect(noisy.recommend([])).toMatchObject({ basis: 'popularity', tooNoisy: false });
    const weak = new Recommender({ ...counted, usefulness: { ...usefulness, verdict: 'weak' } });
    expect(weak.recommend(likesOdd)).toMatchObject({ basis: 'history', tooNoisy: false });
  });
  it('gives reasons that lift their item more than the average item, and no intercept as one', () => {
    const level = { ...model.foldIn, interceptRidge: 0.5 };
    const withLevel = { ...published, model: { ...model, foldIn: level } };
    // f lifts everything, as it stands far above the rest; nothing of that is a reason for c.
    const { items } = new Recommender(withLevel).recommend(
      [
        { id: 'a', rating: 4 },
        { id: 'f', rating: 5 },
      ],
      { k: 3 },
    );
    const c = items.find(({ id }) => id === 'c');
    expect(c?.because.map(({ id }) => id)).not.toContain('f');
  });
  it('says that a list is the same for everyone where there are no vectors, and gives no reasons', () => {
    const flat = { ...published, model: { ...model, itemFactors: new Float32Array(12) } };
    const byMeans = new Recommender(flat).recommend(likesOdd, { k: 2 });
    expect(byMeans).toMatchObject({ basis: 'item-means', sameForAll: true });
    expect(byMeans.items.map(({ id, because }) => [id, because])).toEqual([
      ['d', []],
      ['c', []],
    ]);
    // Popularity as `hush` publishes it: one direction in which all items have their count.
    const counts = Float32Array.of(1, 2, 3, 4, 5, 6);
    const popular: FactorModel = {
      kind: 'factors',
      feedback: 'implicit',
      rank: 1,
      itemFactors: counts,
      offset: 0,
      foldIn: { ridge: 1, ridgeExponent: 0, unobservedWeight: 0 },
      popularity: counts,
    };
    const { itemIds } = published;
    const byCounts = new Recommender({ model: popular, itemIds }).recommend([{ id: 'f' }], { k: 2 });
    expect(byCounts).toMatchObject({ basis: 'popularity', sameForAll: true, tooNoisy: false });
    expect(byCounts.items.map(({ id, because }) => [id, because])).toEqual([
      ['e', []],
      ['d', []],
    ]);
    expect(new Recommender(published).recommend(likesOdd)).toMatchObject({ sameForAll: false });
  });
  describe('of a model that learned from grades', () => {
    const graded: FactorModel = {
      kind: 'factors',
      feedback: 'implicit',
      rank: 2,
      itemFactors: model.itemFactors,
      offset: 0,
      foldIn: { ridge: 0.1, ridgeExponent: 0, unobservedWeight: 0, grades: { min: 1, max: 5 } },
      popularity: Float32Array.of(1, 9, 1, 1, 5, 1),
    };
    const recommender = new Recommender({ model: graded, itemIds: published.itemIds });
    it('takes a low rating for something seen and not liked', () => {
      const { items } = recommender.recommend(likesOdd, { k: 4 });
      expect(items.map(({ id }) => id)).toEqual(['c', 'e', 'd', 'f']);
      expect(items[0].score).toBeCloseTo(1 / 1.1, 6);
      expect(items[2].score).toBe(0);
      expect(items[0].because.map(({ id }) => id)).toEqual(['a']);
    });
    it('weighs what is between by its grade, and something without a rating as the best', () => {
      expect(recommender.predict([{ id: 'a', rating: 3 }], 'c')).toBeCloseTo(0.5 / 0.6, 6);
      expect(recommender.predict([{ id: 'a' }], 'c')).toBe(
        recommender.predict([{ id: 'a', rating: 5 }], 'c'),
      );
    });
    it('falls back on what is popular where nothing was liked, without what was seen', () => {
      const { basis, items } = recommender.recommend([{ id: 'b', rating: 1 }], { k: 1 });
      expect([basis, items[0].id]).toEqual(['popularity', 'e']);
    });
    it('refuses a rating outside of its scale', () => {
      expect(() => recommender.recommend([{ id: 'a', rating: 10 }])).toThrow(
        /outside the model's scale 1 to 5/,
      );
    });
  });
  it('clamps to the declared scale', () => {
    const keen = { ...published, model: { ...model, offset: 4.9 } };
    for (const { score } of new Recommender(keen).recommend(likesOdd).items)
      expect(score).toBeLessThanOrEqual(5);
  });
  it('reports ids it does not know and lets a later line replace an earlier one', () => {
    const result = new Recommender(published).recommend([
      { id: 'zebra', rating: 3 },
      { id: 'a', rating: 1 },
      ...likesOdd,
    ]);
    expect(result.unknown).toEqual(['zebra']);
    expect(result.items[0].id).toBe('c');
  });
  it('climbs down the ladder without a usable history: popularity, then the items’ own means', () => {
    const byMeans = new Recommender(published).recommend([{ id: 'zebra', rating: 3 }], { k: 2 });
    expect(byMeans.basis).toBe('item-means');
    expect(byMeans.items.map((each) => each.id)).toEqual(['d', 'c']);
    const popular = { ...published, model: { ...model, popularity: Float32Array.of(1, 9, 1, 1, 5, 1) } };
    const byPopularity = new Recommender(popular).recommend([], { k: 2 });
    expect(byPopularity.basis).toBe('popularity');
    expect(byPopularity.items.map((each) => each.id)).toEqual(['b', 'e']);
  });
  it('predicts one item', () => {
    const recommender = new Recommender(published);
    expect(recommender.predict(likesOdd, 'c')).toBeCloseTo(3.1 + 2 / 1.1, 5);
    expect(recommender.predict(likesOdd, 'nothing')).toBeUndefined();
  });
  it.each([
    [{ id: 'a' }, /no rating/],
    [{ id: 'a', rating: 11 }, /outside the model's scale 1 to 5/],
    [{ id: 'a', rating: Number.NaN }, /no rating/],
  ])('refuses %j with the line and without repeating the rating', (entry, message) => {
    const attempt = () => new Recommender(published).recommend([{ id: 'b', rating: 2 }, entry]);
    expect(attempt).toThrow(HistoryError);
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(/Line 2/);
    expect(attempt).not.toThrow(/11/);
  });
  it('refuses a model whose ids do not match its tensors', () => {
    expect(() => new Recommender({ ...published, itemIds: ['a'] })).toThrow(/items and 1 item ids/);
  });
});
