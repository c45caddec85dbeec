import { spawnSync } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ownerMark } from '../abandoned.js';
import { BadDataError } from '../bad-data-error.js';
import type { DatasetContent } from '../dataset-content.js';
import { nearestItems } from '../features/nearest-items.js';
import { generateCatalogue } from '../generate/catalogue.js';
import { openDataset } from './open-dataset.js';
import { DatasetWriteError } from './partial-folder.js';
import { writeDataset } from './write-dataset.js';

const base = await mkdtemp(join(tmpdir(), 'hushrec-folder-test-'));
afterAll(() => rm(base, { recursive: true, force: true }));
let folder: string;
let count = 0;
beforeEach(async () => {
  folder = join(base, `case-${count++}`);
  await mkdir(folder);
});

const made = generateCatalogue({ users: 60, items: 25, ratings: 500, seed: 9 });
const similar = nearestItems(
  new Float32Array(50).map((_, k) => Math.sin(k)),
  2,
  new Uint8Array(25).fill(1),
  {
    k: 3,
    measure: 'cosine',
    values: 'actual',
  },
);
const content: DatasetContent = {
  ...made,
  userIds: made.userIds.map((id) => `käufer ${id} 🎬`),
  // What cannot be seen is kept like everything else.
  itemTitles: made.itemIds.map((id) => `\ufefftitle ${id}`),
  features: [
    ...made.features,
    { kind: 'similarity', name: 'similar', byItem: similar },
    { kind: 'public-ratings', name: 'public', byUser: made.ratings.byUser, scale: made.ratings.scale },
    { kind: 'categorical', name: 'empty', fields: [{ name: 'none', tokens: [], byItem: noTokens(25) }] },
  ],
  appearance: {
    users: Uint32Array.from({ length: 60 }, (_, k) => 59 - k),
    items: Uint32Array.from({ length: 25 }, (_, k) => k),
  },
};

function noTokens(items: number) {
  return {
    rowCount: items,
    columnCount: 0,
    offsets: new Uint32Array(items + 1),
    indices: new Uint32Array(0),
    values: new Float32Array(0),
  };
}

