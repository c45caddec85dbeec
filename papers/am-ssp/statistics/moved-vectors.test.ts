import { createEngine, type Engine } from '@hushrec/numerics';
import { type Person, ratingsOf } from '@hushrec/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PeopleShare } from '../../../packages/statistics/src/people/people.js';
import { type MovedQuestion, ownVectors } from './moved-vectors.js';

const itemCount = 6;
const width = 3;
const people: readonly Person[] = [
  { name: 'three', items: [0, 2, 5], ratings: [5, 3, 1] },
  { name: 'one', items: [4], ratings: [2] },
  { name: 'nothing', items: [], ratings: [] },
];
const items = (shift: number) => ({
  rowCount: itemCount,
  width,
  data: Float32Array.from({ length: itemCount * width }, (_, at) => Math.sin(1.3 * at + shift)),
});
const gramian = Float64Array.of(2, 0.3, -0.2, 0.3, 1.5, 0.1, -0.2, 0.1, 1.1);

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.close());

function share(): PeopleShare {
  let kept: unknown;
  return {
    rows: ratingsOf(people, itemCount).byUser,
    engine,
    coins: () => {
      throw new Error('Nobody tosses coins here.');
    },
    keep: <T>(_: string, __: object, make: (previous?: T) => T) => {
      kept = make(kept as T | undefined);
      return kept as T;
    },
  };
}

const question = (feedback: MovedQuestion['feedback']): MovedQuestion => ({
  kind: 'moved',
  path: [0, 1, 2].map((step) => ({ items: items(step), ...(feedback === 'implicit' && { gramian }) })),
  steps: 3,
  feedback,
  offset: 0.7,
  rate: 0.5,
  ridge: 0.2,
  ridgeExponent: 0.5,
  unobservedWeight: 0.1,
  ...(feedback === 'explicit' && { interceptRidge: 2 }),
});

/** A person's loss, of which every step goes down the slope. */
function loss({ items: rated, ratings }: Person, asked: MovedQuestion, step: number, at: readonly number[]) {
  const { items: all, gramian: seen } = asked.path[step];
  const [intercept, ...own] = at;
  const dot = (vector: ArrayLike<number>) => own.reduce((sum, value, a) => sum + value * vector[a], 0);
  const rest = own.map((_, a) => dot(Float64Array.from(own, (__, b) => seen?.[a * width + b] ?? 0)));
  const errors = rated.map((item, k) => {
    const rating = asked.feedback === 'implicit' ? 1 : ratings[k];
    return asked.offset + intercept + dot(all.data.subarray(item * width, (item + 1) * width)) - rating;
  });
  const ridge = asked.ridge * rated.length ** asked.ridgeExponent;
  const squares = (values: readonly number[]) => values.reduce((sum, value) => sum + value * value, 0);
  return (
    (squares(errors) +
      ridge * squares(own) +
      (asked.interceptRidge ?? 0) * intercept ** 2 +
      asked.unobservedWeight * dot(rest)) /
    2
  );
}

/** The same steps, with slopes by central differences: exact for a quadratic but for rounding. */
function movedBy(person: Person, asked: MovedQuestion): readonly number[] {
  let at = Array.from({ length: width + 1 }, () => 0);
  const trace = [0, 1, 2].reduce((sum, a) => sum + gramian[a * width + a], 0);
  for (let step = 0; step < asked.steps; step++) {
    const { data } = asked.path[step].items;
    const slope = at.map((_, k) => {
      const [up, down] = [0.5, -0.5].map((by) => at.map((value, l) => (l === k ? value + by : value)));
      return loss(person, asked, step, up) - loss(person, asked, step, down);
    });
    const rated = person.items.flatMap((item) => [...data.subarray(item * width, (item + 1) * width)]);
    const curvature =
      asked.ridge * person.items.length ** asked.ridgeExponent +
      rated.reduce((sum, value) => sum + value * value, 0) +
      (asked.feedback === 'implicit' ? asked.unobservedWeight * trace : 0);
    const ofIntercept = person.items.length + (asked.interceptRidge ?? 0);
    at = at.map((value, k) =>
      k > 0
        ? value - (asked.rate * slope[k]) / curvature
        : asked.interceptRidge === undefined
          ? 0
          : value - (asked.rate * slope[0]) / ofIntercept,
    );
  }
  return at;
}

it.each(['explicit', 'implicit'] as const)(
  'moves everyone down the slope of her own loss, %s feedback',
  async (feedback) => {
    const asked = question(feedback);
    const { factors, intercept } = await ownVectors(share(), asked);
    for (const [user, person] of people.slice(0, 2).entries()) {
      const [level, ...own] = movedBy(person, asked);
      for (let a = 0; a < width; a++) expect(factors.data[user * width + a]).toBeCloseTo(own[a], 5);
      if (feedback === 'explicit') expect(intercept?.[user]).toBeCloseTo(level, 5);
      else expect(intercept).toBeUndefined();
    }
    expect([...factors.data.subarray(2 * width)]).toEqual([0, 0, 0]);
  },
);

it('moves on from where it was along the same path, to the same place', async () => {
  const asked = question('explicit');
  const both = share();
  await ownVectors(both, { ...asked, steps: 1 });
  const { factors } = await ownVectors(both, asked);
  expect(factors.data).toEqual((await ownVectors(share(), asked)).factors.data);
  const { factors: back } = await ownVectors(both, { ...asked, steps: 2 });
  expect(back.data).toEqual((await ownVectors(share(), { ...asked, steps: 2 })).factors.data);
});
