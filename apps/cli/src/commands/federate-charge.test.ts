// What a federated run costs its parties' people: the plan's total, by the ledger, the charter and the
// certificate alike.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Catalogue, catalogueHash, type SimulatedRun, simulateRun } from '@hushrec/federate';
import { openLedger } from '@hushrec/ledger';
import { createEngine, type Engine } from '@hushrec/numerics';
import type { PrivacyEvent } from '@hushrec/privacy';
import { type RatingMatrix, readManifest } from '@hushrec/ratings';
import { jobOfCharter, makeRun } from '@hushrec/train';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dealt, federatingMethods } from '../../../../packages/federate/src/equality.test.data.js';
import { ledgerFor } from '../dataset-ledger.js';
import { exitCodes } from '../exit-codes.js';
import { runCommand } from '../run-command.test.data.js';

const delta = 1e-5;
const folder = mkdtempSync(join(tmpdir(), 'hushrec-party-charge-'));
let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A data set with a new account, and a ledger of its own. */
async function newAccount(name: string) {
  const directory = join(folder, name);
  const sizes = ['--people', '20', '--items', '10', '--ratings', '100', '--seed', '1'];
  expect((await runCommand('generate', directory, ...sizes)).code).toBe(0);
  const { account, contentHash } = await readManifest(directory);
  const flags = { ledger: join(folder, `${name}.sqlite`), newLedger: true };
  const data = { directory, account, identity: contentHash };
  /** Takes part in a run as a party does: it pays, hands something in, and ends. */
  const takePart = ({ signed: { charter, hash } }: SimulatedRun) =>
    makeRun({
      kind: 'party',
      source: data,
      method: charter.method,
      plan: charter.plan,
      job: jobOfCharter(hash),
      ledger: ledgerFor(directory, flags),
      say: (text) => said.push(text),
      show: (run) => run.hash,
      work: async (pay) => pay(),
    });
  const show = async () => {
    const given = ['--ledger', flags.ledger, '--delta', String(delta)];
    const { json, code, errors } = await runCommand('ledger', 'show', directory, ...given, '--json');
    expect(code, errors).toBe(0);
    return json;
  };
  return { data, flags, show, takePart };
}

const said: string[] = [];

/** The items of some ratings. */
const catalogueOf = ({ itemCount, scale }: RatingMatrix): Catalogue => ({
  format: 'hushrec-catalogue-1',
  scale,
  itemIds: Array.from({ length: itemCount }, (_, item) => `i${item}`),
});

async function partyRun(method: string, ratings: RatingMatrix, settings: object): Promise<SimulatedRun> {
  return simulateRun(
    {
      ...{ method, settings: { ...settings }, epsilon: 5, delta, codeVersion: 'test' },
      shares: dealt(ratings, 2),
      catalogueHash: await catalogueHash(catalogueOf(ratings)),
      aggregatorCount: 2,
      kept: 'many-people',
      noise: { by: 'aggregators', honestNeeded: 1 },
    },
    { engine },
  );
}

// @door federate party: charge
describe('ε of the ledger is that of the charter and of the certificate', () => {
  it.each(federatingMethods.map(([method, ratings, settings], at) => ({ method, ratings, settings, at })))(
    '$method $settings',
    async ({ method, ratings, settings, at }) => {
      const run = await partyRun(method, ratings, settings);
      const { signed, board } = run;
      const { plan } = signed.charter;
      const { show, takePart } = await newAccount(`data-${at}`);
      await takePart(run);
      const { certificate } = await makeRun({
        kind: 'federated model',
        ...{ signed, log: board, catalogue: catalogueOf(ratings), engine, codeVersion: 'test' },
        ...{ out: join(folder, `model-${at}`), overwrite: false },
      });
      const shown = await show();
      expect(plan.epsilon).toBe(5);
      // Sampled batches have no formula for μ: their noise is found by search, which ends a little below ε.
      const isSearched = 'samplingRate' in settings;
      expect(plan.epsilon - certificate.epsilon!).toBeLessThan(isSearched ? 0.0011 : 1e-12);
      expect(certificate.epsilon).toBeLessThanOrEqual(plan.epsilon);
      expect(shown.spent[0].epsilon).toBeGreaterThanOrEqual(certificate.epsilon! - 1e-3);
      expect(shown.spent[0].epsilon).toBeCloseTo(plan.epsilon, isSearched ? 2 : 6);
      expect(shown).toMatchObject({ runs: 1, unfinishedRuns: 0, chargedInPart: [] });
    },
  );
});

describe('a charge of an earlier version, of the first stage alone', () => {
  const file = join(folder, 'charter.json');
  let run: SimulatedRun;
  beforeAll(async () => {
    const [method, ratings, settings] = federatingMethods[0];
    run = await partyRun(method, ratings, settings);
    writeFileSync(file, JSON.stringify(run.signed));
    writeFileSync(join(folder, 'catalogue.json'), JSON.stringify(catalogueOf(ratings)));
  });

  /** An account as the earlier version left it. */
  async function chargedInPart(name: string) {
    const made = await newAccount(name);
    const { signed } = run;
    const { plan, method } = signed.charter;
    const events = plan.releases.map(
      ({ event, count }): PrivacyEvent => ({ kind: 'repeated', event, count }),
    );
    const ledger = await openLedger(made.flags.ledger, { create: true, markIn: made.data.directory });
    await ledger.spend({
      account: made.data.account.id,
      jobKey: jobOfCharter(signed.hash),
      method,
      protection: { unit: plan.unit, relation: plan.relation },
      charge: { kind: 'event', event: { kind: 'composed', events } },
    });
    await ledger.close();
    return made;
  }

  // @door ledger raise: charge
  it('is told by `ledger show`, and raised by `ledger raise`, once and whatever was granted', async () => {
    const { data, flags, show } = await chargedInPart('old');
    const before = await show();
    expect(before.chargedInPart).toEqual([1]);
    expect(before.spent[0].epsilon).toBeLessThan(2);
    const named = [data.directory, '--ledger', flags.ledger];
    expect((await runCommand('ledger', 'show', ...named)).text).toContain('hushrec ledger raise');
    const grant = ['--epsilon', '2', '--delta', String(delta)];
    expect((await runCommand('ledger', 'grant', ...named, ...grant)).code).toBe(0);
    for (let time = 0; time < 2; time++) {
      const raised = await runCommand('ledger', 'raise', ...named, '--charter', file);
      expect(raised.code, raised.errors).toBe(0);
      const after = await show();
      expect(after.spent[0].epsilon).toBeCloseTo(5, 6);
      expect(after).toMatchObject({ runs: 2, chargedInPart: [] });
    }
  });

  it('is raised when the run goes on', async () => {
    const { show, takePart } = await chargedInPart('going-on');
    for (let time = 0; time < 2; time++) {
      const { receipt } = await takePart(run);
      expect(receipt).toMatchObject({ number: 1, resumed: true });
      expect(said.at(-1)).toContain('raises entry 1');
      expect((await show()).spent[0].epsilon).toBeCloseTo(5, 6);
    }
  });

  it('is none where the run was charged whole', async () => {
    const { data, flags, takePart } = await newAccount('whole');
    await takePart(run);
    const raised = await runCommand(
      ...['ledger', 'raise', data.directory, '--ledger', flags.ledger, '--charter', file],
    );
    expect(raised.code).toBe(exitCodes.wrongUsage);
    expect(raised.errors).toContain('nothing to raise');
  });
});
