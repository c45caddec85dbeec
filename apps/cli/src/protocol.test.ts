import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { methodById } from '@hushrec/factorize';
import { type Dataset, generateCatalogue, importSource, openDataset, writeDataset } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from './exit-codes.js';
import { checkProtocolFlags, protocolRecord, ratingsFor, splitFor, trainingPart } from './protocol.js';
import { runCommand } from './run-command.test.data.js';
import { trainingSource } from './training-source.js';

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
    expect(Math.abs(holdout - 0.8 * all)).toBeLessThan(5 * Math.sqrt(0.16 * all));
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

  it.each(['holdout', 'strong-generalization', 'leave-one-out'] as const)(
    'is the same of everybody else when a person joins, from the file on: %s',
    async (protocol) => {
      const rows = Array.from(
        { length: 300 },
        (_, k) => `${k % 40},${(7 * k + Math.floor(k / 40)) % 30},${1 + (k % 5)}`,
      );
      // Sorts first, makes ids of both kinds texts, and brings an item of her own.
      const joining = ['!first,aardvark,5', '!first,3,1', '!first,4,2', '!first,5,2', '!first,6,4'];
      const usedOf = async (name: string, lines: readonly string[]) => {
        const source = join(folder, `${protocol} ${name}.csv`);
        writeFileSync(source, `user,item,rating\n${lines.join('\n')}\n`);
        const directory = join(folder, `${protocol} ${name}`);
        await importSource(source, directory, { scale: { min: 1, max: 5, step: 1 } });
        const training = await trainingSource(
          directory,
          methodById('hush'),
          { splitSeed: 1, protocol },
          () => {},
        );
        const opened = await training.open();
        if (!('ratings' in opened)) throw new TypeError('It is in memory.');
        const { byUser } = opened.ratings;
        return new Set(
          opened.personIds.flatMap((person, row) =>
            Array.from(
              { length: byUser.offsets[row + 1] - byUser.offsets[row] },
              (_, k) =>
                `${person},${opened.items.itemIds[byUser.indices[byUser.offsets[row] + k]]},${byUser.values[byUser.offsets[row] + k]}`,
            ),
          ),
        );
      };
      const without = await usedOf('without', rows);
      const withHer = await usedOf('with', [...joining, ...rows.toReversed()]);
      expect(without.size).toBeLessThan(300);
      expect(new Set([...withHer].filter((row) => !row.startsWith('!first')))).toEqual(without);
    },
  );

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

  it('is recorded so that evaluation and verification can tell', async () => {
    expect(await protocolRecord({ splitSeed: 1 })).toBeUndefined();
    expect(await protocolRecord({ splitSeed: 1, liked: 4 })).toEqual({ liked: 4 });
    const leaveOneOut = { splitSeed: 2, protocol: 'leave-one-out' } as const;
    expect(await protocolRecord(leaveOneOut)).toEqual({
      protocol: 'leave-one-out',
      splitSeed: 2,
      division: 'by-person',
      candidates: 'all',
    });
    expect(await protocolRecord({ ...leaveOneOut, candidates: 'file' })).not.toHaveProperty('division');
    expect(await protocolRecord({ splitSeed: 2, protocol: 'holdout' })).toEqual({
      protocol: 'holdout',
      splitSeed: 2,
      division: 'by-rating',
    });
  });

  it('takes no flag that would change nothing, in any command', async () => {
    for (const flags of [
      { splitSeed: 2 },
      { splitSeed: 1, candidates: 'file' },
      { splitSeed: 1, candidates: 'file', protocol: 'holdout' } as const,
    ])
      expect(() => checkProtocolFlags(flags)).toThrow(/Leave it out|leave it out/);
    checkProtocolFlags({ splitSeed: 2, candidates: 'file', protocol: 'leave-one-out' });
    const data = join(folder, 'data');
    const out = join(folder, 'none');
    for (const args of [
      ['train', data, '--epsilon', '1', '--split-seed', '2', '--out', out],
      ['train', data, '--epsilon', '1', '--candidates', 'negatives.txt', '--out', out],
      ['split', data, '--candidates', 'negatives.txt', '--out', out],
      ['compare', data, '--methods', 'popularity', '--candidates', 'negatives.txt', '--out', out],
      ['evaluate', out, data, '--candidates', 'negatives.txt'],
    ]) {
      const { code, errors } = await runCommand(...args);
      expect(code, errors).toBe(exitCodes.wrongUsage);
      expect(errors).toMatch(/--split-seed 2 is for a split|--candidates negatives.txt is for --protocol/);
    }
    expect(existsSync(out)).toBe(false);
  });
});
