import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dataset, generateCatalogue, openDataset, writeDataset } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { protocolRecord, ratingsFor, splitFor, trainingPart } from './protocol.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-protocol-'));
let dataset: Dataset;
beforeAll(async () => {
  const content = generateCatalogue({ users: 60, items: 20, ratings: 500, seed: 1 });
  await writeDataset(join(folder, 'data'), content);
  dataset = await openDataset(join(folder, 'data'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const size = ({ byUser }: Dataset['ratings']) => byUser.values.length;

describe('what a protocol trains on', () => {
  it('is everything without one, and less with one', async () => {
    const all = size(dataset.ratings);
    expect(size(await trainingPart(dataset, { splitSeed: 1 }))).toBe(all);
    const holdout = size(await trainingPart(dataset, { splitSeed: 1, protocol: 'holdout' }));
    expect(holdout).toBe(Math.round(all * 0.8));
    const loo = size(await trainingPart(dataset, { splitSeed: 1, protocol: 'leave-one-out' }));
    // A person's only rating is not held out.
    const { offsets } = dataset.ratings.byUser;
    const askable = offsets.slice(1).filter((end, user) => end - offsets[user] > 1).length;
    expect(loo).toBe(all - askable);
  });

  it('is the same for the same seed, and another for another', async () => {
    const part = async (splitSeed: number) =>
      (await trainingPart(dataset, { splitSeed, protocol: 'holdout' })).byUser.indices.join();
    expect(await part(1)).toBe(await part(1));
    expect(await part(1)).not.toBe(await part(2));
  });

  it('is nothing of k-fold, which `evaluate` alone carries out', async () => {
    const flags = { splitSeed: 1, protocol: 'k-fold' } as const;
    for (const refused of [trainingPart(dataset, flags), splitFor(dataset, dataset.ratings, flags)])
      await expect(refused).rejects.toThrow(/one model per fold: use `hushrec evaluate/);
  });

  it('is likes alone when asked', async () => {
    const liked = await ratingsFor(dataset, { splitSeed: 1, liked: 4 });
    expect(size(liked)).toBe(dataset.ratings.byUser.values.filter((rating) => rating >= 4).length);
    expect(new Set(liked.byUser.values)).toEqual(new Set([1]));
  });

  it('is one part per fold for k-fold, which train cannot use', async () => {
    await expect(trainingPart(dataset, { splitSeed: 1, protocol: 'k-fold' })).rejects.toThrow(
      /one model per fold/,
    );
    await expect(splitFor(dataset, dataset.ratings, { splitSeed: 1 })).rejects.toThrow(
      /--protocol is needed/,
    );
  });

  it('is recorded so that evaluation can tell', () => {
    expect(protocolRecord({ splitSeed: 1 })).toBeUndefined();
    expect(protocolRecord({ splitSeed: 1, liked: 4 })).toEqual({ liked: 4 });
    expect(protocolRecord({ splitSeed: 2, protocol: 'leave-one-out' })).toEqual({
      protocol: 'leave-one-out',
      splitSeed: 2,
      candidates: 'all',
    });
  });
});
