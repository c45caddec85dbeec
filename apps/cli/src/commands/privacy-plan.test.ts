import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { planRun } from '@hushrec/factorize';
import {
  countShares,
  epsilonNeeded,
  forecastNoise,
  forecastOf,
  partOfTheWay,
  peopleNeeded,
  qualityRange,
  type ReferenceRun,
  referenceRuns,
} from '@hushrec/model';
import type { Csr } from '@hushrec/numerics';
import { generateCatalogue, ratingMatrixFromTriples } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

const delta = 1e-6;
const feedbacks = ['ratings', 'likes'] as const;

/** What a shop can say of itself, and the counts that it cannot: Σ 1/√n_i over who rated an item, from the largest on. */
function shapeOf(byUser: Csr) {
  const items = byUser.columnCount;
  const counts = new Float64Array(items);
  const plain = new Float64Array(items);
  for (let user = 0; user < byUser.rowCount; user++) {
    const [begin, end] = [byUser.offsets[user], byUser.offsets[user + 1]];
    for (let at = begin; at < end; at++) {
      counts[byUser.indices[at]] += 1 / Math.sqrt(end - begin);
      plain[byUser.indices[at]] += 1;
    }
  }
  counts.sort().reverse();
  plain.sort().reverse();
  const share = (from: number, to: number) =>
    plain.slice(from, to).reduce((sum, each) => sum + each, 0) / byUser.indices.length;
  return {
    counts,
    data: {
      people: byUser.rowCount,
      items,
      ratingsPerPerson: byUser.indices.length / byUser.rowCount,
      shape: { headShare: share(0, Math.ceil(items / 10)), tailShare: share(Math.floor(items / 2), items) },
    },
  };
}

/** The same figures from the counts themselves. */
function truth(counts: Float64Array, noise: number) {
  const ratio = (some: Float64Array) =>
    noise / Math.sqrt(some.reduce((sum, count) => sum + count * count, 0) / some.length);
  return {
    above: counts.filter((count) => count > 2 * noise).length / counts.length,
    head: ratio(counts.slice(0, counts.length / 10)),
    tail: ratio(counts.slice(counts.length / 2)),
  };
}

/** Within a tenth, and shares of items within half a percent of the catalogue besides. */
function expectForecast(
  byUser: Csr,
  epsilons: readonly number[],
  planned?: { people: number; items: number; ratingsPerPerson: number },
) {
  const { counts, data } = shapeOf(byUser);
  for (const feedback of feedbacks)
    for (const epsilon of epsilons) {
      const forecast = forecastNoise({ ...(planned ?? data), feedback }, epsilon, delta);
      const measured = truth(counts, forecast.countNoise);
      const where = `${feedback}, ε = ${epsilon}`;
      expect(Math.abs(forecast.shareAboveNoise - measured.above), where).toBeLessThan(
        0.1 * measured.above + 0.005,
      );
      expect(Math.abs(forecast.counts.head / measured.head - 1), where).toBeLessThan(0.1);
      expect(Math.abs(forecast.counts.tail / measured.tail - 1), where).toBeLessThan(0.1);
    }
}

const sets = [
  { users: 2000, items: 300, ratings: 60_000, seed: 5 },
  { users: 610, items: 2000, ratings: 60_000, seed: 6 },
  { users: 12_000, items: 4000, ratings: 240_000, seed: 7 },
] as const;

describe('the forecast of noise', () => {
  it.each(sets)('is within a tenth of what there is: %o', (recipe) => {
    expectForecast(generateCatalogue(recipe).ratings.byUser, [1, 5, 20]);
  });

  it('would not be with a constant', () => {
    const [few, many] = [sets[1], sets[0]].map((recipe) => shapeOf(generateCatalogue(recipe).ratings.byUser));
    const noise = forecastNoise({ ...few!.data, feedback: 'likes' }, 1, delta).countNoise;
    const [a, b] = [truth(few!.counts, noise), truth(many!.counts, noise)];
    expect(a.head / b.head).toBeGreaterThan(1.5);
    expect(b.above - a.above).toBeGreaterThan(0.1);
  });

  it('has the noise that hush plans', () => {
    for (const feedback of feedbacks) {
      const scale = feedback === 'likes' ? { min: 1, max: 1, step: 1 } : { min: 1, max: 5, step: 1 };
      const settings = feedback === 'likes' ? { feedback: 'implicit' } : {};
      const { plan } = planRun({ method: 'hush', settings, itemCount: 100, scale, epsilon: 1, delta });
      const counts = plan.releases.find(({ name }) => /^item[- ]counts$/.test(name))!;
      const forecast = forecastNoise({ people: 100, items: 100, ratingsPerPerson: 5, feedback }, 1, delta);
      expect(counts.noise / forecast.countNoise).toBeGreaterThan(0.98);
      expect(counts.noise / forecast.countNoise).toBeLessThan(1.02);
      expect(countShares[feedback]).toBeGreaterThan(0);
    }
  });

  it('says how many people or how much ε would just be worth it', () => {
    const data = { people: 600, items: 3000, ratingsPerPerson: 130, feedback: 'likes' } as const;
    const people = peopleNeeded(data, 1, delta);
    expect(forecastNoise({ ...data, people: people * 1.01 }, 1, delta).verdict).toBe('worth-it');
    expect(forecastNoise({ ...data, people: people * 0.99 }, 1, delta).verdict).toBe('weak');
    const epsilon = epsilonNeeded(data, 1, delta);
    expect(forecastNoise(data, epsilon * 1.01, delta).verdict).toBe('worth-it');
    expect(forecastNoise(data, epsilon * 0.99, delta).verdict).toBe('weak');
  });

  it('refuses figures that no data set has', () => {
    const data = { people: 600, items: 30, ratingsPerPerson: 130, feedback: 'likes' } as const;
    expect(() => forecastNoise(data, 1, delta)).toThrow(/130 ratings each, and there are 30 items/);
    expect(() => forecastNoise({ ...data, items: 3000, people: 0 }, 1, delta)).toThrow(/at least 1/);
  });
});

