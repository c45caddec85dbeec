import { createEngine } from '@hushrec/numerics';
import { observedRecorder, peopleCoins, type ReleaseRequest, RunSecret } from '@hushrec/privacy';
import { smallRatings } from '@hushrec/testing';
import { expect, it } from 'vitest';
import { executeRun, planRun } from '../train.js';
import { privateAls } from './private-als.js';

it('private ALS bounds a row by the norm of the vectors it is solved from, not of those it is about', async () => {
  const ratings = smallRatings(12, 8, 3);
  const [userNorm, itemNorm, ridge, fewestRatings] = [0.3, 0.9, 0.05, 1000];
  const secret = new RunSecret({ seed: 1 });
  const run = planRun({
    method: privateAls,
    settings: { rank: 2, rounds: 1, userNorm, itemNorm, ridge, fewestRatings, residualBound: 1 },
    itemCount: 8,
    scale: ratings.scale,
    epsilon: 4,
    delta: 0,
    noise: { secret },
  });
  const asked: ReleaseRequest[] = [];
  const engine = await createEngine({ kernel: 'scalar', threads: 1 });
  await executeRun(run, {
    ratings,
    features: [],
    engine,
    publicSeed: 1,
    coins: peopleCoins(secret),
    recorder: observedRecorder(run.recorder, (request) => void asked.push(request)),
  });
  await engine.close();
  const boundsOf = (name: string) => {
    const request = asked.find(({ release }) => release === name);
    if (request?.kind !== 'numbers' || request.layout.kind !== 'vectors') throw new Error(`no ${name}`);
    return request.layout.sensitivities!;
  };
  // ‖x‖(B + R‖x‖)/(λ n₀), with x among the fixed vectors and R the norm of those that are solved for.
  const bound = (fixed: number, solved: number) => (fixed * (1 + solved * fixed)) / (ridge * fewestRatings);
  for (const own of boundsOf('user-vectors')) {
    expect(own).toBeGreaterThanOrEqual(bound(itemNorm, userNorm));
    expect(own).toBeLessThan(1.01 * bound(itemNorm, userNorm));
  }
  for (const own of boundsOf('item-vectors')) {
    expect(own).toBeGreaterThanOrEqual(bound(userNorm, itemNorm));
    expect(own).toBeLessThan(1.01 * bound(userNorm, itemNorm));
  }
});
