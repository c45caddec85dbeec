import { generateSigningKey } from '@hushrec/model/signing';
import { createEngine } from '@hushrec/numerics';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Cast, type How, Reaper, runWithCrash } from './crashes.test.data.js';
import { dealt } from './equality.test.data.js';
import { smallCharter, smallRatings } from './small-charter.test.data.js';

let cast: Cast;
beforeAll(async () => {
  const knowledge = { engine: await createEngine({ kernel: 'simd', threads: 1 }) };
  const keys = [await generateSigningKey(), await generateSigningKey()];
  const signed = await smallCharter([...keys, await generateSigningKey()], knowledge);
  cast = { signed, keys, shares: dealt(smallRatings, 2), knowledge };
});

// @door page take-part: kills
describe('a role that dies at a durable step and is started again', () => {
  // All steps: HUSHREC_ALL_CRASHES=1 npx vitest run packages/federate/src/crashes.test.ts
  const all = process.env['HUSHREC_ALL_CRASHES'] === '1';

  it('gives the same sums and models, and nothing is published twice', { timeout: 600_000 }, async () => {
    const quiet = new Reaper();
    const undisturbed = await runWithCrash(cast, quiet);
    expect(quiet.steps).toBeGreaterThan(50);
    const stride = all ? 1 : Math.ceil(quiet.steps / 12);
    let kills = 0;
    for (const [offset, how] of (['before', 'after', 'half-way'] as How[]).entries()) {
      for (let at = all ? 0 : offset; at < quiet.steps; at += stride) {
        const reaper = new Reaper(at, how);
        const { sums, published, models } = await runWithCrash(cast, reaper);
        expect(sums, `${how} step ${at}`).toEqual(undisturbed.sums);
        expect(models).toEqual(undisturbed.models);
        for (const exchanges of published) for (const words of exchanges) expect(words.size).toBe(1);
        kills++;
      }
    }
    expect(kills).toBeGreaterThan(all ? 200 : 20);
  });
});
