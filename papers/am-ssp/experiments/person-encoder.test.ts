import '@hushrec/papers/register';
import { planRun, trainModel } from '@hushrec/factorize';
import type { FactorModel } from '@hushrec/model';
import { decodeItemModel, encodeItemModel, faultInItemModel } from '@hushrec/model/making';
import { createEngine } from '@hushrec/numerics';
import { foldIn, Recommender } from '@hushrec/recommend';
import { afterAll, describe, expect, it } from 'vitest';
import { solveOwn } from '../../shared/statistics/own-vectors.js';
import { generateKinds } from './generated-kinds.js';

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

const { ratings } = generateKinds({ people: 400, items: 30, perPerson: 8, kinds: 2, seed: 5 });
const settings = { rank: 4, rounds: 4, peopleFeatures: 'kind 0:1,kind 1:1' };
const train = async (given: Readonly<Record<string, unknown>>, people = ratings) =>
  (
    await trainModel({
      method: 'am-ssp',
      settings: { ...settings, ...given },
      ratings: people,
      engine,
      epsilon: 1000,
      delta: 1e-5,
      declaredPeople: 400,
      seed: 1,
    })
  ).model as FactorModel;
const ids = Array.from({ length: ratings.itemCount }, (_, item) => `item ${item}`);

describe('features of people', () => {
  it('make lists for people who rated nothing, by what they say about themselves', async () => {
    const recommender = new Recommender({ model: await train({}), itemIds: ids });
    const of = (about: readonly string[]) => recommender.recommend([], { k: 10, about });
    const [first, second] = [of(['kind 0']), of(['kind 1'])];
    expect(first.basis).toBe('features');
    // Items of kind k are those whose number leaves k.
    const share = ({ items }: typeof first, kind: number) =>
      items.filter(({ id }) => Number(id.slice(5)) % 2 === kind).length;
    expect(share(first, 0)).toBeGreaterThan(8);
    expect(share(second, 1)).toBeGreaterThan(8);
    expect(of([]).basis).not.toBe('features');
    expect(of(['tall']).unknown).toEqual(['tall']);
    expect(recommender.predict([], 'item 0', ['kind 0'])).toBeGreaterThan(
      recommender.predict([], 'item 0', ['kind 1'])!,
    );
  });

  it('are all that is new: without them nothing is expected, and no byte of the model changes', async () => {
    const without = await train({ peopleFeatures: '' });
    expect(without.personFeatures).toBeUndefined();
    const silent = await train({ peopleFeatures: '' }, { ...ratings, about: undefined } as never);
    expect(without).toEqual(silent);
  });

  it.each(['explicit', 'implicit'] as const)(
    'fit people on their devices as in training: %s',
    async (feedback) => {
      const model = await train({
        feedback,
        ...(feedback === 'implicit' && { unobservedWeight: 0.2, intercept: false }),
      });
      const { names, weights, factors } = model.personFeatures!;
      const items = { rowCount: ratings.itemCount, width: model.rank, data: model.itemFactors };
      const { interceptRidge, unobservedWeight, ridge, ridgeExponent } = model.foldIn;
      const trained = await solveOwn(
        {
          rows: ratings.byUser,
          about: ratings.about!,
          engine,
          coins: () => {
            throw new Error('Nobody tosses coins here.');
          },
          keep: (_name, _of, make) => make(),
        },
        {
          items,
          feedback,
          offset: model.offset,
          ridge,
          ridgeExponent,
          ...(interceptRidge !== undefined && { interceptRidge }),
          unobservedWeight,
          ...(unobservedWeight > 0 && { gramian: await engine.gramian(items) }),
          expected: { names, weights, factors: { rowCount: 3, width: model.rank, data: factors } },
        },
      );
      for (const user of [0, 1, 2, 57]) {
        const [begin, end] = [ratings.byUser.offsets[user], ratings.byUser.offsets[user + 1]];
        const own = foldIn(model, {
          items: ratings.byUser.indices.slice(begin, end),
          ratings: Float64Array.from(ratings.byUser.values.subarray(begin, end)),
          features: [user % 2],
        });
        own.vector.forEach((value, a) => {
          expect(value).toBeCloseTo(trained.factors.data[user * model.rank + a], 4);
        });
      }
    },
  );

  it('are written with a model and read again; damaged ones are refused', async () => {
    const model = await train({});
    const { description, tensors } = encodeItemModel(model, ratings.itemCount);
    expect(decodeItemModel(description, tensors, ratings.itemCount)).toEqual(model);
    expect(() =>
      decodeItemModel(description, { ...tensors, person_features: tensors.item_factors }, 30),
    ).toThrow(/person_features has shape/);
    const wrong = { ...model, personFeatures: { ...model.personFeatures!, weights: [1] } };
    expect(await faultInItemModel(wrong, 30)).toMatch(/list of 2 numbers/);
    expect(await faultInItemModel(model, 30)).toBeUndefined();
  });

  it('are refused where nobody was asked', async () => {
    const { about: _, ...silent } = ratings;
    await expect(train({}, silent)).rejects.toThrow(/this data has ratings alone/);
  });

  it('are refused where the sums have none', () => {
    const plan = (given: Readonly<Record<string, unknown>>) => () =>
      planRun({
        method: 'am-ssp',
        settings: { ...settings, ...given },
        ...{ itemCount: 30, scale: { min: 1, max: 5, step: 1 }, epsilon: 1, delta: 1e-5 },
      });
    for (const given of [{ loss: 'logistic' }, { samplingRate: 0.5 }, { unit: 'rating' }])
      expect(plan(given)).toThrow(/loss=squared, unit=user and samplingRate=1/);
    expect(plan({})).not.toThrow();
  });
});
