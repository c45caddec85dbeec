import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ledger, openLedger } from '@hushrec/ledger';
import { generateCatalogue } from '@hushrec/ratings';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { catalogueSource } from './catalogue-source.test.data.js';
import { TrainingFailedError, type TrainingStep } from './failure.js';
import * as door from './index.js';
import { trainAndPublish } from './train-and-publish.js';
import type { TrainAndPublishRequest } from './training-request.js';

const { ratings } = generateCatalogue({ users: 80, items: 16, ratings: 600, seed: 2 });
const account = { id: 'b'.repeat(32), name: 'test' };
const protection = { unit: 'user', relation: 'add-remove' } as const;

let folder: string;
let place: string;
let opened: Ledger[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hushrec-call-'));
  place = join(folder, 'ledger.sqlite');
});
afterEach(async () => {
  opened = [];
  await rm(folder, { recursive: true, force: true });
});

const call = (more: Partial<TrainAndPublishRequest> = {}) =>
  trainAndPublish({
    source: catalogueSource(ratings, account, 'the content'),
    method: 'dp-sgd',
    settings: { rank: 2, rounds: 2, samplingRate: 0.5 },
    epsilon: 1,
    delta: 1e-6,
    out: join(folder, 'model'),
    threads: 1,
    codeVersion: '0',
    ledger: async () => {
      const ledger = await openLedger(place, { create: true });
      opened.push(ledger);
      return ledger;
    },
    ...more,
  });

async function inLedger<T>(use: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openLedger(place, { create: true });
  try {
    return await use(ledger);
  } finally {
    await ledger.close();
  }
}
const spends = () =>
  inLedger(async (ledger) => (await ledger.entries()).filter(({ event }) => event.kind === 'spend').length);
const failureOf = async (attempt: Promise<unknown>) => {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TrainingFailedError);
  return error as TrainingFailedError;
};
const failingAt = (step: TrainingStep) => ({
  step: (now: TrainingStep) => {
    if (now === step) throw new Error(`stopped at ${step}`);
  },
});

describe('the training call', () => {
  it('takes its steps in order, charges once, and leaves nothing but the model', async () => {
    const steps: string[] = [];
    const published = await call({ step: (step) => void steps.push(step) });
    expect(steps).toEqual(['plan', 'rehearse', 'charge', 'train', 'certify', 'publish', 'complete']);
    expect(published.certificate).toMatchObject({
      account: account.id,
      catalogue: 'declared',
      ledgerEntry: published.ledgerEntry,
      simulation: false,
      epsilon: expect.any(Number),
    });
    expect(published.certificate.epsilon).toBeLessThanOrEqual(1);
    expect(await spends()).toBe(1);
    expect((await readdir(folder)).filter((name) => !name.startsWith('ledger'))).toEqual(['model']);
  });

  it.each<[TrainingStep, boolean]>([
    ['plan', false],
    ['rehearse', false],
    ['charge', false],
    ['train', true],
    ['certify', true],
    ['publish', true],
  ])('that fails at %s says so, and whether it was paid for', async (step, paid) => {
    const failure = await failureOf(call(failingAt(step)));
    expect(failure).toMatchObject({ step, paid });
    expect(failure.message.includes('was paid for')).toBe(paid);
    expect(await spends()).toBe(paid ? 1 : 0);
    expect(existsSync(join(folder, 'model'))).toBe(false);
    expect(existsSync(join(folder, 'model.noise-key'))).toBe(paid);
  });

  it('makes the same bytes however often it is resumed, coins of samples among them, for one charge', async () => {
    const logs: string[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const out = join(folder, 'model');
      await failureOf(call({ resume: true, ...failingAt('complete') }));
      logs.push((await readFile(join(out, 'item-factors.safetensors'))).toString('hex'));
      await rm(out, { recursive: true });
    }
    expect(new Set(logs).size).toBe(1);
    expect(await spends()).toBe(1);
    expect((await call({ resume: true })).resumed).toBe(true);
    expect(await spends()).toBe(1);
  });

  it('charges again for a run that is not resumed', async () => {
    await failureOf(call(failingAt('publish')));
    const said: string[] = [];
    await call({ say: (line) => void said.push(line) });
    expect(said.join('\n')).toContain('--resume would go on with it');
    expect(await spends()).toBe(2);
  });

  it('can still be resumed after the same call without resume was refused', async () => {
    await failureOf(call(failingAt('publish')));
    await inLedger((ledger) => ledger.grant(account.id, { epsilon: 1.1, delta: 1e-6, protection }));
    expect(await failureOf(call())).toMatchObject({ step: 'charge', paid: false, kind: 'privacy' });
    expect(await call({ resume: true })).toMatchObject({ resumed: true });
    expect(await spends()).toBe(1);
    expect(existsSync(join(folder, 'model.noise-key'))).toBe(false);
  });

  it('refuses what a grant does not allow, before anything is trained, and leaves no secret', async () => {
    await inLedger((ledger) => ledger.grant(account.id, { epsilon: 0.5, delta: 1e-6, protection }));
    const failure = await failureOf(call());
    expect(failure).toMatchObject({ step: 'charge', paid: false, kind: 'privacy' });
    expect(existsSync(join(folder, 'model.noise-key'))).toBe(false);
    for (const unprotected of [
      { method: 'als', settings: {}, epsilon: Infinity, delta: 0 },
      { epsilon: Infinity },
      { seed: 3 },
    ])
      expect(await failureOf(call(unprotected))).toMatchObject({ kind: 'privacy', paid: false });
  });

  it('refuses weak guarantees unless they are meant', async () => {
    expect(await failureOf(call({ epsilon: 30 }))).toMatchObject({ step: 'plan', kind: 'privacy' });
    expect((await call({ epsilon: 30, acceptWeak: true })).certificate.epsilon).toBeGreaterThan(20);
  });

  it('marks a simulation as one, charges nothing and signs nothing', async () => {
    const { certificate } = await call({ seed: 5 });
    expect(certificate).toMatchObject({ simulation: true, ledgerEntry: null });
    expect(await spends()).toBe(0);
  });

  it('rehearses before it charges', async () => {
    const failure = await failureOf(call({ method: 'dpals', settings: { rank: 0.5 } }));
    expect(failure).toMatchObject({ step: 'plan', paid: false, kind: 'usage' });
    expect(await spends()).toBe(0);
  });
});

