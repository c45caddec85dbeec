import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allPieces, hushWith, type Remembering, trainModel } from '@hushrec/factorize';
import { openLedger } from '@hushrec/ledger';
import { type Certificate, type CertificateStatement, fileNames } from '@hushrec/model';
import { readModelFiles, readModelFolder } from '@hushrec/model/folder';
import { accountingChecks, eventsOfChain } from '@hushrec/model/making';
import { createEngine, type Engine } from '@hushrec/numerics';
import { gaussianEpsilon, muFor, pldAccountant, pldEpsilon } from '@hushrec/privacy';
import { type FeatureSource, generateCatalogue, likedItems } from '@hushrec/ratings';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { catalogueSource } from './catalogue-source.test.data.js';
import { shiftsBeyond } from './exact-statistics.test.data.js';
import type { TrainingStep } from './failure.js';
import { heldBackFolder } from './kept-versions.js';
import { finishLeftOver } from './left-over.js';
import {
  decodeMemory,
  keptOf,
  MemoryFileError,
  memoryFileOf,
  nextMemoryFileOf,
  readMemory,
  recalledFor,
  samplerDistanceOf,
} from './memory-file.js';
import { answered, explicit, neighboursOf, planned, runOn } from './neighbouring-runs.test.data.js';
import { encodePublished } from './publish/encode-published.js';
import { trainAndPublish } from './train-and-publish.js';
import type { TrainAndPublishRequest } from './training-request.js';
import { verifyModel } from './verify-model.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.close());

const goals = [
  ['choices, vectors', { feedback: 'implicit', rank: 3 }],
  ['choices, popularity alone', { feedback: 'implicit' }],
  ['ratings, vectors', { feedback: 'explicit', rank: 2 }],
  ['ratings, effects alone', { feedback: 'explicit' }],
] as const;
const dataOf = (feedback: string) => (feedback === 'implicit' ? likedItems(explicit, 3.5) : explicit);
const hush = hushWith(allPieces);

describe.each(goals)('three refreshes in a row: %s', (_name, settings) => {
  it('of neighbours, answered alike, make the same, and no statistic moves by more than its bound', async () => {
    const ratings = dataOf(settings.feedback);
    for (const [other, names] of neighboursOf(ratings, planned(hush, ratings, settings))) {
      let remember: Remembering = {};
      for (let refresh = 0; refresh < 3; refresh++) {
        const run = planned(hush, ratings, settings);
        const one = await runOn(engine, run, ratings, remember);
        const two = await answered(engine, run, other, names, one.log, remember);
        const { beyond, moved } = shiftsBeyond(one.record, one.exact, two.exact);
        expect(beyond).toEqual([]);
        expect(moved).toBeGreaterThan(0);
        expect(two.trained).toEqual(one.trained);
        expect(one.trained.memory?.isUsed).toBe(refresh > 0);
        // After a day, and after a month.
        remember = { before: { ...one.trained.memory!.after, kept: refresh === 0 ? 0.98 : 0.5 } };
      }
    }
  });

  it('asks for one round only where it remembers', async () => {
    const ratings = dataOf(settings.feedback);
    const first = await runOn(engine, planned(hush, ratings, settings), ratings, {});
    const before = { ...first.trained.memory!.after, kept: 0.9 };
    const second = await runOn(engine, planned(hush, ratings, settings), ratings, { before });
    const vectors = (lines: readonly { readonly name: string }[]) =>
      lines.filter(({ name }) => name.startsWith('taste-vectors')).length;
    // Without vectors a rule may find that what is known by now carries some.
    expect(vectors(second.record.releases)).toBeLessThanOrEqual(1);
    if ('rank' in settings) {
      expect(vectors(first.record.releases)).toBeGreaterThan(1);
      expect(vectors(second.record.releases)).toBe(1);
    }
    expect(second.record.plan.total!.mu).toBe(first.record.plan.total!.mu);
  });
});

