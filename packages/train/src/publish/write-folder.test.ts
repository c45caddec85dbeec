import { mkdir, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CorruptModelError, decodePublished, PublicationError, verifyPublished } from '@hushrec/model';
import { ModelFolderExistsError, readModelFiles, readModelFolder } from '@hushrec/model/folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exampleFactors, exampleModel } from '../../../model/src/example-model.test.data.js';
import { clearLeftOvers, writeModelFolder } from './write-folder.js';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'hushrec-model-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

describe('a model folder', () => {
  it('is written and read back, and nothing else is left beside it', async () => {
    const directory = join(parent, 'deep', 'model');
    const written = await writeModelFolder(directory, exampleModel());
    expect(await readModelFolder(directory)).toEqual(written);
    expect(await readdir(join(parent, 'deep'))).toEqual(['model']);
    expect((await readdir(directory)).sort()).toEqual([
      'CERTIFICATE.md',
      'certificate.json',
      'item-factors.safetensors',
      'model.json',
    ]);
  });

  it('is never overwritten unasked, and asked only where a model or nothing was', async () => {
    const directory = join(parent, 'model');
    await writeModelFolder(directory, exampleModel());
    const renamed = exampleModel({ ...exampleFactors, offset: 1 });
    await expect(writeModelFolder(directory, renamed)).rejects.toThrow(ModelFolderExistsError);
    await writeModelFolder(directory, renamed, { overwrite: true });
    expect((await readModelFolder(directory)).model.offset).toBe(1);

    const other = join(parent, 'photos');
    await mkdir(other);
    await writeFile(join(other, 'cat.txt'), 'meow');
    await expect(writeModelFolder(other, renamed, { overwrite: true })).rejects.toThrow(
      ModelFolderExistsError,
    );
    expect(await readFile(join(other, 'cat.txt'), 'utf8')).toBe('meow');
  });

  it('is not there at all when the model cannot be published', async () => {
    const users = { ids: ['u'], factors: Float32Array.of(1, 2) };
    await expect(
      writeModelFolder(join(parent, 'model'), exampleModel({ ...exampleFactors, users })),
    ).rejects.toThrow(PublicationError);
    expect(await readdir(parent)).toEqual([]);
  });

  it('is read by the names in its certificate: files that are in it besides cost nothing and are told', async () => {
    const directory = join(parent, 'model');
    await writeModelFolder(directory, exampleModel());
    await writeFile(join(directory, 'huge.bin'), '');
    await truncate(join(directory, 'huge.bin'), 2 ** 33);
    await mkdir(join(directory, 'folder'));
    const files = await readModelFiles(directory);
    expect([...files.values()].reduce((sum, { length }) => sum + length, 0)).toBeLessThan(20_000);
    await expect(decodePublished(files)).resolves.toBeDefined();
    const { checks } = await verifyPublished(files);
    expect(checks.find(({ name }) => name === 'files are unchanged')?.detail).toMatch(
      /folder does not belong to the model; huge.bin does not belong to the model/,
    );
  });

  it('is refused when a file is larger than what can be published, with its name', async () => {
    const directory = join(parent, 'model');
    await writeModelFolder(directory, exampleModel());
    for (const name of ['certificate.json', 'item-factors.safetensors']) {
      await truncate(join(directory, name), 2 ** 33);
      await expect(readModelFolder(directory)).rejects.toThrow(`${name}: it has 8589934592 bytes`);
      await rm(directory, { recursive: true });
      await writeModelFolder(directory, exampleModel());
    }
  });

  it('says what is wrong with a folder that is none', async () => {
    await expect(readModelFolder(join(parent, 'missing'))).rejects.toThrow(CorruptModelError);
    await expect(readModelFolder(parent)).rejects.toThrow(/not a model folder/);
  });

  it('comes back where a writer was killed between moving it away and putting the new one in its place', async () => {
    const directory = join(parent, 'model');
    const before = await writeModelFolder(directory, exampleModel());
    await rename(directory, join(parent, '.model.old'));
    await mkdir(join(parent, '.model.writing'));
    await clearLeftOvers(directory);
    expect(await readModelFolder(directory)).toEqual(before);
    expect(await readdir(parent)).toEqual(['model']);
  });
});
