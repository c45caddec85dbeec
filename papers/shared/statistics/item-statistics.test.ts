import { createEngine, type Engine, type FactorMatrix, type ItemStatistics } from '@hushrec/numerics';
import {
  adversarialPeople,
  arbitraryPeople,
  frobeniusDistance,
  l2Distance,
  type Person,
  ratingsOf,
  without,
  withoutRow,
} from '@hushrec/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revealToMechanism } from '../../../packages/privacy/src/recorder/sensitive.js';
import { contributionsByItem } from '../../../packages/statistics/src/contributions.js';
import type { GridSums } from '../../../packages/statistics/src/grid-sums.js';
import { adaptiveWeights } from './adaptive-weights.js';
import { boundContributions } from './bound-contributions.js';
import { centredTargets } from './centring.js';
import { clipRows } from './clip-rows.js';
import { type ClippedTargets, clipTargets } from './clip-targets.js';
import { itemBlocks } from './item-sum-bounds.js';
import { globalGramian, itemStatistics, jointItemStatistics } from './protected-sums.test.data.js';
import type { StatisticGrid } from './statistic-grid.js';

const itemCount = 30;
const width = 3;
const k = 5;
const vectorBound = 0.7;
const targetBound = 1.3;
const released = Array.from({ length: itemCount }, (_, item) => 1 + item ** 2);

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1, kernel: 'scalar' });
});
afterAll(() => engine.close());

/**
 * One-hot, diagonal, enormous, tiny and broken vectors, one per person in turn: the shapes that make bounds
 * tight.
 */
function vectorsFor(people: readonly Person[]): FactorMatrix {
  const shapes = [
    [0.7, 0, 0],
    [1e6, 1e6, 1e6],
    [0, -1e30, 0],
    [0.3, 0.2, -0.1],
    [Number.NaN, 1, 1],
    [Infinity, 0, 0],
    [0, 0, 5],
  ];
  return {
    rowCount: people.length,
    width,
    data: Float32Array.from(people.flatMap((_, user) => shapes[user % shapes.length])),
  };
}

type Weighting = 'sampled' | 'adaptive';
type Clip = 'both' | 'no vector clip' | 'no target clip' | 'target clip from above only';

async function statistics(
  people: readonly Person[],
  vectors: FactorMatrix,
  weighting: Weighting,
  clip: Clip = 'both',
  grid?: StatisticGrid,
) {
  const { byUser } = ratingsOf(people, itemCount);
  const contributions = contributionsByItem(
    weighting === 'sampled'
      ? boundContributions(byUser, k, { kind: 'tail', releasedCounts: released })
      : adaptiveWeights(byUser, released, 0.25, 1),
  );
  const copy: FactorMatrix = { ...vectors, data: vectors.data.slice() };
  const users =
    clip === 'no vector clip' ? ({ rows: copy, bound: vectorBound } as never) : clipRows(copy, vectorBound);
  const centred = centredTargets(contributions.byItem, 'items', { offset: 3 });
  const targets =
    clip === 'no target clip'
      ? ({ values: centred, bound: targetBound } as ClippedTargets)
      : clip === 'target clip from above only'
        ? ({ values: centred.map((y) => Math.min(y, targetBound)), bound: targetBound } as ClippedTargets)
        : clipTargets(centred, targetBound);
  const input = { engine, contributions, users, targets, ...(grid === undefined ? {} : { grid }) };
  const { matrices, vectors: sums } = await itemStatistics(input, 0, itemCount);
  return { matrices, vectors: sums, users };
}

const real = ({ statistic, gridStep }: GridSums) =>
  revealToMechanism(statistic).map((value) => value * gridStep);

