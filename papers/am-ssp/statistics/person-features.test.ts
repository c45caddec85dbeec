import { createEngine } from '@hushrec/numerics';
import {
  adversarialPeople,
  arbitraryPeople,
  frobeniusDistance,
  l2Distance,
  type Person,
  ratingsOf,
  without,
} from '@hushrec/testing';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { revealToMechanism } from '../../../packages/privacy/src/recorder/sensitive.js';
import type { GridSums } from '../../../packages/statistics/src/grid-sums.js';
import { LocalPeople } from '../../../packages/statistics/src/people/local-people.js';
import { featureGramian, featureVectors } from './person-features.js';

const [itemCount, width, clipNorm] = [12, 3, 0.7];
const engine = await createEngine({ threads: 1, kernel: 'scalar' });
afterAll(() => engine.close());

const names = ['young', 'old', 'rare', 'heavy'];
const declared = { names, weights: [1, 1, 0.2, 50] };
const items = {
  rowCount: itemCount,
  width,
  data: Float32Array.from({ length: itemCount * width }, (_, k) => Math.sin(k)),
};
/** Expectations from nothing to far beyond every clip. */
const expectations = [0, 1, 1e6].map((size) => ({
  ...declared,
  factors: {
    rowCount: names.length + 1,
    width,
    data: Float32Array.from({ length: (names.length + 1) * width }, (_, k) => size * Math.cos(k)),
  },
}));

interface Telling extends Person {
  /** Numbers of columns that she says of herself, which may repeat; column 4 was not declared. */
  readonly says: readonly number[];
}

function peopleWith(some: readonly Telling[]): LocalPeople {
  const offsets = new Uint32Array(some.length + 1);
  some.forEach(({ says }, user) => {
    offsets[user + 1] = offsets[user] + says.length;
  });
  const indices = Uint32Array.from(some.flatMap(({ says }) => says));
  const values = new Float32Array(indices.length).fill(1);
  const byUser = { rowCount: some.length, columnCount: 5, offsets, indices, values };
  return new LocalPeople(
    { ...ratingsOf(some, itemCount), about: { names: [...names, 'not declared'], byUser } },
    engine,
  );
}

const question = (
  feedback: 'explicit' | 'implicit',
  expected: (typeof expectations)[number],
  clip = clipNorm,
) =>
  ({
    own: {
      items,
      feedback,
      offset: 3,
      ridge: 1,
      ridgeExponent: 0.5,
      ...(feedback === 'explicit' && { interceptRidge: 2 }),
      unobservedWeight: 0,
      expected,
    },
    clipNorm: clip,
  }) as const;

const real = ({ statistic, gridStep }: GridSums) =>
  revealToMechanism(statistic).map((value) => value * gridStep);

/** Largest change over declared sensitivity when each person in turn leaves. */
async function worst(some: readonly Telling[], clip = clipNorm) {
  const gramianOf = async (people: LocalPeople) => (await people.sum(featureGramian, declared)).gramian;
  const most = { gramian: 0, vectors: 0 };
  const all = peopleWith(some);
  for (let left = 0; left < some.length; left++) {
    const fewer = peopleWith(without(some, left) as Telling[]);
    const [a, b] = [await gramianOf(all), await gramianOf(fewer)];
    const change = frobeniusDistance(real(a), real(b), names.length + 1);
    most.gramian = Math.max(most.gramian, change / a.statistic.sensitivity);
    for (const feedback of ['explicit', 'implicit'] as const)
      for (const expected of expectations) {
        const asked = question(feedback, expected, clip);
        const [c, d] = [await all.sum(featureVectors, asked), await fewer.sum(featureVectors, asked)];
        most.vectors = Math.max(most.vectors, l2Distance(real(c.vectors), real(d.vectors)) / clipNorm);
      }
  }
  return most;
}

/** Every set of features, of every kind of person. */
const crowd: readonly Telling[] = adversarialPeople(itemCount, 4).flatMap((person, at) =>
  Array.from({ length: 4 }, (_, k) => {
    const set = (4 * at + k) % 32;
    return { ...person, says: [0, 1, 2, 3, 4].filter((column) => (set >> column) & 1) };
  }),
);

describe('sums about features of people', () => {
  it('move by at most their declared sensitivity when anyone leaves, and by 0.95 of it for someone', async () => {
    for (const [name, share] of Object.entries(await worst(crowd))) {
      expect(share, name).toBeLessThanOrEqual(1);
      expect(share, name).toBeGreaterThan(0.95);
    }
  });

  it('move further where the clip is left out', async () => {
    expect((await worst(crowd, 1e9)).vectors).toBeGreaterThan(1);
  });

  it('do so for arbitrary people too, who may say the same thing twice', async () => {
    const says = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 8 });
    const some = fc
      .tuple(arbitraryPeople(itemCount), fc.array(says, { minLength: 8, maxLength: 8 }))
      .map(([people, said]) => people.map((person, at) => ({ ...person, says: said[at % 8] })));
    await fc.assert(
      fc.asyncProperty(some, async (people) => {
        const { gramian, vectors } = await worst(people);
        expect(gramian).toBeLessThanOrEqual(1);
        expect(vectors).toBeLessThanOrEqual(1);
      }),
      { numRuns: 25 },
    );
  });

  it('are x xᵀ and x uᵀ: someone without ratings has the vector that is expected of her', async () => {
    const nobodyRated: Telling[] = [{ name: 'young', items: [], ratings: [], says: [0] }];
    const people = peopleWith(nobodyRated);
    const [x0, x1] = [Math.SQRT1_2, Math.SQRT1_2]; // everybody, and young with weight 1
    const { gramian } = await people.sum(featureGramian, declared);
    expect([...real(gramian)].slice(0, 2)).toEqual([expect.closeTo(0.5, 3), expect.closeTo(0.5, 3)]);
    const [, expected] = expectations;
    const { vectors } = await people.sum(featureVectors, question('explicit', expected, 10));
    const w = expected.factors.data;
    const p = [0, 1, 2].map((a) => x0 * w[a] + x1 * w[width + a]);
    [...real(vectors)].forEach((value, at) => {
      const row = Math.floor(at / width);
      expect(value).toBeCloseTo((row < 2 ? Math.SQRT1_2 : 0) * p[at % width], 4);
    });
  });

  it('are refused where what people say about themselves is not kept', async () => {
    const { rows } = { rows: ratingsOf(crowd, itemCount).byUser };
    const share = {
      rows,
      engine,
      coins: () => undefined,
      keep: <T>(_: string, __: object, make: () => T) => make(),
    };
    expect(() => featureGramian.add(share as never, declared, { gramian: new Float64Array(15) })).toThrow(
      /not where their ratings are/,
    );
  });
});
