import '@hushrec/papers/register';
import { executeRun, planRun, readSettings } from '@hushrec/factorize';
import { createEngine, csrFromTriples } from '@hushrec/numerics';
import { observedRecorder, peopleCoins, type ReleaseRequest, RunSecret } from '@hushrec/privacy';
import { smallRatings } from '@hushrec/testing';
import { expect, it } from 'vitest';
import { privateAlsSchema, solveHalf } from './als-half-round.js';
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

it('private ALS as printed, presence protected, has the sensitivity of Table 1 over 2nλ', () => {
  const [p, q, ridge, bound] = [0.3, 0.9, 0.05, 1];
  const given = { unit: 'rating-presence', repaired: false, rank: 2, ridge, residualBound: bound };
  const sensitivities = solveHalf({
    rows: csrFromTriples(3, 4, [0, 0, 0, 2], [0, 1, 2, 3]), // three ratings, none, one
    targets: Float32Array.of(1, -1, 0.5, 1),
    counts: new Float64Array(3),
    fixed: new Float64Array(8).fill(0.5),
    fixedNorm: q,
    out: new Float64Array(6),
    outNorm: p,
    settings: readSettings(privateAlsSchema, given),
  });
  const printed = (n: number) => (2 * q * (bound + q * p) + 2 * ridge * p) / (2 * n * ridge);
  expect(sensitivities[0]).toBeCloseTo(printed(3), 12);
  expect(sensitivities[1]).toBe(0);
  expect(sensitivities[2]).toBeCloseTo(printed(1), 12);
});
