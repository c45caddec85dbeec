// What a method has to keep to so that everybody who runs it on ratings of their own makes the same run.
import { methodById } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import { peopleCoins, RunSecret } from '@hushrec/privacy';
import { type FeatureSource, type RatingMatrix, SeededRandom } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Charter } from './charter.js';
import { draftCharter } from './draft-charter.js';
import { federatingMethods, only, unsignedRequest } from './equality.test.data.js';
import { wordCount } from './exchange-plan.js';
import { noRatings, trainAsChartered } from './participant.js';
import { createSharingRecorder, type SumExchange } from './sharing/sharing.js';
import type { LineShape } from './sharing/sharing-line.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
});
afterAll(() => engine.close());

async function charterOf(
  method: string,
  ratings: RatingMatrix,
  settings: object,
  features: readonly FeatureSource[] = [],
) {
  const request = unsignedRequest(ratings, { method, epsilon: 1000, delta: 1e-5 });
  const { charter } = await draftCharter(
    { ...request, settings: { ...settings }, publicSeed: 3 },
    { engine, features },
  );
  return charter;
}

/**
 * A run on somebody's ratings against a log that is the same for everyone: what was asked for, exchange by
 * exchange, and how often public randomness was drawn. No line is answered before all of its exchange are
 * there, so that lines which wait for each other would never be.
 */
async function asked(
  charter: Charter,
  own: RatingMatrix,
  { moreDraws = 0, features = [] }: { moreDraws?: number; features?: readonly FeatureSource[] } = {},
) {
  const exchanges: (readonly LineShape[])[] = [];
  const log: SumExchange = {
    settle: async ({ exchange, lines }, report) => {
      await report('');
      exchanges[exchange] = lines;
      const random = new SeededRandom(exchange);
      return new Float64Array(wordCount(lines)).map(() => Math.round(1e6 * random.normal()));
    },
  };
  const recorder = createSharingRecorder(charter.plan, log, {
    exchanges: charter.exchanges,
    wordBytes: charter.wordBytes,
    aggregators: 2,
    root: new Uint8Array(32),
    honestNeeded: 1,
    noiseOnSum: Math.SQRT2,
    addsNoise: false,
    onePerson: false,
  });
  let draws = 0;
  const method = methodById(charter.method);
  const counting: typeof method = {
    ...method,
    train: (input) => {
      const random = () => {
        draws++;
        return input.random();
      };
      for (let draw = 0; draw < moreDraws; draw++) random();
      return method.train({ ...input, random });
    },
  };
  const coins = peopleCoins(new RunSecret({ seed: 1 }));
  const { model } = await trainAsChartered(charter, { engine, features, method: counting }, own, recorder, {
    coins,
  });
  return { exchanges, draws, model };
}

describe.each(federatingMethods)('%s', (method, ratings, settings, features) => {
  it(`${JSON.stringify(settings)}: asks for the same lines, draws as often and makes the same model on nobody's, one person's and everybody's ratings`, async () => {
    const charter = await charterOf(method, ratings, settings, features);
    const nobody = await asked(charter, noRatings(charter), { features });
    for (const own of [only(ratings, [0]), ratings])
      expect(await asked(charter, own, { features })).toEqual(nobody);
    expect(nobody.exchanges.slice(0, charter.exchanges.length), 'those of the dry run').toEqual(
      charter.exchanges,
    );
    if (charter.plan.later === undefined) expect(nobody.exchanges).toHaveLength(charter.exchanges.length);
  });
});

it('a method that draws more where there is somebody is noticed', async () => {
  const [method, ratings, settings] = federatingMethods[2];
  const charter = await charterOf(method, ratings, settings);
  const nobody = await asked(charter, noRatings(charter));
  expect(await asked(charter, ratings, { moreDraws: 1 })).not.toEqual(nobody);
});
