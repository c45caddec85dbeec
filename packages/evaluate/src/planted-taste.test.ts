import '@hushrec/papers/register';
// What models recommend, for every method: tastes and qualities are planted, and a newcomer's own list must
// show them.
import { methods, type SettingValues, trainModel } from '@hushrec/factorize';
import type { ItemModel } from '@hushrec/model';
import { createEngine, csrFromTriples } from '@hushrec/numerics';
import { likedItems, type RatingMatrix, SeededRandom } from '@hushrec/ratings';
import { Recommender } from '@hushrec/recommend';
import { describe, expect, it } from 'vitest';
import { auc } from './metrics/auc.js';

const [people, items, tastes] = [240, 36, 3];
const tasteOf = (item: number) => item % tastes;
/** Every other item of a taste is better. */
const qualityOf = (item: number) => Math.floor(item / tastes) % 2;
const itemIds = Array.from({ length: items }, (_, item) => `i${item}`);

/**
 * Ratings from 1 to 5: 4 for the own taste, 2 for others, one more for better items, now and then a step
 * aside.
 */
function plantedRatings(): RatingMatrix {
  const random = new SeededRandom(3);
  const rows: [number, number, number][] = [];
  for (let person = 0; person < people; person++)
    for (let item = 0; item < items; item++) {
      const isOwn = tasteOf(item) === person % tastes;
      // People meet more of what they like, and more of what is good.
      if (random.uniform() > (isOwn ? 0.6 : 0.2) + 0.2 * qualityOf(item)) continue;
      const aside = random.uniform() < 0.1 ? (random.uniform() < 0.5 ? -1 : 1) : 0;
      rows.push([person, item, Math.max(1, Math.min(5, (isOwn ? 4 : 2) + qualityOf(item) + aside))]);
    }
  const [users, columns, values] = [0, 1, 2].map((k) => rows.map((row) => row[k]));
  return {
    userCount: people,
    itemCount: items,
    scale: { min: 1, max: 5, step: 1 },
    byUser: csrFromTriples(people, items, users, columns, values),
  };
}

const ratings = plantedRatings();
const choices = likedItems(ratings, 4);
const engine = await createEngine({ threads: 1 });

/**
 * Area under the curve of a newcomer's whole list, mean over the tastes: are items of the own taste above the
 * others, or good ones above bad ones? The newcomer has met six items of each taste.
 */
function aucOf(model: ItemModel, planted: 'taste' | 'quality', ids = itemIds): number {
  const recommender = new Recommender({ model, itemIds: ids, scale: ratings.scale });
  let [numerator, denominator] = [0, 0];
  for (let own = 0; own < tastes; own++) {
    const met = itemIds.slice(0, 18).map((id, item) => ({ id, isOwn: tasteOf(item) === own }));
    const history =
      model.feedback === 'explicit'
        ? met.map(({ id, isOwn }) => ({ id, rating: isOwn ? 5 : 1 }))
        : met.filter(({ isOwn }) => isOwn);
    const list = recommender.recommend(history, { k: items, reasons: 0 }).items;
    const shown = list.map(({ id }) => Number(id.slice(1))).filter((item) => item >= 18);
    const label = (item: number) => (planted === 'taste' ? Number(tasteOf(item) === own) : qualityOf(item));
    const heldOut = {
      labels: Float64Array.from(shown, label),
      predictions: new Float64Array(shown.length),
      scores: Float64Array.from(shown, (_, place) => -place),
    };
    const found = auc.of(heldOut);
    numerator += found.numerator;
    denominator += found.denominator;
  }
  return numerator / denominator;
}

/** Methods that rank alike for everybody: what they can find is quality. */
const impersonal = new Set(['popularity', 'item-average', 'global-effects', 'private-global-effects']);

/** Where its own defaults are not for so few people: what it takes to see what a method can find, and why. */
const needed: Readonly<Record<string, SettingValues>> = {
  // One direction is popularity; Frank–Wolfe finds one a round.
  'dp-fw choices': { rounds: 30 },
  // Five passes are few for vectors that begin at random.
  'private-sgd ratings': { rounds: 60 },
};

/**
 * Large enough that noise does not matter; its ratios must stay within what the sampler of single ratings can
 * draw.
 */
const epsilonOf = (method: string) => (method === 'input-perturbation' ? 100 : 1e4);

const cases: (readonly [string, 'ratings' | 'choices', SettingValues])[] = [
  ...methods
    // The same prediction for everything: there is no order to look at.
    .filter(({ id }) => id !== 'global-average')
    .flatMap(({ id, feedback, settings }) =>
      feedback.map((each) => {
        const kind = each === 'explicit' ? 'ratings' : 'choices';
        return [
          id,
          kind,
          { ...('feedback' in settings && { feedback: each }), ...needed[`${id} ${kind}`] },
        ] as const;
      }),
    ),
  ['am-ssp', 'ratings', { loss: 'logistic' }],
  ['am-ssp', 'ratings', { loss: 'poisson' }],
  ['am-ssp', 'ratings', { optimizer: 'adam', encoder: 'bag', learningRate: 0.05 }],
  ['am-ssp', 'ratings', { samplingRate: 0.5 }],
  ['am-ssp', 'ratings', { unit: 'rating' }],
];

describe('a newcomer’s list shows what was planted', () => {
  it.each(cases)('%s on %s %j', async (method, kind, settings) => {
    const isPrivate = methods.find(({ id }) => id === method)!.protects.length > 0;
    const { model } = await trainModel({
      method,
      ratings: kind === 'ratings' ? ratings : choices,
      settings,
      engine,
      seed: 1,
      declaredPeople: people,
      ...(isPrivate ? { epsilon: epsilonOf(method), delta: 1e-5 } : { epsilon: Infinity, delta: 0 }),
    });
    // The same vectors under other items' names: a model that is wrong does not pass.
    const mixed = itemIds.map((_, at) => itemIds[(at % 12) * 3 + Math.floor(at / 12)]);
    const planted = impersonal.has(method) ? 'quality' : 'taste';
    expect(aucOf(model, planted)).toBeGreaterThan(0.9);
    expect(aucOf(model, planted, mixed)).toBeLessThan(0.75);
  });
});
