import '@hushrec/papers/register';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { methodById } from '@hushrec/factorize';
import { type Ledger, openLedger } from '@hushrec/ledger';
import type { Certificate, TrainedOn } from '@hushrec/model';
import { generateCatalogue } from '@hushrec/ratings';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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
    method: 'dpals',
    settings: { rank: 2, rounds: 2 },
    epsilon: 1,
    delta: 1e-6,
    out: join(folder, 'model'),
    threads: 1,
    codeVersion: '0',
    show: ({ hash }) => hash,
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

  it.each(['hush', 'dp-sgd'])('executes %s three times: rehearsal, run and twin', async (id) => {
    const train = vi.spyOn(methodById(id), 'train');
    await call({ method: id, ...(id === 'hush' && { settings: {} }) });
    expect(train).toHaveBeenCalledTimes(3);
    train.mockRestore();
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
    const sampled = { method: 'dp-sgd', settings: { rank: 2, rounds: 2, samplingRate: 0.5 }, resume: true };
    const logs: string[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const out = join(folder, 'model');
      await failureOf(call({ ...sampled, ...failingAt('complete') }));
      logs.push((await readFile(join(out, 'item-factors.safetensors'))).toString('hex'));
      await rm(out, { recursive: true });
    }
    expect(new Set(logs).size).toBe(1);
    expect(await spends()).toBe(1);
    expect((await call(sampled)).resumed).toBe(true);
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

  it('refuses an ε that is no number, instead of training without noise', async () => {
    for (const epsilon of ['1', [1], true, null, undefined, Number.NaN]) {
      const failure = await failureOf(call({ epsilon: epsilon as number }));
      expect(failure).toMatchObject({ step: 'plan', paid: false });
      expect(failure.message).toContain('expected a number > 0');
      expect(existsSync(join(folder, 'model'))).toBe(false);
    }
    expect(await spends()).toBe(0);
  });

  it('refuses to learn from what people say about themselves where nobody was asked, before the charge', async () => {
    const asking = call({ method: 'am-ssp', settings: { peopleFeatures: 'student:1' } });
    expect(await failureOf(asking)).toMatchObject({ kind: 'usage', paid: false });
    expect(await spends()).toBe(0);
  });

  it('refuses weak guarantees unless they are meant', async () => {
    expect(await failureOf(call({ epsilon: 30 }))).toMatchObject({ step: 'plan', kind: 'privacy' });
    expect((await call({ epsilon: 30, acceptWeak: true })).certificate.epsilon).toBeGreaterThan(20);
  });

  it('refuses another plan than the one that was shown, before anything is read or charged', async () => {
    let shown: door.Announcement | undefined;
    const source = catalogueSource(ratings, account, 'the content');
    await failureOf(
      call({
        show: (plan) => {
          shown = plan;
          return plan.hash;
        },
        ...failingAt('rehearse'),
      }),
    );
    const agreed = shown!.hash;
    const show = () => agreed;
    expect(agreed).toBe(door.planHash(shown!, { source, simulation: false, model: 'model' }));
    const steps: string[] = [];
    for (const other of [
      { epsilon: 2 },
      { delta: 1e-5 },
      { settings: { rank: 2, rounds: 3 } },
      { method: 'dpals', settings: { rank: 2 } },
      { seed: 1 },
      { out: join(folder, 'another') },
      { source: { ...source, name: 'another' } },
      { source: { ...source, account: { id: 'c'.repeat(32), name: 'test' } } },
      { source: { ...source, trainedOn: { liked: 4 } } },
      {
        source: {
          ...source,
          features: [{ kind: 'similarity' as const, name: 'near', byItem: ratings.byUser }],
        },
      },
      { source: { ...source, catalogue: 'rated items' as const } },
      { source: { ...source, items: { itemIds: ['a', 'b'] } } },
      { declaredPeople: 500 },
      { withReleases: true },
      { method: 'als', settings: {}, epsilon: Infinity, delta: 0 },
    ]) {
      const failure = await failureOf(call({ show, ...other, step: (step) => void steps.push(step) }));
      expect(failure.cause, JSON.stringify(other)).toBeInstanceOf(door.OtherPlanError);
      expect(failure).toMatchObject({ step: 'plan', paid: false, kind: 'privacy' });
    }
    expect(new Set(steps)).toEqual(new Set(['plan']));
    expect(await spends()).toBe(0);
    expect((await call({ show })).certificate.epsilon).toBeLessThanOrEqual(1);
    expect(await spends()).toBe(1);
  });

  it('refuses features or a catalogue that changed since the plan was shown, before the charge', async () => {
    const source = catalogueSource(ratings, account, 'the content');
    const near = { kind: 'similarity' as const, name: 'near', byItem: { ...ratings.byUser } };
    for (const known of [{ features: [near] }, { items: { itemIds: ['other items'] } }]) {
      const failure = await failureOf(call({ source: { ...source, ...known } }));
      expect(failure.cause).toBeInstanceOf(door.OtherPlanError);
      expect(failure).toMatchObject({ paid: false });
    }
    expect(await spends()).toBe(0);
  });

  it('starts no run without the hash of a plan', async () => {
    const failure = await failureOf(call({ show: () => '' }));
    expect(failure.cause).toBeInstanceOf(door.OtherPlanError);
    expect(failure).toMatchObject({ step: 'plan', paid: false });
    expect(await spends()).toBe(0);
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
    const trained = (trainedOn: TrainedOn) =>
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

describe('a run that stopped after its model was in place', () => {
  const openRuns = () => inLedger(async (ledger) => (await ledger.balance(account.id, 1e-6)).unfinishedRuns);
  const besideModel = async () =>
    (await readdir(folder)).filter((name) => !name.startsWith('ledger') && !name.endsWith('.file')).sort();
  const certificate = (model = 'model') => readFile(join(folder, model, 'certificate.json'), 'utf8');

  it.each([
    ['resume', { resume: true }],
    ['resume and overwrite, as it was called', { resume: true, overwrite: true }],
  ])('is finished by %s: no secret, no open entry, the same model, one charge', async (_, how) => {
    await failureOf(call(failingAt('complete')));
    expect(await besideModel()).toEqual(['model', 'model.noise-key']);
    expect(await openRuns()).toBe(1);
    const before = await certificate();
    const finished = await call(how);
    expect(finished).toMatchObject({ resumed: true, ledgerEntry: finished.certificate.ledgerEntry });
    expect(await certificate()).toBe(before);
    expect(await besideModel()).toEqual(['model']);
    expect([await openRuns(), await spends()]).toEqual([0, 1]);
  });

  it('is finished by whoever trains to another place in that folder, or is refused this one', async () => {
    await failureOf(call({ out: join(folder, 'a'), ...failingAt('complete') }));
    await call({ out: join(folder, 'b') });
    expect(await besideModel()).toEqual(['a', 'b']);
    await failureOf(call({ out: join(folder, 'c'), ...failingAt('complete') }));
    expect(await failureOf(call({ out: join(folder, 'c') }))).toMatchObject({ kind: 'usage', paid: false });
    expect(await besideModel()).toEqual(['a', 'b', 'c']);
    expect([await openRuns(), await spends()]).toEqual([0, 3]);
  });

  it('is finished too where its model was held back: found beside its place, and not charged again', async () => {
    const out = join(folder, 'model');
    await call();
    const live = await readFile(join(out, 'certificate.json'), 'utf8');
    const held = (certificate: Certificate) => door.heldBackFolder(out, certificate);
    await failureOf(call({ overwrite: true, place: held, ...failingAt('complete') }));
    expect(existsSync(`${out}.noise-key`)).toBe(true);
    const finished = await inLedger((ledger) =>
      door.finishLeftOver(out, { ledger: async () => ledger, say: () => {} }),
    );
    const [kept] = await door.keptVersions(out);
    expect(kept).toMatchObject({ hash: finished?.certificate.hash, isHeldBack: true });
    expect(await readFile(join(out, 'certificate.json'), 'utf8')).toBe(live);
    expect((await readdir(folder)).filter((name) => /noise-key|unreported/.test(name))).toEqual([]);
    expect(await spends()).toBe(2);
  });

  it('is finished, and not taken for another run that is asked to resume: nothing is charged', async () => {
    for (const other of [{ epsilon: 2 }, { settings: { rank: 3, rounds: 2 } }]) {
      await failureOf(call({ overwrite: true, ...failingAt('complete') }));
      const paid = await spends();
      const failure = await failureOf(call({ resume: true, overwrite: true, ...other }));
      expect(failure.cause).toBeInstanceOf(door.OtherRunLeftError);
      expect(await spends()).toBe(paid);
      expect(await besideModel()).toEqual(['model']);
    }
    await failureOf(call({ overwrite: true, ...failingAt('complete') }));
    const source = catalogueSource(ratings, account, 'other content');
    expect((await failureOf(call({ resume: true, overwrite: true, source }))).cause).toBeInstanceOf(
      door.OtherRunLeftError,
    );
  });

  it('does not cost the secret of a paid run that was to replace a model', async () => {
    await call();
    const old = await certificate();
    await failureOf(call({ overwrite: true, ...failingAt('publish') }));
    const said: string[] = [];
    expect(await failureOf(call({ say: (line) => void said.push(line) }))).toMatchObject({ kind: 'usage' });
    expect(said.join('\n')).toMatch(
      /model\.noise-key is the secret of a run .* as sensitive as the data.*--resume/,
    );
    expect(await failureOf(call({ resume: true }))).toMatchObject({ kind: 'usage' });
    expect(await besideModel()).toEqual(['model', 'model.noise-key']);
    expect(await certificate()).toBe(old);
    expect(await call({ resume: true, overwrite: true })).toMatchObject({ resumed: true });
    expect(await spends()).toBe(2);
    expect(await besideModel()).toEqual(['model']);
  });

  /** A ledger whose entries of one kind are refused, as by a database that fails just then. */
  const refusing = (kind: 'complete' | 'spend') => ({
    ledger: async () => {
      const ledger = await openLedger(place, { create: true });
      return Object.assign(ledger, { [kind]: () => Promise.reject(new Error('the database is gone.')) });
    },
  });

  it('whose ledger fails at the end is a published model, a warning, and no secret; the next command tells it', async () => {
    const said: string[] = [];
    const published = await call({ ...refusing('complete'), say: (line) => void said.push(line) });
    expect(said.at(-1)).toMatch(/is published and paid for, but .* the database is gone\. Nothing is lost/);
    expect(published.ledgerEntry).toBe(published.certificate.ledgerEntry);
    expect(await besideModel()).toEqual(['model', 'model.unreported']);
    expect([await openRuns(), await spends()]).toEqual([1, 1]);
    // Again without success: nothing is lost, and nobody is stopped.
    await call({ ...refusing('complete'), out: join(folder, 'next') });
    expect(await besideModel()).toEqual(['model', 'model.unreported', 'next', 'next.unreported']);
    expect(await call({ resume: true })).toMatchObject({ resumed: true, ledgerEntry: published.ledgerEntry });
    expect(await besideModel()).toEqual(['model', 'next']);
    expect([await openRuns(), await spends()]).toEqual([0, 2]);
  });

  it('is not noted in a ledger that did not pay for it', async () => {
    await call(refusing('complete'));
    const said: string[] = [];
    const other = join(folder, 'ledger-other.sqlite');
    await call({
      out: join(folder, 'next'),
      ledger: () => openLedger(other, { create: true }),
      say: (line) => void said.push(line),
    });
    expect(said[0]).toContain('did not pay for it; give the one that did with --ledger');
    expect(await besideModel()).toContain('model.unreported');
    const ledger = await openLedger(other);
    expect((await ledger.entries()).filter(({ event }) => event.kind === 'completion')).toHaveLength(1);
    await ledger.close();
  });

  it('leaves no secret where the ledger failed before it charged', async () => {
    const failure = await failureOf(call(refusing('spend')));
    expect(failure).toMatchObject({ step: 'charge', paid: false });
    expect(failure.message).toBe('the database is gone.');
    expect(await besideModel()).toEqual([]);
  });

  it('keeps and names the secret where nobody knows whether it was charged', async () => {
    const ledger = async () => {
      const opened = await openLedger(place, { create: true });
      const spend = opened.spend.bind(opened);
      opened.spend = async (request) => {
        await spend(request);
        opened.head = () => Promise.reject(new Error('the database is gone.'));
        throw new Error('the database is gone.');
      };
      return opened;
    };
    const failure = await failureOf(call({ ledger }));
    expect(failure).toMatchObject({ step: 'charge', paid: false });
    expect(failure.message).toMatch(/did not say whether it charged this run.*--resume.*model\.noise-key/s);
    expect(await call({ resume: true })).toMatchObject({ resumed: true });
    expect(await spends()).toBe(1);
    expect(await besideModel()).toEqual(['model']);
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
      'OtherPlanError',
      'OtherRunLeftError',
      'TrainingFailedError',
      'certifiedCost',
      'clearLeftOvers', // puts back what was published before; makes nothing
      'finishLeftOver', // notes the end of what was published before
      'finishLeftOvers',
      'hasLeftOver',
      'heldBackFolder', // says where; the call writes
      'jobOfCharter',
      'keepLive', // copies what was published before, as putLive does
      'keptVersions',
      'makeRun', // the call
      'planHash',
      'planTraining',
      'pruneVersions',
      'putLive',
      'readMemory',
      'readRefreshCounts',
      'refreshCountsFile',
      'verifyModel',
      'versionsFolderOf',
      'workHash',
    ]);
  });
});
