// Roles of a federated run that are killed and started again with the same command: each party's people are
// charged once, for the whole plan, and in the end nothing is left, doubled or unknown.
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLedger } from '@hushrec/ledger';
import { readModelFolder } from '@hushrec/model/folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SmallFederation, type Started } from './small-federation.test.data.js';

/** `npm run kills` makes at least 20. */
const asked = process.env['HUSHREC_KILLS'];
const kills = asked === undefined ? 4 : Math.max(20, Math.ceil(Number(asked) / 10));
const killsPerRun = 4;
const federation = new SmallFederation();
const at = (...path: string[]) => federation.at(...path);
const timeout = 7_200_000;
beforeAll(() => federation.prepare(), timeout);
afterAll(() => federation.end());

async function entriesOf(party: string) {
  const ledger = await openLedger(at(`${party}.sqlite`));
  try {
    await ledger.check();
    return await ledger.entries();
  } finally {
    await ledger.close();
  }
}

/** Kills a role when it has said something, and a little later; whether it had ended before. */
async function killed(role: Started, words: RegExp | undefined): Promise<boolean> {
  const moment = words === undefined ? sleep(randomInt(3000)) : role.says(words);
  await Promise.race([moment.then(() => sleep(randomInt(40))).catch(() => undefined), role.ended]);
  return (await role.stop()).code === 0;
}

const moments = [/Charged to/, /"exchange":1/, undefined, /"exchange":3/];

// @door federate party: charge, kills
// @door federate coordinator: kills
it(`a party and a coordinator, ${kills} kills of each`, { timeout }, async () => {
  for (let run = 0; run * killsPerRun < kills; run++) {
    const charter = await federation.charter(`run-${run}`);
    const [model, out] = [`model-${run}`, `a-model-${run}`];
    const others = [
      federation.aggregator('north', charter),
      federation.aggregator('south', charter),
      federation.party('b', charter),
    ];
    const coordinator = () => federation.coordinator(charter, { out: model });
    const party = () => federation.party('a', charter, { out });
    let board = coordinator();
    for (const words of moments) {
      await killed(party(), words);
      await killed(board, undefined);
      board = coordinator();
    }
    for (const { ended } of [party(), ...others]) {
      const { code, errors } = await ended;
      expect(code, errors).toBe(0);
    }
    await board.says(/written/);
    // Once more, after its end: the model is its own, and nothing is charged.
    const { code, errors } = await party().ended;
    await board.stop();
    expect(code, errors).toBe(0);
    const { certificate } = await readModelFolder(at(out));
    expect(certificate).toEqual((await readModelFolder(at(model))).certificate);
    const { epsilon } = (
      JSON.parse(readFileSync(at(charter), 'utf8')) as { charter: { plan: { epsilon: number } } }
    ).charter.plan;
    expect(certificate.epsilon).toBeCloseTo(epsilon, 2);
    for (const name of ['a', 'b']) {
      const entries = await entriesOf(name);
      const paid = entries.flatMap(({ event, hash }) => (event.kind === 'spend' ? [hash] : []));
      const ended = entries.flatMap(({ event }) => (event.kind === 'completion' ? [event.spend] : []));
      expect(paid).toHaveLength(run + 1);
      expect(ended.sort()).toEqual([...paid].sort());
    }
    expect(readdirSync(at()).filter((name) => /\.partial-|\.(writing|old)$/.test(name))).toEqual([]);
  }
});