describe('a memory', () => {
  const world = (seed: number) => generateCatalogue({ users: 600, items: 40, ratings: 9000, seed }).ratings;
  const train = (ratings: ReturnType<typeof world>, remember: Remembering, seed: number) =>
    trainModel({
      method: hush,
      settings: { feedback: 'implicit', rank: 4 },
      ratings,
      engine,
      epsilon: 2,
      delta: 1e-6,
      seed,
      remember,
    });

  it('that no longer fits released counts is left alone, and a new one begins', async () => {
    const ratings = likedItems(world(1), 3.5);
    const { memory } = await train(ratings, {}, 1);
    const before = { ...memory!.after, kept: 0.9 };
    expect((await train(ratings, { before }, 2)).memory?.isUsed).toBe(true);
    // The same memory with the popularity of items dealt anew.
    const counts = before.byItem['counts'].slice().reverse();
    const strange = { ...before, byItem: { ...before.byItem, counts } };
    expect((await train(ratings, { before: strange }, 2)).memory?.isUsed).toBe(false);
  });

  it('makes counts less noisy with every run, and knows nothing of a new item', async () => {
    const ratings = likedItems(world(1), 3.5);
    let noise = Infinity;
    let remember: Remembering = {};
    for (let run = 0; run < 4; run++) {
      const { memory } = await train(ratings, remember, run);
      expect(memory!.countNoise).toBeLessThan(noise);
      noise = memory!.countNoise;
      remember = { before: { ...memory!.after, kept: 0.95 } };
    }
    const known = {
      account: 'a',
      method: 'hush',
      settings: {},
      scale: ratings.scale,
      part: null,
      itemIds: Array.from({ length: 40 }, (_, item) => `item ${item}`),
      runs: [],
      before: null,
      ...remember.before!,
    };
    const moved = recalledFor(known, ['new', 'item 7'], 0.9);
    expect(moved.byItem['countPrecisions'][0]).toBe(0);
    expect(moved.byItem['counts'][1]).toBe(known.byItem['counts'][7]);
    expect(Array.from(moved.byItem['sums'].subarray(0, 4))).toEqual([0, 0, 0, 0]);
  });
});

