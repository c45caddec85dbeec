// Logistic and Poisson AM-SSP from data to answers, by the command line and by the client in a real browser,
// on planted tastes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auc } from '@hushrec/evaluate';
import type { FactorModel, ModelLoss } from '@hushrec/model';
import { readModelFolder } from '@hushrec/model/folder';
import { SeededRandom } from '@hushrec/ratings';
import { foldIn, type HistoryEntry, Recommender } from '@hushrec/recommend';
import { startServer } from '@hushrec/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeInChromium } from '../../../tools/describe-in-chromium.mjs';
import { runCommand } from './run-command.test.data.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-planted-'));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const [people, items, tastes] = [400, 60, 2];

/** One person's ratings: what is trained on, and what is asked. */
interface Person {
  readonly train: (readonly [item: number, rating: number])[];
  readonly test: (readonly [item: number, rating: number])[];
}

/** Scores z = u·v + b; stars 4 or 5 with chance σ(z), else 1 to 3; or counts with mean e^(0.7 + 0.4 z). */
function plant(kind: ModelLoss['kind']): Person[] {
  const random = new SeededRandom(5);
  const normal = () =>
    Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform());
  const vectors = (count: number, size: number) =>
    Array.from({ length: count }, () => Array.from({ length: tastes }, () => size * normal()));
  const [u, v] = [vectors(people, 1.4), vectors(items, 1.4)];
  const b = Array.from({ length: items }, () => 0.5 * normal());
  const rate = (z: number) => {
    if (kind === 'logistic') {
      const isLiked = random.uniform() < 1 / (1 + Math.exp(-z));
      return (isLiked ? 4 : 1) + Math.floor(random.uniform() * (isLiked ? 2 : 3));
    }
    let [count, chance, below] = [0, Math.exp(-Math.exp(0.7 + 0.4 * z)), 0];
    for (const draw = random.uniform(); draw > below + chance && count < 20; ) {
      below += chance;
      count++;
      chance *= Math.exp(0.7 + 0.4 * z) / count;
    }
    return count;
  };
  return u.map((own) => {
    const met = new Set<number>();
    while (met.size < 30) met.add(Math.floor(random.uniform() * items));
    const all = [...met].map(
      (item) => [item, rate(own.reduce((sum, x, a) => sum + x * v[item][a], b[item]))] as const,
    );
    return { train: all.slice(6), test: all.slice(0, 6) };
  });
}

/** AUC of scores of the held-out pairs, as `evaluate` defines it. */
function aucBy(
  loss: ModelLoss['kind'],
  planted: readonly Person[],
  score: (person: number, item: number) => number,
) {
  let [numerator, denominator] = [0, 0];
  planted.forEach(({ test }, person) => {
    const found = auc.of({
      labels: Float64Array.from(test, ([, rating]) => (loss === 'logistic' ? Number(rating >= 4) : rating)),
      predictions: new Float64Array(test.length),
      scores: Float64Array.from(test, ([item]) => score(person, item)),
    });
    numerator += found.numerator;
    denominator += found.denominator;
  });
  return numerator / denominator;
}

/**
 * The fit without privacy that owes nothing to the method: both sides by turns, each by the device's own
 * minimizer, nothing clipped or weighted.
 */
function plainFit(kind: ModelLoss['kind'], planted: readonly Person[]): number {
  const rank = 3;
  const random = new SeededRandom(1);
  const sideOf = (vectors: Float32Array): FactorModel => ({
    kind: 'factors',
    feedback: 'explicit',
    loss: kind === 'logistic' ? { kind, likedFrom: 4 } : { kind },
    rank,
    itemFactors: vectors,
    offset: 0,
    foldIn: { ridge: 1, ridgeExponent: 0, unobservedWeight: 0 },
  });
  const solve = (other: Float32Array, rows: readonly (readonly (readonly [number, number])[])[]) =>
    Float32Array.from(
      rows.flatMap((row) => [
        ...foldIn(sideOf(other), {
          items: Uint32Array.from(row, ([index]) => index),
          ratings: Float64Array.from(row, ([, rating]) => rating),
        }).vector,
      ]),
    );
  const byItem = Array.from({ length: items }, (_, item) =>
    planted.flatMap(({ train }, person) =>
      train.filter(([each]) => each === item).map(([, rating]) => [person, rating] as const),
    ),
  );
  let v = Float32Array.from({ length: items * rank }, () => random.uniform() - 0.5);
  let u = new Float32Array();
  for (let round = 0; round < 15; round++) {
    u = solve(
      v,
      planted.map(({ train }) => train),
    );
    v = solve(u, byItem);
  }
  u = solve(
    v,
    planted.map(({ train }) => train),
  );
  return aucBy(kind, planted, (person, item) => {
    let score = 0;
    for (let a = 0; a < rank; a++) score += u[person * rank + a] * v[item * rank + a];
    return score;
  });
}