describe('a part of the data that was not chosen person by person', () => {
  const source = {
    ...catalogueSource(ratings, account, 'the content'),
    trainedOn: { protocol: 'holdout', splitSeed: 1 },
  };

  it('is refused a guarantee, before anything is read or charged', async () => {
    const open = () => Promise.reject(new Error('opened'));
    const failure = await failureOf(call({ source: { ...source, open } }));
    expect(failure).toMatchObject({ step: 'plan', paid: false, kind: 'privacy' });
    expect(failure.message).toContain('one person changes what is used of everybody');
    expect(await spends()).toBe(0);
    expect(await readdir(folder)).not.toContain('model');
  });

  it('is one of single ratings only if each was chosen by itself', async () => {
    const ofRatings = { method: 'private-global-effects', settings: {}, delta: 0 } as const;
    const trained = (trainedOn: Record<string, string | number>) =>
      call({ ...ofRatings, source: { ...source, trainedOn }, overwrite: true });
    const refused = await failureOf(trained({ protocol: 'leave-one-out', division: 'by-person' }));
    expect(refused).toMatchObject({ kind: 'privacy', paid: false });
    expect(refused.message).toContain('one rating changes which others');
    const { certificate } = await trained({ protocol: 'holdout', division: 'by-rating', liked: 4 });
    expect(certificate).toMatchObject({ simulation: false, unit: 'rating-presence' });
    const ofValues = { ...ofRatings, settings: { unit: 'rating-value' } };
    const likes = await failureOf(
      call({ ...ofValues, source: { ...source, trainedOn: { liked: 4 } }, overwrite: true }),
    );
    expect(likes).toMatchObject({ kind: 'privacy', paid: false });
  });

  it.each([
    ['a simulation', { seed: 3 }],
    ['a run without noise', { epsilon: Infinity }],
  ])('may be used by %s', async (_, more) => {
    const { manifest } = await call({ source, ...more });
    expect(manifest.run?.trainedOn).toEqual(source.trainedOn);
  });
});

describe('data that was imported again since it was described', () => {
  it.each([
    ['other content', { identity: 'other content' }],
    ['the people of another account', { account: 'c'.repeat(32) }],
  ])('is not trained on, and nothing is charged: %s', async (_, changed) => {
    const source = catalogueSource(ratings, account, 'the content');
    const open = async () => ({ ...(await source.open()), ...changed });
    const failure = await failureOf(call({ source: { ...source, open } }));
    expect(failure).toMatchObject({ step: 'plan', paid: false, kind: 'data' });
    expect(failure.cause).toBeInstanceOf(door.DataChangedError);
    expect(await spends()).toBe(0);
    expect(await readdir(folder)).not.toContain('model');
  });
});

describe('the door of the package', () => {
  it('offers no way to certify or to write a folder beside the call', () => {
    expect(Object.keys(door).sort()).toEqual([
      'DataChangedError',
      'KeptSecretError',
      'NotASimulationError',
      'NotFromReleasesError',
      'RehearsalError',
      'ReleaseLogError',
      'TrainingFailedError',
      'UnpaidSessionError',
      'WeakGuaranteeError',
      'certifiedCost',
      'checkStrength',
      'clearLeftOvers', // puts back what was published before; makes nothing
      'publishFederated',
      'publishParty',
      'publishSimulation',
      'recomputeModel',
      'trainAndPublish',
    ]);
  });
});
