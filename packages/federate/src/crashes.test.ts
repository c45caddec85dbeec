import { generateSigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Cast, type How, Reaper, runWithCrash } from './crashes.test.data.js';
import { dealt } from './equality.test.data.js';
import { smallCharter, smallRatings } from './small-charter.test.data.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
});

async function cast(normProofs: boolean): Promise<Cast> {
  const keys = [await generateSigningKey(), await generateSigningKey()];
  const signed = await smallCharter([...keys, await generateSigningKey()], { engine }, { normProofs });
  // Norm proofs are for one person each.
  const shares = normProofs ? dealt(smallRatings, 12).slice(0, 2) : dealt(smallRatings, 2);
  return { signed, keys, shares, knowledge: { engine } };
}

// @door page take-part: kills
describe('a role that dies at a durable step and is started again', () => {
  // All steps: HUSHREC_ALL_CRASHES=1 npx vitest run packages/federate/src/crashes.test.ts
  const all = process.env['HUSHREC_ALL_CRASHES'] === '1';

  it.each([
    ['', false],
    [' with norm proofs', true],
  ])('gives the same sums and models%s, and nothing is published twice', async (_, normProofs) => {
    const players = await cast(normProofs);
    const quiet = new Reaper();
    const undisturbed = await runWithCrash(players, quiet);
    expect(quiet.steps).toBeGreaterThan(50);
    expect(undisturbed.zeros).toEqual([]);
    const stride = all ? 1 : Math.ceil(quiet.steps / 12);
    let kills = 0;
    for (const [offset, how] of (['before', 'after', 'half-way'] as How[]).entries()) {
      for (let at = all ? 0 : offset; at < quiet.steps; at += stride) {
        const reaper = new Reaper(at, how);
        const { sums, published, models } = await runWithCrash(players, reaper);
        expect(sums, `${how} step ${at}`).toEqual(undisturbed.sums);
        expect(models).toEqual(undisturbed.models);
        for (const exchanges of published) for (const words of exchanges) expect(words.size).toBe(1);
        kills++;
      }
    }
    expect(kills).toBeGreaterThan(all ? 200 : 20);
  });
});
