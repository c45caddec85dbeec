import '@hushrec/papers/register';
import { createEngine, type Engine } from '@hushrec/numerics';
import { SeededRandom } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkerboard, dealt } from './equality.test.data.js';
import { type SimulatedRun, simulateRun } from './simulate-run.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
});
afterAll(() => engine.close());

const people = 400;
const ratings = checkerboard(people, 20, 12);
/** Four people with each participant. */
const participants = 100;
const shares = dealt(ratings, participants);

function run(
  own: typeof shares,
  present?: (participant: number, exchange: number) => boolean,
): Promise<SimulatedRun> {
  return simulateRun(
    {
      method: 'dpals',
      settings: { rank: 2, rounds: 3 },
      epsilon: 20,
      delta: 1e-5,
      shares: own,
      kept: 'many-people',
      aggregatorCount: 2,
      noise: { by: 'aggregators', honestNeeded: 1 },
      mostPeople: people,
      seed: 5,
      publicSeed: 5,
      codeVersion: 'test',
      ...(present && { present }),
    },
    { engine },
  );
}

/**
 * How well item vectors tell the two kinds of items apart: |mean cosine within| − |mean cosine between|, 2 at
 * best.
 */
function separation({ replayed }: SimulatedRun): number {
  const { itemFactors, rank } = replayed.model as unknown as { itemFactors: Float32Array; rank: number };
  const width = itemFactors.length / ratings.itemCount;
  const row = (item: number) => itemFactors.subarray(item * width, (item + 1) * width);
  const cosine = (a: Float32Array, b: Float32Array) => {
    const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, at) => sum + value * y[at], 0);
    return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b) || 1);
  };
  let within = 0;
  let between = 0;
  let pairs = 0;
  let others = 0;
  for (let a = 0; a < ratings.itemCount; a++)
    for (let b = 0; b < a; b++)
      if (a % 2 === b % 2) {
        within += cosine(row(a), row(b));
        pairs++;
      } else {
        between += cosine(row(a), row(b));
        others++;
      }
  expect(rank).toBeGreaterThan(0);
  return within / pairs - between / others;
}

describe('participants who are not there', () => {
  it('30 % absent at every exchange and some who come late: the run ends, everybody has the model, and it is as good as with as few people', async () => {
    const random = new SeededRandom(9);
    const absent = new Map<string, boolean>();
    const isPresent = (participant: number, exchange: number) => {
      // The last tenth come when the first exchange is over.
      if (participant >= 0.9 * participants && exchange === 0) return false;
      const place = `${participant} ${exchange}`;
      if (!absent.has(place)) absent.set(place, random.uniform() < 0.3);
      return !absent.get(place);
    };
    const withAbsent = await run(shares, isPresent);
    const { exchanges } = withAbsent.signed.charter;
    const handedIn = withAbsent.participants.reduce((sum, each) => sum + each.handedIn, 0);
    const share = handedIn / (participants * exchanges.length);
    expect(share).toBeGreaterThan(0.6);
    expect(share).toBeLessThan(0.75);
    for (const { result, missed, zerosBecause } of withAbsent.participants) {
      expect(result.model).toEqual(withAbsent.replayed.model);
      expect(zerosBecause).toBeUndefined();
      expect(missed).toBeLessThanOrEqual(exchanges.length);
    }
    const fewer = await run(shares.slice(0, Math.round(share * participants)));
    // Both are about 1.8 of 2 (0.1 from run to run); without any signal it is 0.
    expect(separation(fewer)).toBeGreaterThan(1.2);
    expect(separation(withAbsent)).toBeGreaterThan(separation(fewer) - 0.6);
  });
});