/** Largest change over declared sensitivity, per statistic, when each person in turn leaves. */
async function worst(
  people: readonly Person[],
  weighting: Weighting,
  clip: Clip = 'both',
  grid?: StatisticGrid,
) {
  const vectors = vectorsFor(people);
  const all = await statistics(people, vectors, weighting, clip, grid);
  const most = { matrices: 0, vectors: 0, gramian: 0 };
  for (let user = 0; user < people.length; user++) {
    const fewer = await statistics(without(people, user), withoutRow(vectors, user), weighting, clip, grid);
    const change = (a: GridSums, b: GridSums) => l2Distance(real(a), real(b)) / a.statistic.sensitivity;
    const a = real(all.matrices);
    const frobenius = frobeniusDistance(a, real(fewer.matrices), width) / all.matrices.statistic.sensitivity;
    most.matrices = Math.max(most.matrices, frobenius);
    most.vectors = Math.max(most.vectors, change(all.vectors, fewer.vectors));
    const [k1, k2] = [await globalGramian(engine, all.users), await globalGramian(engine, fewer.users)];
    most.gramian = Math.max(
      most.gramian,
      frobeniusDistance(real(k1), real(k2), width) / k1.statistic.sensitivity,
    );
  }
  return most;
}

// Three rounds of everyone, so that every kind of person meets several kinds of vectors.
const crowd = [
  ...adversarialPeople(itemCount, k),
  ...adversarialPeople(itemCount, k),
  ...adversarialPeople(itemCount, k),
];

describe.each<Weighting>(['sampled', 'adaptive'])('item statistics, %s contributions', (weighting) => {
  it('move by at most their declared sensitivity when anyone leaves, and by 0.95 of it for someone', async () => {
    for (const [name, share] of Object.entries(await worst(crowd, weighting))) {
      expect(share, name).toBeLessThanOrEqual(1);
      expect(share, name).toBeGreaterThan(0.95);
    }
  });

  it('do so for arbitrary people too', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPeople(itemCount), async (people) => {
        for (const share of Object.values(await worst(people, weighting)))
          expect(share).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });

  it('do so on a grid finer than the kernels’', async () => {
    const shares = await worst(crowd, weighting, 'both', { vectorBits: 21, targetBits: 21 });
    expect(shares.matrices).toBeLessThanOrEqual(1);
    expect(shares.vectors).toBeLessThanOrEqual(1);
    expect(shares.vectors).toBeGreaterThan(0.99);
  });
});

describe('a missing clip', () => {
  const sane = crowd.filter(({ name }) => name === 'every item, worst' || name === 'exactly k ratings');
  const worstRater = sane.find(({ name }) => name === 'every item, worst')!;
  it.each<Clip>(['no target clip', 'target clip from above only'])('is caught: %s', async (clip) => {
    // The engine refuses numbers beyond the bound; sums without an engine show the violation itself.
    await expect(worst(sane, 'sampled', clip)).rejects.toThrow(/beyond targetBound/);
    const fine = { vectorBits: 16, targetBits: 16 };
    const longest = { rowCount: 1, width, data: Float32Array.of(vectorBound, 0, 0) };
    const { vectors: sums } = await statistics([worstRater], longest, 'sampled', clip, fine);
    const nobody = new Float64Array(itemCount * width);
    expect(l2Distance(real(sums), nobody)).toBeGreaterThan(1.5 * sums.statistic.sensitivity);
  });

  it('is caught: no vector clip', async () => {
    await expect(worst(sane.slice(0, 2), 'sampled', 'no vector clip')).rejects.toThrow(/beyond vectorBound/);
    const fine = { vectorBits: 16, targetBits: 16 };
    const loose = { rowCount: 2, width, data: Float32Array.of(1, 1, 1, 0, 0, 0) };
    const all = await statistics(sane.slice(0, 2), loose, 'sampled', 'no vector clip', fine);
    const fewer = await statistics(sane.slice(1, 2), withoutRow(loose, 0), 'sampled', 'no vector clip', fine);
    const change = frobeniusDistance(real(all.matrices), real(fewer.matrices), width);
    expect(change).toBeGreaterThan(2 * all.matrices.statistic.sensitivity);
  });
});

