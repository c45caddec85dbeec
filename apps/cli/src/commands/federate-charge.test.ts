// What a federated run costs its parties' people: the plan's total, by the ledger, the charter and the
// certificate alike.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Catalogue, catalogueHash, type SimulatedRun, simulateRun } from '@hushrec/federate';
import { createEngine, type Engine } from '@hushrec/numerics';
import { type RatingMatrix, readManifest } from '@hushrec/ratings';
import { jobOfCharter, makeRun } from '@hushrec/train';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dealt, federatingMethods } from '../../../../packages/federate/src/equality.test.data.js';
import { ledgerFor } from '../dataset-ledger.js';
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
      expect(shown).toMatchObject({ runs: 1, unfinishedRuns: 0 });
    },
  );
});
