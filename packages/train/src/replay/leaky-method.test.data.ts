import { defineMethod, type Method, type TrainedModel } from '@hushrec/factorize';
import type { Engine } from '@hushrec/numerics';
import { calibrate, createRecorder, PeopleNames, peopleCoins, RunSecret, sensitive } from '@hushrec/privacy';
import { type Person, ratingsOf } from '@hushrec/testing';
import type { TwinRequest } from './train-with-twin.js';

const settings = {
  rounds: { type: 'integer', default: 2, min: 1, max: 9, description: 'Releases of counts.' },
} as const;

/** What goes round the recorder. */
export type Leak =
  | 'nothing'
  | 'exact count in the model'
  | 'exact count in a fact'
  | 'length follows the data'
  | 'public start follows the data'
  | 'a release for each person'
  | 'fewer releases'
  | 'coins of people in public numbers';

/** Item counts with noise, and a model of them; `leak` is planted. */
export function countingMethod(leak: Leak): Method {
  return defineMethod({
    id: 'counting',
    title: 'Counting',
    paper: 'none',
    needs: 'ratings',
    feedback: ['explicit'],
    protects: [{ unit: 'user', relation: 'add-remove' }],
    settings,
    plan: ({ rounds }) => ({
      unit: 'user',
      relation: 'add-remove',
      released: 'counts',
      releases: [
        { name: 'counts', mechanism: { kind: 'gaussian' }, sensitivity: 3, count: rounds, share: 1 },
      ],
    }),
    async train({ ratings, recorder, random, coins, settings: { rounds } }): Promise<TrainedModel> {
      const { byUser, itemCount, userCount } = ratings;
      const counts = new Float64Array(itemCount);
      for (const item of byUser.indices) counts[item] += 1024;
      if (leak === 'public start follows the data') for (let user = 0; user < userCount; user++) random();
      const start = random();
      const bias = new Float32Array(itemCount).fill(start);
      const made = leak === 'fewer releases' && userCount > 0 ? rounds - 1 : rounds;
      for (let round = 0; round < made; round++) {
        const release = recorder.begin('counts');
        const length = leak === 'length follows the data' ? itemCount - Math.min(userCount, 1) : itemCount;
        const noisy = await release.add(0, sensitive(counts.slice(0, length), 'l2', 3), 2 ** -10);
        if (leak === 'a release for each person')
          for (let user = 0; user < userCount; user++)
            await release.add(1 + user, sensitive(new Float64Array(1), 'l2', 0), 2 ** -10);
        release.close();
        for (let item = 0; item < noisy.length; item++) bias[item] += noisy[item];
      }
      if (leak === 'exact count in the model') bias[0] = counts[0];
      if (leak === 'coins of people in public numbers' && userCount > 0)
        bias[1] = new PeopleNames(userCount, coins.ids).coins(coins.line('counts', 0)).uniform(0);
      return {
        model: { kind: 'baseline', feedback: 'explicit', offset: start, itemBias: bias },
        ...(leak === 'exact count in a fact' && { facts: { people: userCount } }),
      };
    },
  });
}

export const people: readonly Person[] = Array.from({ length: 12 }, (_, user) => ({
  name: `person ${user}`,
  items: [user % 4, 4 + (user % 3)],
  ratings: [1 + (user % 5), 3],
}));

/** A planned run of the method and what it is carried out on. */
export function plannedRun(method: Method, engine: Engine, key?: Uint8Array) {
  const ratings = ratingsOf(people, 8);
  const shape = { itemCount: 8, scale: ratings.scale, epsilon: 1, delta: 1e-6, features: [] };
  const plan = calibrate(method.plan({ rounds: 2 }, shape), { epsilon: 1, delta: 1e-6 });
  const secret = new RunSecret(key ? { key } : {});
  const run = { method, settings: { rounds: 2 }, plan, recorder: createRecorder(plan, { secret }) };
  const request: TwinRequest = {
    ratings,
    features: [],
    engine,
    twinEngine: engine,
    publicSeed: 7,
    coins: peopleCoins(secret),
  };
  return { run, request };
}