describe('item statistics', () => {
  it('are the weighted sums they claim to be, block by block', async () => {
    const people = crowd.filter(({ ratings }) => ratings.every((r) => r >= 1 && r <= 5));
    const vectors = vectorsFor(people.map((person) => ({ ...person })));
    for (let at = 0; at < vectors.data.length; at++) vectors.data[at] = Math.fround(Math.sin(at) * 0.3);
    const { byUser } = ratingsOf(people, itemCount);
    const contributions = adaptiveWeights(byUser, released, 0.25, 1);
    const byItem = contributionsByItem(contributions);
    const users = clipRows(vectors, vectorBound);
    const targets = clipTargets(centredTargets(byItem.byItem, 'items', { offset: 3 }), targetBound);
    const expected = new Float64Array(itemCount * width);
    people.forEach((_, user) => {
      for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++) {
        const y = Math.max(-targetBound, Math.min(targetBound, byUser.values[at] - 3));
        const weight = contributions.rootWeights![at] ** 2;
        for (let a = 0; a < width; a++) {
          expected[byUser.indices[at] * width + a] += weight * y * vectors.data[user * width + a];
        }
      }
    });
    const input = { engine, contributions: byItem, users, targets };
    const halves = [await itemStatistics(input, 0, 11), await itemStatistics(input, 11, itemCount)];
    const measured = halves.flatMap(({ vectors: sums }) => [...real(sums)]);
    measured.forEach((value, at) => {
      expect(value).toBeCloseTo(expected[at], 3);
    });
    let into: ItemStatistics | undefined;
    const again: number[] = [];
    let used: unknown;
    for (const [begin, end] of [
      [0, 16],
      [16, itemCount],
    ] as const) {
      const { vectors: sums, exact } = await itemStatistics(input, begin, end, into);
      into = exact;
      again.push(...real(sums));
      const { buffer } = revealToMechanism(sums.statistic);
      expect(used ?? buffer).toBe(buffer);
      used = buffer;
    }
    expect(again).toEqual(measured);
  });

  it('move by at most 1 as one joint statistic, and by nearly 1 for someone', async () => {
    const vectors = vectorsFor(crowd);
    const joint = async (people: readonly Person[], rows: FactorMatrix) => {
      const { byUser } = ratingsOf(people, itemCount);
      const contributions = contributionsByItem(adaptiveWeights(byUser, released, 0.25, 1));
      const users = clipRows({ ...rows, data: rows.data.slice() }, vectorBound);
      const targets = clipTargets(centredTargets(contributions.byItem, 'items', { offset: 3 }), targetBound);
      return jointItemStatistics({ engine, contributions, users, targets }, itemCount, 0.3);
    };
    const all = await joint(crowd, vectors);
    let most = 0;
    for (let user = 0; user < crowd.length; user++) {
      const fewer = await joint(without(crowd, user), withoutRow(vectors, user));
      const a = frobeniusDistance(real(all.matrices), real(fewer.matrices), width);
      most = Math.max(most, Math.hypot(a, l2Distance(real(all.vectors), real(fewer.vectors))));
    }
    expect(most).toBeLessThanOrEqual(1);
    expect(most).toBeGreaterThan(0.95);
    const { statistic } = all.matrices;
    expect(statistic.sensitivity).toBe(1);
  });

  it('do not depend on the order of people, nor on a person without ratings', async () => {
    const people = crowd.filter(({ ratings: own }) => own.every(Number.isFinite));
    const order = people.map((_, user) => (user * 7 + 3) % people.length);
    expect(new Set(order).size).toBe(people.length);
    const vectors = vectorsFor(people);
    const shuffled = {
      ...vectors,
      data: Float32Array.from(order.flatMap((user) => [...vectors.data.subarray(3 * user, 3 * user + 3)])),
    };
    const a = await statistics(people, vectors, 'adaptive');
    const b = await statistics(
      order.map((user) => people[user]),
      shuffled,
      'adaptive',
    );
    expect(real(b.matrices)).toEqual(real(a.matrices));
    expect(real(b.vectors)).toEqual(real(a.vectors));
    const more = { ...vectors, rowCount: people.length + 1, data: Float32Array.of(...vectors.data, 1, 1, 1) };
    const c = await statistics([...people, { name: 'new', items: [], ratings: [] }], more, 'adaptive');
    expect(real(c.vectors)).toEqual(real(a.vectors));
  });

  it('come in blocks that cover the catalogue once', () => {
    const blocks = itemBlocks(100_000, 64);
    expect(blocks[0].begin).toBe(0);
    expect(blocks.at(-1)!.end).toBe(100_000);
    blocks.slice(1).forEach((block, at) => {
      expect(block.begin).toBe(blocks[at].end);
      expect(block.part).toBe(at + 1);
    });
  });
});