describe('the range of quality', () => {
  /** Read off all the other data sets, as for one that was never seen. */
  const unseen = (run: ReferenceRun, epsilon: number) =>
    qualityRange(
      run,
      forecastOf(run, epsilon),
      referenceRuns.filter(({ name }) => name !== run.name),
    );

  it('holds what was measured on MovieLens 1M and on generated data, also when read off other data sets alone', () => {
    const asked = referenceRuns.filter(
      ({ name, feedback }) =>
        name === 'MovieLens 1M' || (feedback === 'ratings' && name.startsWith('generated')),
    );
    expect(asked.length).toBeGreaterThanOrEqual(5);
    for (const run of asked)
      for (const { epsilon, quality } of run.points.filter((point) => point.epsilon >= 1)) {
        const { low, high } = unseen(run, epsilon);
        const way = partOfTheWay(run, quality);
        expect(way, `${run.name}, ${run.feedback}, ε = ${epsilon}`).toBeGreaterThanOrEqual(low);
        expect(way, `${run.name}, ${run.feedback}, ε = ${epsilon}`).toBeLessThanOrEqual(high);
      }
  });

  it('is lower where there is more noise', () => {
    const run = referenceRuns.find(({ name, feedback }) => name === 'MovieLens 1M' && feedback === 'likes')!;
    const [little, much] = [20, 0.1].map((epsilon) =>
      qualityRange(run, forecastOf(run, epsilon), referenceRuns),
    );
    expect(much!.high).toBeLessThan(little!.high);
    expect(much!.low).toBeLessThan(little!.low);
  });
});

describe('hushrec privacy plan', () => {
  it('answers for several ε, in words and in JSON', async () => {
    const asked = ['privacy', 'plan', '--people', '610', '--items', '3000', '--ratings-per-person', '130'];
    const { text, code } = await runCommand(...asked);
    expect(code).toBe(0);
    expect(text).toMatch(/ε = 1\n {2}Too noisy to be personal: about \d+ of 3,000 items/);
    expect(text).toMatch(/With 610 people it is worth it from an ε of about [\d.]+ on\./);
    const { json } = await runCommand(...asked, '--epsilon', '1', '--json');
    expect(json.plans).toHaveLength(1);
    expect(json.plans[0]).toMatchObject({ epsilon: 1, verdict: 'too-noisy' });
    const people = String(json.plans[0].peopleNeeded * 1.1);
    const enough = await runCommand(
      'privacy',
      'plan',
      '--people',
      people,
      ...asked.slice(4),
      '--epsilon',
      '1',
      '--json',
    );
    expect(enough.json.plans[0].verdict).toBe('worth-it');
  });

  it('refuses what cannot be', async () => {
    const { code, errors } = await runCommand(
      'privacy',
      'plan',
      '--people',
      '610',
      '--items',
      '30',
      '--ratings-per-person',
      '130',
    );
    expect(code).toBe(2);
    expect(errors).toContain('at most one rating of each');
  });
});

const movieLens = join(process.env['HUSHREC_DATA'] ?? '', 'ml-1m', 'ratings-3col.dat.gz');
describe.skipIf(!existsSync(movieLens))('on MovieLens 1M (skipped without HUSHREC_DATA)', () => {
  it('is within a tenth at ε = 1, 5 and 20, with the usual shape and three round figures', () => {
    const rows = gunzipSync(readFileSync(movieLens))
      .toString('latin1')
      .trim()
      .split('\n')
      .map((line) => line.split('::').map(Number));
    const number = (ids: number[]) => new Map([...new Set(ids)].map((id, at) => [id, at]));
    const [users, items] = [number(rows.map(([user]) => user!)), number(rows.map(([, item]) => item!))];
    const { byUser } = ratingMatrixFromTriples({
      userCount: users.size,
      itemCount: items.size,
      scale: { min: 1, max: 5, step: 1 },
      users: Uint32Array.from(rows, ([user]) => users.get(user!)!),
      items: Uint32Array.from(rows, ([, item]) => items.get(item!)!),
      ratings: Float32Array.from(rows, ([, , rating]) => rating!),
    });
    expectForecast(byUser, [1, 5, 20], { people: 6000, items: 3700, ratingsPerPerson: 165 });
  });
});
