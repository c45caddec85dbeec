import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkerboard, dealt } from './equality.test.data.js';
import { type SimulationRequest, simulateRun } from './simulate-run.js';
import { simulatedPresence } from './simulated-secrets.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
});
afterAll(() => engine.close());

const people = 12;
const ratings = checkerboard(people, 6, 4);
const request: Omit<SimulationRequest, 'shares' | 'kept' | 'noise' | 'aggregatorCount'> = {
  method: 'hush',
  settings: { rounds: 2, rank: 2 },
  epsilon: 50,
  delta: 1e-5,
  publicSeed: 1,
  codeVersion: 'test',
};
const byAggregators = { noise: { by: 'aggregators', honestNeeded: 1 }, aggregatorCount: 2 } as const;
const arrangements = {
  'devices, noise by two aggregators': {
    ...byAggregators,
    shares: dealt(ratings, people),
    kept: 'one-person',
  },
  'devices, some of them absent': {
    ...byAggregators,
    shares: dealt(ratings, people),
    kept: 'one-person',
    present: simulatedPresence(5, 0.3),
  },
  'parties, noise by two of three aggregators': {
    noise: { by: 'aggregators', honestNeeded: 2 },
    aggregatorCount: 3,
    shares: dealt(ratings, 3),
    kept: 'many-people',
  },
  'parties, noise by the parties': {
    noise: { by: 'parties', honestNeeded: 2 },
    leastReports: 3,
    aggregatorCount: 2,
    shares: dealt(ratings, 3),
    kept: 'many-people',
  },
} as const;

/** All sums of the log, and the model that follows from them. */
async function outcome(arrangement: keyof typeof arrangements, seed?: number) {
  const { board, replayed, signed } = await simulateRun(
    { ...request, ...arrangements[arrangement], ...(seed !== undefined && { seed }) },
    { engine },
  );
  const sums = [];
  for (let exchange = 0; exchange < board.length; exchange++) {
    const entry = (await board.peek(exchange))!;
    sums.push([...('sums' in entry ? entry.sums : [])]);
  }
  return { sums, model: replayed.model, run: signed.charter.run };
}

describe.each(Object.keys(arrangements) as (keyof typeof arrangements)[])('%s', (arrangement) => {
  it('one seed gives one log and one model, another seed others, and no seed new ones each time', async () => {
    const [first, again, other, unseeded, unseededAgain] = [
      await outcome(arrangement, 7),
      await outcome(arrangement, 7),
      await outcome(arrangement, 8),
      await outcome(arrangement),
      await outcome(arrangement),
    ];
    expect(again.run, 'it is another run').not.toBe(first.run);
    expect(again.sums).toEqual(first.sums);
    expect(again.model).toEqual(first.model);
    const all = [first, other, unseeded, unseededAgain];
    for (let exchange = 0; exchange < 2; exchange++)
      expect(new Set(all.map(({ sums }) => JSON.stringify(sums[exchange]))).size).toBe(all.length);
  });
});

it('a share of participants is absent, others at each exchange, whoever is asked for first', () => {
  const present = simulatedPresence(1, 0.3);
  const table = (order: readonly number[]) =>
    new Map(order.map((at) => [at, present(Math.floor(at / 50), at % 50)]));
  const places = Array.from({ length: 5000 }, (_, at) => at);
  const [forward, backward] = [table(places), table(places.toReversed())];
  expect(places.every((at) => forward.get(at) === backward.get(at))).toBe(true);
  // Six standard deviations of a sum of 5,000 coins.
  expect(Math.abs([...forward.values()].filter((there) => !there).length - 1500)).toBeLessThan(195);
  expect(simulatedPresence(1, 0)(3, 4)).toBe(true);
});
