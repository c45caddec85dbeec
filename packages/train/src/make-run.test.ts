import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@hushrec/ledger';
import { calibrate } from '@hushrec/privacy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRun, OtherPlanError, workHash } from './index.js';

const account = { id: 'a'.repeat(32), name: 'shop' };
const protection = { unit: 'user', relation: 'add-remove' } as const;
const plan = calibrate(
  {
    ...protection,
    released: 'a sum',
    releases: [{ name: 'sum', mechanism: { kind: 'gaussian' }, sensitivity: 1, count: 1, share: 1 }],
  },
  { epsilon: 1, delta: 1e-6 },
);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hushrec-run-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a run that makes no model', () => {
  let began = 0;
  const work = async (pay: () => Promise<void>) => {
    began += 1;
    await pay();
  };
  const runs = (show: (plan: { readonly hash: string }) => string) => {
    const of = {
      source: { account, identity: 'content' },
      method: 'a method',
      ledger: () => openLedger(join(folder, 'ledger.sqlite'), { create: true }),
      show,
    };
    const figure = {
      settings: { since: 'today' },
      rounding: {},
      beside: join(folder, 'figure'),
      resume: false,
    };
    return {
      party: () => makeRun({ ...of, kind: 'party', plan, job: 'a job', work }),
      figure: () => makeRun({ ...of, ...figure, kind: 'figure', plan, work }),
      tuning: () => makeRun({ ...of, kind: 'tuning', cost: { plan }, protection }),
    };
  };
  const settings = { party: { job: 'a job' }, figure: { since: 'today' }, tuning: {} };

  it.each(['party', 'figure', 'tuning'] as const)(
    'is shown before it is charged, and refused where another plan was agreed to (%s)',
    async (kind) => {
      began = 0;
      const own = workHash({
        account: account.id,
        method: 'a method',
        protection,
        cost: { plan },
        settings: settings[kind],
      });
      const shown: string[] = [];
      const other = runs(({ hash }) => {
        shown.push(hash);
        return '0'.repeat(64);
      });
      await expect(other[kind]()).rejects.toBeInstanceOf(OtherPlanError);
      expect(shown).toEqual([own]);
      expect([began, await readdir(folder)]).toEqual([0, []]);
      await runs(() => own)[kind]();
      const ledger = await openLedger(join(folder, 'ledger.sqlite'));
      const spends = (await ledger.entries()).filter(({ event }) => event.kind === 'spend');
      await ledger.close();
      expect(spends).toHaveLength(1);
    },
  );
});
