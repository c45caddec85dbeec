import { trainModel } from '@hushrec/factorize';
import { createEngine } from '@hushrec/numerics';
import { generateCatalogue, likedItems, withoutRatings } from '@hushrec/ratings';
import { itemCountOf, Recommender, scorerFor, topK } from '@hushrec/recommend';
import { describe, expect, it } from 'vitest';
import { historyOf } from './people.js';
import { rankItems } from './rank-items.js';

const engine = await createEngine({ threads: 1 });
const { ratings } = generateCatalogue({ users: 60, items: 40, ratings: 900, seed: 6 });

describe('rankItems', () => {
  it.each([
    ['als', { rank: 4, rounds: 4 }],
    ['ials', { rank: 4, rounds: 4 }],
    ['knn', { neighbours: 8 }],
    ['knn', { neighbours: 8, feedback: 'implicit' }],
    ['ease', { ridge: 5 }],
    ['ease', { ridge: 5, neighbours: 8 }],
    ['global-effects', {}],
    ['popularity', {}],
  ])('shows each person what their own device would: %s %j', async (method, settings) => {
    const { model } = await trainModel({
      method,
      settings,
      ratings,
      engine,
      epsilon: Infinity,
      delta: 0,
      seed: 1,
    });
    const { items } = await rankItems(engine, model, ratings.byUser, 5);
    for (let user = 0; user < ratings.userCount; user++) {
      const own = historyOf(ratings.byUser, user);
      const scorer = scorerFor(model, own);
      const expected = topK(itemCountOf(model), scorer.score, 5, new Set(own.items));
      const shown = Array.from(items.subarray(user * 5, user * 5 + 5)).filter((item) => item >= 0);
      expect(shown).toHaveLength(expected.items.length);
      shown.forEach((item, place) => {
        expect(own.items.includes(item)).toBe(false);
        // Places may swap where scores tie up to the engine's float32; the scores at each place agree.
        expect(scorer.score(item)).toBeCloseTo(expected.scores[place], 3);
      });
    }
  });
});

it('shows people without a history what is popular, as the recommender does', async () => {
  const { model } = await trainModel({
    method: 'hush',
    settings: { feedback: 'implicit', rank: 3 },
    ratings: likedItems(ratings, 3.5),
    engine,
    epsilon: Infinity,
    delta: 0,
  });
  const nobody = withoutRatings(2, ratings).byUser;
  const { items } = await rankItems(engine, model, nobody, 5);
  const itemIds = Array.from({ length: ratings.itemCount }, (_, item) => `${item}`);
  const shown = new Recommender({ model, itemIds }).recommend([], { k: 5 });
  expect(shown.basis).toBe('popularity');
  const ids = shown.items.map(({ id }) => Number(id));
  expect([...items]).toEqual([...ids, ...ids]);
});
