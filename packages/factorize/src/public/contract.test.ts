import type { ItemModel } from '@hushrec/model';
import { createEngine, csrFromTriples } from '@hushrec/numerics';
import type { RatingMatrix } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { trainModel } from '../train.js';
import { publicMethods } from './methods.js';

const engine = await createEngine({ threads: 1 });

// 12 people and 9 items; person 11 rated nothing and nobody rated item 8.
const pairs = Array.from({ length: 88 }, (_, k) => [k % 11, (k * 5 + Math.floor(k / 11)) % 8] as const);
const unique = [...new Map(pairs.map((pair) => [pair.join(), pair])).values()];
const ratings: RatingMatrix = {
  userCount: 12,
  itemCount: 9,
  scale: { min: 1, max: 5, step: 1 },
  byUser: csrFromTriples(
    12,
    9,
    unique.map(([user]) => user),
    unique.map(([, item]) => item),
    unique.map(([user, item]) => 1 + ((user * item) % 5)),
  ),
};
const nothing: RatingMatrix = { ...ratings, byUser: csrFromTriples(12, 9, [], []) };

function numbersOf(model: ItemModel): number[] {
  switch (model.kind) {
    case 'factors':
      return [...model.itemFactors, ...(model.itemBias ?? []), model.offset];
    case 'neighbours':
      return [...model.similarities, ...model.neighbours, ...(model.itemBias ?? []), model.offset];
    case 'baseline':
      return [...model.itemBias, model.offset];
    default:
      return model satisfies never;
  }
}

describe.each(publicMethods.map((method) => [method.id, method] as const))('%s', (_, method) => {
  const choices =
    method.settings['feedback'] === undefined ? [{}] : [{ feedback: 'explicit' }, { feedback: 'implicit' }];
  const short = {
    ...(method.settings['rounds'] && { rounds: 3 }),
    ...(method.settings['rank'] && { rank: 4 }),
  };
  const train = (data: RatingMatrix, feedback: object, hooks = {}) =>
    trainModel({
      method,
      settings: { ...short, ...feedback },
      ratings: data,
      engine,
      epsilon: Infinity,
      delta: 0,
      seed: 1,
      hooks,
    });

  it.each(choices)(
    'gives finite numbers, the same for the same seed, also for people and items without ratings: %j',
    async (feedback) => {
      const { model } = await train(ratings, feedback);
      expect(numbersOf(model).every(Number.isFinite)).toBe(true);
      expect(method.feedback).toContain(model.feedback);
      expect(numbersOf((await train(ratings, feedback)).model)).toEqual(numbersOf(model));
    },
  );
  it.each(choices)('survives a data set without a single rating: %j', async (feedback) => {
    const { model } = await train(nothing, feedback);
    expect(numbersOf(model).every(Number.isFinite)).toBe(true);
  });
  it('promises nothing: no releases are planned and the record is non-private', async () => {
    const { record, plan } = await train(ratings, {});
    expect(method.protects).toEqual([]);
    expect(plan.releases).toEqual([]);
    expect(record.event.kind).toBe('non-private');
  });
  it('stops when aborted', async () => {
    await expect(train(ratings, {}, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });
});
