import '@hushrec/papers/register';
import { generateSigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { peopleCoins, RunSecret } from '@hushrec/privacy';
import { type RatingMatrix, SeededRandom } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signCard } from './card.js';
import type { Charter } from './charter.js';
import { draftCharter } from './draft-charter.js';
import { checkerboard } from './equality.test.data.js';
import { trainAsChartered } from './participant.js';
import { createSharingRecorder } from './sharing/sharing.js';
import { fineGrid, lineOf } from './sharing/sharing-line.js';
import { unpackWords } from './sharing/sharing-words.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
});
afterAll(() => engine.close());

const items = 12;
const explicit = checkerboard(1, items, 9);
const implicit = checkerboard(1, items, 6, { min: 1, max: 1, step: 1 });

/**
 * What a lying board answers with. Words hold whole numbers up to 2^47; a fault in reading them could give
 * anything.
 */
const lies: Readonly<Record<string, (random: () => number) => number>> = {
  zeros: () => 0,
  'not a number': () => Number.NaN,
  'huge and of either sign': (random) => (random() < 0.5 ? -1 : 1) * 1e300,
  infinite: () => Number.POSITIVE_INFINITY,
  denormal: () => 5e-324,
  'the largest words': (random) => (random() < 0.5 ? -1 : 1) * (2 ** 47 - 1),
  random: (random) => Math.round((random() - 0.5) * 2 ** 40),
  'mostly zeros': (random) => (random() < 0.9 ? 0 : 2 ** 30),
};

const methods = [
  ['hush', explicit],
  ['hush', implicit],
  ['dpals', explicit],
  ['dp-cmf', explicit],
  ['am-ssp', explicit],
  ['am-dpsgd', explicit],
  ['dp-sgd', explicit],
  ['dp-fw', explicit],
  ['dp-svd', explicit],
] as const;

/** Squared length in fine steps; beside the diagonal of packed triangles an entry counts twice. */
function squaredLength(values: Float64Array, width: number): number {
  let square = 0;
  for (let at = 0, row = 0, column = 0; at < values.length; at++) {
    square += (row === column ? 1 : 2) * values[at] ** 2;
    if (++column === width) {
      row = (row + 1) % width;
      column = row;
    }
  }
  return square;
}

/**
 * One person's contributions to all lines under a lie: how many there were, and the largest length over
 * sensitivity.
 */
async function contributions(
  charter: Charter,
  ratings: RatingMatrix,
  lie: (random: () => number) => number,
  seed: number,
): Promise<{ readonly lines: number; readonly most: number }> {
  const random = new SeededRandom(seed);
  let lines = 0;
  let most = 0;
  const recorder = createSharingRecorder(
    charter.plan,
    {
      settle: async (request, report) => {
        const values = unpackWords((await report('')).words, charter.wordBytes);
        let at = 0;
        for (const shape of request.lines) {
          const line = lineOf(request.plan, shape);
          const bound = line.sensitivity / fineGrid(line, shape.gridStep).step;
          const length = Math.sqrt(squaredLength(values.subarray(at, at + shape.length), shape.width));
          most = Math.max(most, length / bound);
          at += shape.length;
          lines++;
        }
        return values.map(() => lie(() => random.uniform()));
      },
    },
    {
      exchanges: charter.exchanges,
      wordBytes: charter.wordBytes,
      aggregators: 1,
      root: new Uint8Array(32).fill(seed),
      honestNeeded: 1,
      noiseOnSum: 1,
      addsNoise: false,
      // Not refused but measured here: what is checked is the proof, not the check.
      onePerson: false,
    },
  );
  const coins = peopleCoins(new RunSecret({ seed }));
  // A method that cannot go on with such sums hands in zeros from then on, as somebody without ratings.
  await trainAsChartered(charter, { engine }, ratings, recorder, { coins }).catch(() => undefined);
  return { lines, most };
}

async function charterOf(method: string, { itemCount, scale }: RatingMatrix): Promise<Charter> {
  const office = await signCard({ name: 'all', url: '' }, await generateSigningKey());
  const { charter } = await draftCharter(
    {
      method,
      epsilon: 20,
      delta: 1e-5,
      catalogue: { itemCount, scale, hash: '' },
      coordinator: office,
      aggregators: [office],
      noise: { by: 'aggregators', honestNeeded: 1 },
      mostPeople: 1000,
      leastReports: 1,
      pace: { kind: 'reports', count: 1, longestSeconds: 1 },
      admission: { kind: 'open' },
      codeVersion: 'test',
    },
    { engine },
  );
  return charter;
}

describe('one person’s contribution under a hostile log', () => {
  it.each(methods)('%s: is within the sensitivity at every line, or is not made', async (id, ratings) => {
    const charter = await charterOf(id, ratings);
    let lines = 0;
    let most = 0;
    for (const [at, lie] of Object.values(lies).entries()) {
      const seen = await contributions(charter, ratings, lie, at + 1);
      lines += seen.lines;
      most = Math.max(most, seen.most);
    }
    expect(lines).toBeGreaterThanOrEqual(Object.keys(lies).length);
    // Rounding towards zero happens before, so that not even the last bit may pass.
    expect(most).toBeLessThanOrEqual(1);
    // The bound is not loose by much either: a clip that was forgotten would be noticed.
    expect(most).toBeGreaterThan(0.05);
  });
});
