import '@hushrec/papers/register';
import { methods } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import type { FeatureSource } from '@hushrec/ratings';
import { beforeAll, describe, expect, it } from 'vitest';
import { draftCharter } from './draft-charter.js';
import {
  type CentralRun,
  centralRun,
  coinsOf,
  dealt,
  expectSame,
  federatingMethods,
  hasCoins,
  noiseOf,
  releasedSums,
  sameBytes,
  unsignedRequest,
  withoutFirst,
} from './equality.test.data.js';
import { type SimulatedRun, simulateRun } from './simulate-run.js';
import { instead } from './small-charter.test.data.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
});

// With few people at a usual ε shrinkage makes all vectors zero, and then anything equals anything.
const target = { epsilon: 1000, delta: 1e-5, seed: 3 } as const;
const [, explicit] = federatingMethods[0];

function federated(
  method: string,
  central: CentralRun,
  ratings: typeof explicit,
  participants: number,
  more: Partial<Parameters<typeof simulateRun>[0]> = {},
  features: readonly FeatureSource[] = [],
): Promise<SimulatedRun> {
  return simulateRun(
    {
      ...target,
      method,
      settings: central.settings,
      publicSeed: target.seed,
      shares: dealt(ratings, participants),
      kept: participants === ratings.userCount ? 'one-person' : 'many-people',
      aggregatorCount: 2,
      // Both aggregators' noises together are the plan's, so that the method is told the curator's noise.
      noise: { by: 'aggregators', honestNeeded: 2 },
      noiseSource: noiseOf(central),
      coins: coinsOf(central, ratings, participants),
      codeVersion: 'test',
      ...more,
    },
    { engine, features },
  );
}

it('no method that can be federated is left out', async () => {
  const federating: string[] = [];
  for (const { id } of methods) {
    const drafted = draftCharter(unsignedRequest(explicit, { ...target, method: id }), { engine });
    await drafted.then(
      () => federating.push(id),
      () => undefined,
    );
  }
  expect(federating.sort()).toEqual([...new Set(federatingMethods.map(([id]) => id))].sort());
});

describe('a federated run, noise of one curator at one aggregator', () => {
  it.each(federatingMethods)(
    '%s: releases and model are those of one curator, to the byte',
    async (method, ratings, settings, features) => {
      const central = await centralRun({ ...target, method, settings }, ratings, engine, features);
      for (const participants of [1, 3, ratings.userCount]) {
        const run = await federated(method, central, ratings, participants, {}, features);
        const sums = await releasedSums(run.signed.charter, run.board, { engine, features });
        expectSame(central, sums, run.replayed.model);
        for (const { result } of run.participants) expect(result?.model).toEqual(central.model);
      }
    },
  );

  // Without noise nothing covers a small mistake in a sum. Coins have nothing to do with noise.
  it.each(federatingMethods.filter(([, , settings]) => !hasCoins(settings)))(
    '%s without noise: the same; with one person less, or with noise, no sum and no model is',
    async (method, ratings, settings, features) => {
      const asked = { ...target, method, settings };
      const central = await centralRun({ ...asked, noise: 'off' }, ratings, engine, features);
      const noisy = await centralRun(asked, ratings, engine, features);
      const knowledge = { engine, features };
      const quiet = { noiseSource: () => () => undefined };
      const run = await federated(method, central, ratings, 3, quiet, features);
      expectSame(central, await releasedSums(run.signed.charter, run.board, knowledge), run.replayed.model);
      for (const { result } of run.participants) expect(result?.model).toEqual(central.model);
      const [first, ...others] = dealt(ratings, 3);
      const controls = [
        await federated(
          ...([method, central, ratings, 3] as const),
          { ...quiet, shares: [withoutFirst(first), ...others] },
          features,
        ),
        await federated(method, central, ratings, 3, { noiseSource: noiseOf(noisy) }, features),
      ];
      for (const control of controls) {
        const sums = await releasedSums(control.signed.charter, control.board, knowledge);
        expect(central.lines.filter(({ key, released }) => sameBytes(sums.get(key), released))).toEqual([]);
        expect(control.replayed.model).not.toEqual(central.model);
      }
    },
  );

  // Else the comparisons above say nothing about what features do.
  it.each(federatingMethods.filter(([, , , features]) => features.length > 0))(
    '%s with public facts makes another model than without',
    async (method, ratings, settings, features) => {
      const asked = { ...target, method, settings, noise: 'off' } as const;
      const [withFacts, without] = [
        await centralRun(asked, ratings, engine, features),
        await centralRun(asked, ratings, engine),
      ];
      expect(withFacts.model).not.toEqual(without.model);
    },
  );

  // A participant's credential is over the bytes of its report, so a carrier cannot change one.
  it('one bit of one report, changed on its way, is refused', async () => {
    const central = await centralRun({ ...target, method: 'hush', settings: {} }, explicit, engine);
    let changed = false;
    const bit = federated('hush', central, explicit, 3, {
      wrap: (port, at) =>
        instead(port, {
          put: (exchange, report, head, body, proof) => {
            if (at !== 0 || changed) return port.put(exchange, report, head, body, proof);
            changed = true;
            const other = body.slice();
            other[0] ^= 1;
            return port.put(exchange, report, head, other, proof);
          },
        }),
    });
    await expect(bit).rejects.toThrow(/not admitted/);
    expect(changed).toBe(true);
  });
});
