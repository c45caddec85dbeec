import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { memoryOutcomeStore, type OutcomeStore } from '@hushrec/evaluate';
import { createEngine } from '@hushrec/numerics';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { experiments } from '../../list-of-experiments.js';
import { checkEqualSearch } from './sums-or-gradients.js';

const genres = ['Drama', 'Comedy', 'War'];
const films = Array.from({ length: 40 }, (_, k) => k + 1);

/** A thousand people who like one genre each, in the form MovieLens 1M and the facts have. */
const ratings = Array.from({ length: 1000 }, (_, user) =>
  films
    .filter((film) => (film * 7 + user * 3 + film * user) % 4 === 0)
    .map((film) => `${user + 1}::${film}::${film % 3 === user % 3 ? 5 : 2 + (film % 3)}::978300760`),
).flat();
const facts = films.map(
  (film) => `${film}::Film ${film}::1999-01-01::::::${genres[film % 3]}::Director ${film % 5}::::`,
);

let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'hushrec-sums-'));
  const folder = join(data, 'movie-features/ml-1m-extrainfos');
  await Promise.all([join(data, 'ml-1m'), folder].map((each) => mkdir(each, { recursive: true })));
  await writeFile(join(data, 'ml-1m/ratings.dat'), ratings.join('\n'));
  await writeFile(join(data, 'ml-1m/users.dat'), '1::F::1::10::48067'); // tells 1M from 10M
  await writeFile(join(folder, 'movies_extrainfos.dat.gz'), gzipSync(facts.join('\n')));
});
afterAll(() => rm(data, { recursive: true, force: true }));

/** As the store's keys say it. */
interface Run {
  readonly stage: string;
  readonly method: string;
  readonly data: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly seed: number;
}

it('gives every line equally many candidates, searches all it says, and goes on where it was', async () => {
  const runs: Run[] = [];
  const kept = memoryOutcomeStore();
  const store: OutcomeStore = {
    find: (key) => kept.find(key),
    add: async (key, outcome) => {
      runs.push(key as Run);
      await kept.add(key, outcome);
    },
  };
  const engine = await createEngine({ threads: 1 });
  const run = () =>
    experiments
      .find(({ id }) => id === 'am-ssp/against-dpsgd')!
      .run({
        data,
        engine,
        quick: true,
        seed: 1,
        store,
        progress: () => undefined,
        signal: new AbortController().signal,
      });
  const first = await run();
  const counts = new Map<string, Set<string>>();
  for (const { stage, method, data: what, settings, seed } of runs) {
    if (stage !== 'validation') continue;
    const line = [what, method, settings.encoder, settings.feedback].join(' ');
    counts.set(line, (counts.get(line) ?? new Set()).add(`${seed} ${JSON.stringify(settings)}`));
  }
  // Two tasks, each with three forms of two methods and dp-cmf.
  expect([...counts.values()].map(({ size }) => size)).toEqual(Array(14).fill(3));
  const values = (method: string, key: string) =>
    new Set(runs.filter((each) => each.method === method).map(({ settings }) => settings[key])).size;
  for (const [method, keys] of [
    ['am-ssp', ['innerSteps', 'decay', 'optimizer', 'learningRate', 'rounds']],
    ['am-dpsgd', ['stepsPerRound', 'decay', 'learningRate', 'rounds']],
  ] as const)
    for (const key of keys) expect(values(method, key), `${method} ${key}`).toBeGreaterThan(1);
  const before = runs.length;
  expect((await run()).findings).toEqual(first.findings);
  expect(runs).toHaveLength(before);
  await engine.close();
});

it('refuses a comparison in which one line had more candidates', () => {
  const row = (name: string, candidates: number) => ({
    name,
    tuned: {
      method: name,
      epsilon: 5,
      settings: {},
      validation: 1,
      untuned: 1,
      candidates,
      trials: 9,
      failures: [],
    },
  });
  expect(() => checkEqualSearch([row('a', 8), row('b', 8)])).not.toThrow();
  expect(() => checkEqualSearch([row('a', 8), row('b', 1)])).toThrow(
    'a was chosen among 8 candidates, b among 1.',
  );
  expect(() => checkEqualSearch([row('a', 8), { name: 'b' }])).toThrow('b among 1');
});