describe('published refreshes', () => {
  const { ratings: all } = generateCatalogue({ users: 300, items: 24, ratings: 3000, seed: 5 });
  const account = { id: 'c'.repeat(32), name: 'shop' };
  let folder: string;
  let out: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hushrec-refreshes-'));
    out = join(folder, 'shop');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const refresh = (night: number, more: Partial<TrainAndPublishRequest> = {}) =>
    trainAndPublish({
      source: catalogueSource(all, account, `night ${night}`),
      method: 'hush',
      settings: { feedback: 'explicit', rank: 2 },
      epsilon: 1,
      delta: 1e-6,
      out,
      overwrite: true,
      threads: 1,
      codeVersion: '0',
      show: ({ hash }) => hash,
      withReleases: true,
      remember: { day: `2027-01-0${night}` },
      ledger: () => openLedger(join(folder, 'ledger.sqlite'), { create: true }),
      ...more,
    });

  it('state the ε of the whole chain, which an independent accountant finds too; verify recomputes the third', async () => {
    const mu = muFor(1, 1e-6);
    let paid = 0;
    for (const night of [1, 2, 3]) {
      const { certificate } = await refresh(night);
      expect(certificate.chain?.earlier ?? []).toEqual(
        night === 1
          ? []
          : [{ mu: expect.closeTo(mu, 6), count: night - 1, totalVariation: expect.any(Number) }],
      );
      expect(certificate.epsilon).toBeCloseTo(gaussianEpsilon(Math.sqrt(night) * mu, 1e-6), 3);
      if (night > 1) expect(certificate.chain!.lastRun).toBeCloseTo(1, 3);
      // What the samplers of all runs are away from their laws is paid for, too.
      const distances = eventsOfChain(certificate.chain).flatMap((each) =>
        each.kind === 'sampler-distance' ? [each.totalVariation] : [],
      );
      expect(distances.reduce((sum, each) => sum + each, 0)).toBeCloseTo(paid, 80);
      if (night > 1) expect(paid).toBeGreaterThan(0);
      paid += samplerDistanceOf(certificate.releases);
      const event = {
        kind: 'repeated',
        count: night,
        event: { kind: 'gaussian', sensitivity: mu, noise: 1 },
      } as const;
      expect(certificate.epsilon).toBeGreaterThanOrEqual(pldEpsilon(event, 1e-6, 'optimistic') * (1 - 1e-6));
      expect(certificate.epsilon).toBeLessThanOrEqual(pldAccountant.epsilon(event, 1e-6) * (1 + 2e-5));
    }
    const files = await readModelFiles(out);
    expect(files.has(fileNames.memory)).toBe(true);
    const { ok, checks } = await verifyModel(files);
    expect(checks.filter((each) => !each.ok)).toEqual([]);
    expect(ok).toBe(true);
    expect(checks.find(({ name }) => name === 'model follows from its releases')?.detail).toMatch(
      /from the memory of 2 earlier runs and the releases of the last one/,
    );
    const words = new TextDecoder().decode(files.get(fileNames.certificateText));
    expect(words).toMatch(/made of what 3 runs released/);
    expect(words).toMatch(/The last run alone cost ε = 1 /);
  });

  it('cannot claim the ε of the last run alone, nor remember other runs', async () => {
    for (const night of [1, 2]) await refresh(night);
    const { certificate } = await readModelFolder(out);
    const { chain } = certificate;
    const faults = (forged: CertificateStatement) =>
      accountingChecks(forged).flatMap(({ ok, detail }) => (ok ? [] : [detail]));
    expect(faults(certificate)).toEqual([]);
    expect(faults({ ...certificate, epsilon: chain!.lastRun }).join()).toMatch(/but the releases cost/);
    const without = { ...certificate, chain: { ...chain!, earlier: [] } };
    expect(faults(without).join()).toMatch(/remembers earlier runs whose cost/);
    expect(faults({ ...certificate, chain: { ...chain!, lastRun: 0.5 } }).join()).toMatch(/last run alone/);
    // Consistent in itself, but not what the memory in the folder says.
    const cheaper = { ...chain!, earlier: [{ ...chain!.earlier[0], mu: chain!.earlier[0].mu / 2 }] };
    expect(faults({ ...certificate, chain: cheaper }).join()).toMatch(/the releases cost only/);
  });

  it('keep the memory of the account, whatever becomes of the model, and begin anew when told', async () => {
    await refresh(1);
    const first = (await readMemory(out))!;
    expect(first.runs.map(({ day }) => day)).toEqual(['2027-01-01']);
    // Held back: the model goes elsewhere, what was released is remembered.
    await refresh(2, { place: async () => join(folder, 'held') });
    const second = (await readMemory(out))!;
    expect(second).toMatchObject({ before: first.sha256 });
    expect(second.runs).toHaveLength(2);
    expect(keptOf(second)).toBeCloseTo(2 ** (-1 / 30), 3);
    const said: string[] = [];
    const anew = await refresh(3, {
      remember: { day: '2027-01-03', anew: 'asked for' },
      say: (line) => said.push(line),
    });
    expect(anew.certificate.chain).toBeUndefined();
    expect(said.join()).toMatch(/Memory begins anew: asked for/);
    expect((await readMemory(out))?.runs).toHaveLength(1);
  });

  it('begin anew where settings differ, and refuse a damaged memory before anything is charged', async () => {
    await refresh(1);
    const other = await refresh(2, { settings: { feedback: 'explicit', rank: 3 } });
    expect(other.certificate.chain).toBeUndefined();
    const bytes = await readFile(memoryFileOf(out));
    expect(() => decodeMemory(bytes)).not.toThrow();
    for (const at of [bytes.indexOf('"mu":') + 7, bytes.length - 6, 3, bytes.indexOf(10) + 2]) {
      const flipped = Uint8Array.from(bytes);
      flipped[at] ^= 1;
      expect(() => decodeMemory(flipped)).toThrow(MemoryFileError);
    }
    await writeFile(memoryFileOf(out), bytes.subarray(0, bytes.length - 3));
    await expect(refresh(3)).rejects.toMatchObject({ paid: false, cause: expect.any(MemoryFileError) });
  });

  it('learn from public features too, and are recomputed with them', async () => {
    const plain = catalogueSource(all, account, 'with genres');
    const genres: FeatureSource = {
      kind: 'categorical',
      name: 'genres',
      fields: [
        {
          name: 'genre',
          tokens: ['drama', 'comedy', 'horror'],
          byItem: {
            rowCount: all.itemCount,
            columnCount: 3,
            offsets: Uint32Array.from({ length: all.itemCount + 1 }, (_, item) => item),
            indices: Uint32Array.from({ length: all.itemCount }, (_, item) => item % 3),
            values: new Float32Array(all.itemCount).fill(1),
          },
        },
      ],
    };
    const features = [genres];
    const source = { ...plain, features, open: async () => ({ ...(await plain.open()), features }) };
    for (const night of [1, 2]) await refresh(night, { source });
    const { certificate } = await readModelFolder(out);
    expect(certificate.chain?.earlier).toHaveLength(1);
    const files = await readModelFiles(out);
    const { ok, checks } = await verifyModel(files, { features: [genres] });
    expect(checks.filter((each) => !each.ok)).toEqual([]);
    expect(ok).toBe(true);
  });

  it('cannot state less noise on counts than is left', async () => {
    for (const night of [1, 2]) await refresh(night);
    const { certificate, manifest, model } = await readModelFolder(out);
    const files = await readModelFiles(out);
    const { hash: _hash, files: _files, signature: _signature, ...stated } = certificate;
    const chain = { ...certificate.chain!, countNoise: certificate.chain!.countNoise * 0.999 };
    const forged = await encodePublished(
      { manifest, model, certificate: { ...stated, chain } },
      { releases: files.get(fileNames.releases), memory: files.get(fileNames.memory) },
    );
    const { checks } = await verifyModel(forged);
    expect(checks.filter(({ ok }) => !ok).map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/of noise is left on counts; it is/),
    ]);
  });

  it('whose model was held back and who were stopped then are finished once, and remembered once', async () => {
    await refresh(1);
    const place = (certificate: Certificate) => heldBackFolder(out, certificate);
    const stopped = refresh(2, {
      place,
      step: (now) => {
        if (now === 'complete') throw new Error('stopped');
      },
    });
    await expect(stopped).rejects.toThrow();
    expect((await readMemory(out))!.runs).toHaveLength(1);
    const ledger = () => openLedger(join(folder, 'ledger.sqlite'), { create: false });
    const finished = await finishLeftOver(out, { ledger, say: () => {} });
    expect(finished?.certificate.chain?.earlier).toHaveLength(1);
    expect((await readMemory(out))!.runs).toHaveLength(2);
    expect(existsSync(nextMemoryFileOf(out))).toBe(false);
  });

  it.each(['rehearse', 'charge', 'train', 'certify', 'publish', 'complete'] as TrainingStep[])(
    'stopped before %s: the old model or the new one, whole, paid once, remembered once',
    async (step) => {
      const before = await refresh(1);
      const memory = (await readMemory(out))!;
      const stopped = refresh(2, {
        step: (now) => {
          if (now === step) throw new Error('stopped');
        },
      });
      await expect(stopped).rejects.toThrow();
      const between = await verifyModel(await readModelFiles(out));
      expect(between.ok).toBe(true);
      const resumed = await refresh(2, { resume: true, remember: { day: '2027-01-02' } });
      expect(resumed.certificate.chain?.memory).toBe(memory.sha256);
      expect((await readMemory(out))!.runs).toHaveLength(2);
      expect(existsSync(nextMemoryFileOf(out))).toBe(false);
      expect(resumed.certificate.hash).not.toBe(before.certificate.hash);
      const ledger = await openLedger(join(folder, 'ledger.sqlite'), { create: false });
      const spends = (await ledger.entries()).filter(({ event }) => event.kind === 'spend').length;
      await ledger.close();
      expect(spends).toBe(2);
      expect((await verifyModel(await readModelFiles(out))).ok).toBe(true);
    },
  );
});