const historyOf = ({ train }: Person): HistoryEntry[] =>
  train.map(([item, rating]) => ({ id: `i${item}`, rating }));

describe.each([
  ['logistic', '1:5:1'],
  ['poisson', '0:20:1'],
] as const)('am-ssp with loss=%s', (kind, scale) => {
  const planted = plant(kind);
  const plain = plainFit(kind, planted);
  const trained = at(`${kind}.csv`);
  const [noised, exact] = [join(at('models'), `${kind}-noised`), join(at('models'), `${kind}-exact`)];
  let published: FactorModel;
  const measured: Record<string, number> = {};

  beforeAll(async () => {
    const csv = (part: 'train' | 'test') =>
      `user,item,rating\n${planted.flatMap((person, p) => person[part].map(([item, rating]) => `p${p},i${item},${rating}`)).join('\n')}\n`;
    mkdirSync(at('models'), { recursive: true });
    writeFileSync(trained, csv('train'));
    writeFileSync(at(`${kind}-test.csv`), csv('test'));
    for (const [out, epsilon] of [
      [noised, '10000'],
      [exact, 'inf'],
    ] as const) {
      const settings = ['--set', `loss=${kind}`, '--set', 'rank=3', '--set', 'rounds=8'];
      const noise = ['--epsilon', epsilon, '--delta', '1e-6', '--people', String(people), '--seed', '1'];
      const run = await runCommand(
        'train',
        trained,
        '--scale',
        scale,
        '--method',
        'am-ssp',
        ...settings,
        ...noise,
        '--out',
        out,
      );
      expect(run.code, run.errors).toBe(0);
      const test = ['--test', at(`${kind}-test.csv`), '--scale', scale, '--no-save', '--json'];
      const { json, errors } = await runCommand('evaluate', out, trained, ...test);
      expect(json, errors).toBeDefined();
      measured[out] = json.metrics.auc.value;
    }
    published = (await readModelFolder(noised)).model as FactorModel;
  });

  it('is within 0.02 AUC of the fit without privacy', () => {
    expect(plain).toBeGreaterThan(0.7);
    expect(measured[noised]).toBeGreaterThan(plain - 0.02);
    expect(measured[noised]).toBeGreaterThan(measured[exact] - 0.02);
    expect(measured[exact]).toBeGreaterThan(plain - 0.02);
  });

  it('would not be, were the person fitted as if every rating were a like', () => {
    const { loss: _, ...rest } = published;
    const asChoices = new Recommender({
      model: { ...rest, feedback: 'implicit' },
      itemIds: Array.from({ length: items }, (__, item) => `i${item}`).sort(),
    });
    const score = (person: number, item: number) =>
      asChoices.predict(historyOf(planted[person]), `i${item}`)!;
    expect(aucBy(kind, planted, score)).toBeLessThan(plain - 0.1);
  });

  it('recommends other things after one star than after five, with reasons', async () => {
    const lists = [];
    for (const rating of [1, 5]) {
      const file = at(`${kind}-${rating}.csv`);
      writeFileSync(
        file,
        `item,rating\n${['i0', 'i1', 'i2', 'i3'].map((id) => `${id},${rating}`).join('\n')}\n`,
      );
      lists.push((await runCommand('recommend', noised, '--history', file, '--json')).json);
    }
    expect(lists[0].items[0].id).not.toBe(lists[1].items[0].id);
    expect(lists[1].items[0].because.length).toBeGreaterThan(0);
  });

  describeInChromium('in Chromium', (opened) => {
    it('gives the same', async () => {
      const server = await startServer({
        models: at('models'),
        port: 0,
        publicData: true,
        writeLog: () => {},
      });
      try {
        const page = await opened.browser.newPage();
        await page.goto(server.url);
        const asked = JSON.stringify(
          planted.map((person) => [historyOf(person), person.test.map(([item]) => `i${item}`)]),
        );
        const scores = (await page.evaluate(`(async () => {
          const { fetchModel } = await import('/hushrec-client.js');
          const { recommender } = await fetchModel('/models/${kind}-noised/');
          return ${asked}.map(([history, ids]) => ids.map((id) => recommender.predict(history, id)));
        })()`)) as number[][];
        const inBrowser = aucBy(
          kind,
          planted,
          (person, item) => scores[person][planted[person].test.findIndex(([each]) => each === item)],
        );
        // Predicted counts are clamped to the scale, which ties a few pairs that scores do not.
        expect(Math.abs(inBrowser - measured[noised])).toBeLessThan(kind === 'logistic' ? 1e-6 : 2e-3);
        expect(inBrowser).toBeGreaterThan(plain - 0.02);
      } finally {
        await server.close();
      }
    });
  });
});
