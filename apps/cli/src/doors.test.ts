// What a model costs is what its plan says, by the ledger, whichever door it came through; and a run whose
// plan is not the one that was shown does not begin.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@hushrec/ledger';
import { readModelFolder } from '@hushrec/model/folder';
import { openDataset } from '@hushrec/ratings';
import { afterAll, describe, expect, it } from 'vitest';
import { trainArguments } from '../../server/src/jobs/train-arguments.js';
import { exitCodes } from './exit-codes.js';
import { plan, train } from './library/train.js';
import { runCommand } from './run-command.test.data.js';

const base = mkdtempSync(join(tmpdir(), 'hushrec-doors-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const done = async (...args: string[]) => {
  const { code, errors } = await runCommand(...args);
  expect(code, errors).toBe(0);
};

/** A data set, a ledger, and a place for a model. */
async function prepared(name: string) {
  const folder = join(base, name);
  mkdirSync(folder);
  const week = (number: number) => {
    const rows = Array.from({ length: 240 }, (_, k) => `u${k % 40},i${(k * 7 + number) % 12},${1 + (k % 5)}`);
    const file = join(folder, `week-${number}.csv`);
    writeFileSync(file, `user,item,rating\n${[...new Set(rows)].join('\n')}\n`);
    return file;
  };
  const [data, model, ledger] = ['data', 'model', 'ledger.sqlite'].map((each) => join(folder, each));
  await done('import', week(1), data, '--scale', '1:5:1', '--ledger', ledger, '--new-ledger');
  return { data, model, ledger, week };
}
type Prepared = Awaited<ReturnType<typeof prepared>>;

async function charges(location: string) {
  const ledger = await openLedger(location);
  try {
    return (await ledger.entries()).flatMap(({ event }) => (event.kind === 'spend' ? [event.charge] : []));
  } finally {
    await ledger.close();
  }
}

/** `hush` pays in stages that are decided on the way: its total is more than its first stage. */
const flags = ['--method', 'hush', '--epsilon', '1', '--delta', '1e-6', '--set', 'rank=2', '--threads', '1'];
const byCommand = ({ data, model, ledger }: Prepared) =>
  done('train', data, ...flags, '--out', model, '--ledger', ledger);
const doors: Readonly<Record<string, (prepared: Prepared) => Promise<unknown>>> = {
  train: byCommand,
  'train()': ({ data, model, ledger }) =>
    train(data, { epsilon: 1, settings: { rank: 2 }, threads: 1, out: model, ledger }),
  // A run of the server is this command, in a process of its own.
  serve: ({ data, model, ledger }) => {
    const request = {
      ...{ dataset: 'data', method: 'hush', epsilon: 1, delta: 1e-6 },
      settings: { rank: 2 },
    };
    const places = { dataset: data, model, resume: false };
    return done(...trainArguments({ ...request, model: 'model' }, places), '--ledger', ledger);
  },
  refresh: async (prepared) => {
    await byCommand(prepared);
    const { data, model, ledger, week } = prepared;
    await done(
      ...['refresh', data, '--from', week(2), '--append', '--model', model],
      ...['--ledger', ledger, '--threads', '1'],
    );
  },
};

// @door train: charge
// @door train(): charge
// @door serve: charge
// @door refresh: charge
it.each(Object.keys(doors))('%s charges the total of the plan, once a run', async (name) => {
  const place = await prepared(name);
  await doors[name](place);
  const { certificate } = await readModelFolder(place.model);
  const paid = await charges(place.ledger);
  expect(paid).toHaveLength(name === 'refresh' ? 2 : 1);
  const { tightestEpsilon } = await import('@hushrec/privacy');
  for (const charge of paid) {
    const epsilon = charge.kind === 'event' ? tightestEpsilon(charge.event, 1e-6).epsilon : 0;
    // What a refresh remembers was paid for by the runs before.
    expect(epsilon).toBeGreaterThanOrEqual((certificate.chain?.lastRun ?? certificate.epsilon!) - 1e-4);
    expect(epsilon).toBeLessThanOrEqual(1 + 1e-9);
  }
});

describe('a plan that was shown', () => {
  const other = '0'.repeat(64);
  const shownBy = async (...args: string[]) => {
    const { code, json, errors } = await runCommand(...args, '--dry-run', '--json');
    expect(code, errors).toBe(0);
    return String(json.plan);
  };

  // @door train: plan-hash
  it('is the only one that train makes, and another is refused before the charge', async () => {
    const { data, model, ledger } = await prepared('shown');
    const asked = ['train', data, ...flags, '--out', model, '--ledger', ledger];
    const own = await shownBy(...asked);
    const others = [
      ['--epsilon', '1.5'],
      ['--set', 'rank=3'],
      ['--method', 'dpals'],
    ];
    for (const changed of others)
      expect((await runCommand(...asked, ...changed, '--plan', own)).code).toBe(exitCodes.privacyRefused);
    expect((await runCommand(...asked, '--plan', other)).errors).toContain(own);
    expect((await runCommand(...asked, '--plan', 'abc')).code).toBe(exitCodes.wrongUsage);
    expect(await charges(ledger)).toEqual([]);
    await done(...asked, '--plan', own);
    expect(await charges(ledger)).toHaveLength(1);
  });

  it('is of the people, the catalogue and the releases that it was shown with', async () => {
    const { data, model, ledger, week } = await prepared('shown-catalogue');
    const listing = (titles: string) => {
      const file = join(base, `${titles}.csv`);
      const rows = Array.from({ length: 12 }, (_, k) => `i${k},${titles} ${k}`);
      writeFileSync(file, `item,title\n${rows.join('\n')}\n`);
      const from = ['import', week(1), data, '--scale', '1:5:1', '--catalogue', file, '--items', file];
      return done(...from, '--overwrite', '--ledger', ledger);
    };
    await listing('Tea');
    const asked = ['train', data, ...flags, '--out', model, '--ledger', ledger];
    const own = await shownBy(...asked);
    const refused = async (...changed: string[]) => {
      const { code, errors } = await runCommand(...asked, ...changed, '--plan', own);
      expect([code, errors]).toEqual([exitCodes.privacyRefused, expect.stringContaining(own)]);
    };
    await refused('--people', '300');
    await refused('--with-releases');
    await listing('Coffee');
    await refused();
    expect(await charges(ledger)).toEqual([]);
    await listing('Tea');
    await done(...asked, '--plan', own);
  });

  it('is of the features that it was shown with', async () => {
    const { data, model, ledger } = await prepared('shown-features');
    const { itemIds } = await openDataset(data);
    const file = join(base, 'genres.csv');
    const genres = (odd: string) =>
      writeFileSync(
        file,
        ['item,genre', ...itemIds.map((id, at) => `${id},${at % 2 ? odd : 'a'}`)].join('\n'),
      );
    genres('b');
    const asked = ['train', data, ...flags, '--features', file, '--out', model, '--ledger', ledger];
    const own = await shownBy(...asked);
    genres('a');
    const { code, errors } = await runCommand(...asked, '--plan', own);
    expect([code, errors]).toEqual([exitCodes.privacyRefused, expect.stringContaining(own)]);
    expect(await charges(ledger)).toEqual([]);
    genres('b');
    await done(...asked, '--plan', own);
    expect(await charges(ledger)).toHaveLength(1);
  });

  // @door train(): plan-hash
  it('is the only one that train() makes, and another is refused before the charge', async () => {
    const { data, model, ledger } = await prepared('planned');
    const asked = { epsilon: 1, settings: { rank: 2 }, threads: 1, out: model, ledger };
    const { hash: planHash, plan: planned } = await plan(data, asked);
    expect(planned.epsilon).toBeLessThanOrEqual(1);
    for (const changed of [{ epsilon: 1.5 }, { delta: 1e-5 }, { settings: { rank: 3 } }, { planHash: other }])
      await expect(train(data, { ...asked, planHash, ...changed })).rejects.toMatchObject({
        kind: 'privacy',
        step: 'plan',
        paid: false,
      });
    await expect(train(data, { ...asked, planHash: 'abc' })).rejects.toThrow('expected the hash of a plan');
    expect(await charges(ledger)).toEqual([]);
    const { plan: made } = await train(data, { ...asked, planHash });
    expect(made).toMatchObject({ epsilon: planned.epsilon, delta: planned.delta, total: planned.total });
    expect(await charges(ledger)).toHaveLength(1);
  });

  // @door refresh: plan-hash
  it('is the only one that refresh makes, and another is refused before the charge', async () => {
    const place = await prepared('shown-again');
    await byCommand(place);
    const { data, model, ledger, week } = place;
    const asked = ['refresh', data, '--from', week(2), '--append', '--model', model, '--ledger', ledger];
    const own = await shownBy(...asked, '--threads', '1');
    for (const changed of [['--epsilon', '2'], ['--begin-anew']])
      expect((await runCommand(...asked, ...changed, '--plan', own)).code).toBe(exitCodes.privacyRefused);
    expect((await runCommand(...asked, '--plan', other)).errors).toContain(own);
    expect(await charges(ledger)).toHaveLength(1);
    await done(...asked, '--threads', '1', '--plan', own);
    expect(await charges(ledger)).toHaveLength(2);
  });
});