describe('a dataset folder', () => {
  it('gives back what was written', async () => {
    const manifest = await writeDataset(join(folder, 'set'), content);
    const dataset = await openDataset(join(folder, 'set'));
    expect(dataset.manifest).toEqual(manifest);
    expect(manifest).toMatchObject({
      people: 60,
      items: 25,
      ratings: 500,
      hasTimes: true,
      scale: made.ratings.scale,
    });
    expect(dataset.ratings).toEqual(content.ratings);
    expect(dataset.userIds).toEqual(content.userIds);
    expect(dataset.itemTitles).toEqual(content.itemTitles);
    expect(dataset.features).toEqual(content.features);
    expect(dataset.appearance).toEqual(content.appearance);
    expect(await readdir(folder)).toEqual(['set']);
  });

  it('has a content hash that follows ids, pairs, ratings, times and scale, and nothing else', async () => {
    const hashOf = async (name: string, changed: DatasetContent) =>
      (await writeDataset(join(folder, name), changed)).contentHash;
    const original = await hashOf('a', content);
    expect(
      await hashOf('b', { ...content, itemTitles: content.itemTitles.map(() => 'x'), features: [] }),
    ).toBe(original);
    const { ratings } = content;
    const values = ratings.byUser.values.slice();
    values[0] = values[0] === 1 ? 2 : 1;
    const { times: _, ...timeless } = ratings;
    const others = [
      { ...content, userIds: ['other', ...content.userIds.slice(1)] },
      { ...content, ratings: { ...ratings, byUser: { ...ratings.byUser, values } } },
      { ...content, ratings: { ...ratings, scale: { min: 0, max: 5, step: 0.5 } } },
      { ...content, ratings: timeless },
    ];
    const hashes = await Promise.all(others.map((changed, k) => hashOf(`other-${k}`, changed)));
    expect(new Set([original, ...hashes]).size).toBe(5);
  });

  it('loads no folder with a file missing, cut short or changed', async () => {
    const set = join(folder, 'set');
    await writeDataset(set, content);
    for (const name of await readdir(set)) {
      const whole = await readFile(join(set, name));
      await truncate(join(set, name), whole.length - 7);
      await expect(openDataset(set), `${name} cut short`).rejects.toThrow(BadDataError);
      if (name !== 'dataset.json') {
        const changed = Buffer.from(whole);
        changed[changed.length >> 1] ^= 1;
        await writeFile(join(set, name), changed);
        await expect(openDataset(set), `${name} changed`).rejects.toThrow(/has changed/);
      }
      await rm(join(set, name));
      await expect(openDataset(set), `${name} missing`).rejects.toThrow(BadDataError);
      await writeFile(join(set, name), whole);
    }
    expect((await openDataset(set)).manifest.people).toBe(60);
  });

  it('leaves nothing behind when any write fails, and says that the disk is full', async () => {
    const names = Object.keys((await writeDataset(join(folder, 'whole'), content)).files).length + 1;
    for (let failing = 0; failing < names; failing++) {
      let writes = 0;
      const writing = writeDataset(join(folder, 'set'), content, {
        writeFile: async (path, parts) => {
          const bytes = Buffer.concat(parts);
          if (writes++ === failing) {
            await writeFile(path, bytes.subarray(0, bytes.length >> 1));
            throw Object.assign(new Error('write'), { code: 'ENOSPC' });
          }
          await writeFile(path, bytes);
        },
      });
      await expect(writing).rejects.toThrow(/the disk is full/);
      await expect(writing).rejects.toBeInstanceOf(DatasetWriteError);
      expect(await readdir(folder)).toEqual(['whole']);
    }
  });

  it('stops when told to, leaving nothing behind', async () => {
    const controller = new AbortController();
    const writing = writeDataset(join(folder, 'set'), content, {
      signal: controller.signal,
      writeFile: async () => controller.abort(),
    });
    await expect(writing).rejects.toMatchObject({ name: 'AbortError' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('is not put over other files, nor over a data set unless asked', async () => {
    const set = join(folder, 'set');
    await mkdir(set);
    await writeFile(join(set, 'thesis.txt'), 'precious');
    await expect(writeDataset(set, content, { overwrite: true })).rejects.toThrow(/holds other files/);
    await rm(join(set, 'thesis.txt'));
    await writeDataset(set, content);
    await expect(writeDataset(set, content)).rejects.toThrow(/already holds a data set/);
    await writeDataset(set, { ...content, name: 'second' }, { overwrite: true });
    expect((await openDataset(set)).manifest.name).toBe('second');
    expect(await readdir(folder)).toEqual(['set']);
  });

  it('keeps its account and what it remembers of its ledger when it is replaced', async () => {
    const set = join(folder, 'set');
    const { account } = await writeDataset(set, content);
    expect(account.id).toMatch(/^[0-9a-f]{32}$/);
    await writeFile(join(set, 'ledger-mark.json'), '{"number":3}');
    const again = await writeDataset(set, { ...content, name: 'second' }, { overwrite: true });
    expect(again.account).toEqual(account);
    expect(await readFile(join(set, 'ledger-mark.json'), 'utf8')).toBe('{"number":3}');
    const other = { id: 'a'.repeat(32), name: 'other' };
    expect((await writeDataset(set, content, { overwrite: true, account: other })).account).toEqual(other);
    expect((await writeDataset(join(folder, 'fresh'), content)).account.id).not.toBe(account.id);
  });

  it('comes back when the process that was replacing it was killed between two steps', async () => {
    const set = join(folder, 'set');
    const { account } = await writeDataset(set, content);
    await rename(set, join(folder, '.set.partial-0123456789ab-old'));
    await mkdir(join(folder, '.set.partial-0123456789ab'));
    await expect(writeDataset(set, content)).rejects.toThrow(/already holds a data set/);
    expect((await openDataset(set)).manifest.account).toEqual(account);
    await rename(set, join(folder, '.set.partial-0123456789ab-old'));
    expect((await writeDataset(set, content, { overwrite: true })).account).toEqual(account);
  });

  const modes = async (set: string) => {
    const of = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    const files = await Promise.all((await readdir(set)).map((name) => of(join(set, name))));
    return [await of(set), ...new Set(files)];
  };

  it.skipIf(process.platform === 'win32')(
    'is for its owner alone, or for the group where that is said',
    async () => {
      const set = join(folder, 'set');
      await writeDataset(set, content);
      expect(await modes(set)).toEqual(['700', '600']);
      vi.stubEnv('HUSHREC_GROUP_READABLE', '1');
      try {
        await writeDataset(set, content, { overwrite: true });
        expect(await modes(set)).toEqual(['750', '640']);
      } finally {
        vi.unstubAllEnvs();
      }
      await writeDataset(set, content, { overwrite: true });
      expect(await modes(set)).toEqual(['700', '600']);
    },
  );

  it('removes what killed processes left beside it, and nothing that somebody may be working in', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const machine = ownerMark().slice(0, 9);
    const names = {
      killed: `.set.partial-${machine}${pid}-0123456789ab`,
      'killed, moved aside': `.set.partial-${machine}${pid}-0123456789ab-old`,
      'of a process before this one': `.set.partial-${ownerMark()}0123456789ab`,
      'of nobody, and old': '.set.partial-0123456789ab',
      'in use': `.set.partial-${machine}${process.ppid}-0123456789ab`,
      'of another machine': `.set.partial-00000000-${pid}-0123456789ab`,
      'of another data set': `.settle.partial-${machine}${pid}-0123456789ab`,
    };
    await writeDataset(join(folder, 'set'), content);
    for (const name of Object.values(names)) await mkdir(join(folder, name, 'raw'), { recursive: true });
    const longAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
    await utimes(join(folder, names['of nobody, and old']), longAgo, longAgo);
    await writeDataset(join(folder, 'set'), content, { overwrite: true });
    const left = [names['in use'], names['of another machine'], names['of another data set']];
    expect((await readdir(folder)).sort()).toEqual([...left, 'set'].sort());
  });

  it('is refused with a hint when it is none', async () => {
    await expect(openDataset(folder)).rejects.toThrow(/hushrec import/);
    await writeFile(join(folder, 'dataset.json'), '{"format":"hushrec-dataset-9"}');
    await expect(openDataset(folder)).rejects.toThrow(/format this version does not know/);
  });
});
