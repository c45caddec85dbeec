import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ledger, openLedger } from '@hushrec/ledger';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatasetCatalogue } from '../catalogue/dataset-catalogue.js';
import type { Role } from '../protection/access.js';
import { sampleAccount, sampleDatasetHash, writeSampleDataset } from '../testing/sample-models.test.data.js';
import { budgetWith, hasGrant, ledgerView } from './ledger-view.js';

const root = mkdtempSync(join(tmpdir(), 'hushrec-ledger-view-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const protection = { unit: 'user', relation: 'add-remove' } as const;
let tries = 0;
let location: string;
let folder: string;
beforeEach(async () => {
  folder = join(root, `data-${tries++}`);
  location = `${folder}.sqlite`;
  writeSampleDataset(folder);
  const ledger = await openLedger(location, { create: true, markIn: join(folder, 'sample') });
  await ledger.grant(sampleAccount, { epsilon: 4, delta: 1e-6, protection });
  const receipt = await ledger.spend({
    account: sampleAccount,
    jobKey: sampleDatasetHash,
    snapshot: sampleDatasetHash,
    method: 'dpals',
    note: 'Ada',
    protection,
    charge: { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 4 } },
  });
  await ledger.complete(sampleAccount, receipt);
  await ledger.close();
});

const dataset = async () => (await new DatasetCatalogue(folder).get('sample'))!;
const view = async (reader: Role = 'viewer') => ledgerView(await dataset(), location, reader);

describe('the budget as the page shows it', () => {
  it('holds nothing that depends on ratings but the account’s own spends', async () => {
    const shown = (await view())!;
    expect(shown).toMatchObject({ account: sampleAccount, runs: 1, problem: null });
    expect(shown.entries.map(({ kind }) => kind)).toEqual(['spend', 'grant']);
    expect(JSON.stringify(shown)).not.toContain(sampleDatasetHash.slice(0, 8));
  });

  it('tells operators when a run began and ended, and viewers its day', async () => {
    const [asOperator, asViewer] = [(await view('operator'))!, (await view())!];
    expect(asOperator.entries.map(({ kind }) => kind)).toEqual(['completion', 'spend', 'grant']);
    expect(asOperator).toMatchObject({ unfinishedRuns: 0, entries: [{}, { finished: true }, {}] });
    for (const { at } of asOperator.entries) expect(at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(asViewer).toMatchObject({ unfinishedRuns: null });
    for (const { at, finished } of asViewer.entries)
      expect([at, finished]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/), null]);
  });

  it('tells operators who started a run, and nobody else', async () => {
    const detail = async (reader: Role) =>
      (await view(reader))!.entries.find(({ kind }) => kind === 'spend')!.detail;
    expect(await detail('operator')).toBe('dpals, protects whole people: Ada');
    expect(await detail('viewer')).toBe('dpals, protects whole people');
  });

  it('is there however many entries of others came after', async () => {
    // Its own are then no longer among those that every decision checks.
    const recent = vi.spyOn(Ledger.prototype, 'recentEntries').mockResolvedValue([]);
    try {
      expect(await view()).toMatchObject({ runs: 1, grant: { epsilon: 4 }, entries: [], problem: null });
      expect(recent).toHaveBeenCalled();
    } finally {
      recent.mockRestore();
    }
  });

  it('says that the file is damaged, and where, instead of ending the server', async () => {
    const bytes = readFileSync(location);
    const at = bytes.indexOf('"method":"dpals"') + 11;
    // Not UTF-8 any more: what libsql ends the process for when it reads text.
    bytes[at] |= 0x80;
    writeFileSync(location, bytes);
    const { problem } = (await view())!;
    expect(problem).toMatch(/damaged at entry 2/);
    expect(problem).not.toContain(root);
  });

  it.each([
    ['gone', () => rmSync(location)],
    ['empty', () => writeFileSync(location, '')],
  ])('says that the ledger is %s', async (_what, happen) => {
    happen();
    const { problem, grant } = (await view())!;
    expect(problem).toMatch(/accept-loss|empty/);
    expect(problem).not.toContain(root);
    expect(grant).toBeNull();
  });
});

describe('a plan', () => {
  const charge = { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 4 } } as const;
  const asks: [string, () => Promise<unknown>][] = [
    ['with a cost', async () => budgetWith(await dataset(), location, charge, protection, 1e-6)],
    ['without one', async () => hasGrant(await dataset(), location)],
  ];

  it('knows a grant, a stop and a ledger that is not there yet', async () => {
    expect(await hasGrant(await dataset(), location)).toBe(true);
    expect(await hasGrant({ ...(await dataset()), path: root }, join(root, 'none.sqlite'))).toBe(false);
    const other = join(root, `stopped-${tries}.sqlite`);
    const ledger = await openLedger(other, { create: true });
    await ledger.refuse(sampleAccount);
    await ledger.close();
    expect(await hasGrant({ ...(await dataset()), path: root }, other)).toBe(true);
  });

  it('has one δ for all of an account, the grant’s, whatever the run’s own is', async () => {
    const entry = await dataset();
    const at = (delta: number) => budgetWith(entry, location, charge, protection, delta);
    expect(await at(1e-9)).toEqual(await at(1e-6));
    const { delta, own, spent } = (await at(1e-9))!;
    expect(delta).toBe(1e-6);
    // The run is the one that was spent before.
    expect(own).toBeCloseTo(spent!, 9);
  });

  it.each(asks)('%s is refused where the ledger is gone', async (_what, ask) => {
    rmSync(location);
    await expect(ask()).rejects.toMatchObject({
      problem: { status: 409, detail: expect.stringContaining('accept-loss') },
    });
  });

  it.each(asks)('%s is refused where the ledger is damaged', async (_what, ask) => {
    const bytes = readFileSync(location);
    bytes[bytes.indexOf('"method":"dpals"') + 11] |= 0x80;
    writeFileSync(location, bytes);
    await expect(ask()).rejects.toMatchObject({
      problem: { status: 409, detail: expect.stringContaining('damaged at entry 2') },
    });
  });
});
