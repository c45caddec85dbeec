import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { decodePublished, type PublishedModel, type SigningKey, type UnpublishedModel } from '@hushrec/model';
import { checkModelFolder } from '@hushrec/model/folder';
import { encodePublished } from './encode-published.js';

export interface WriteOptions {
  readonly signingKey?: SigningKey | undefined;
  /** The log of releases, to be published with the model. */
  readonly releases?: Uint8Array | undefined;
  /** Replace a model folder that is already there; anything else in the way is never touched. */
  readonly overwrite?: boolean;
}

/**
 * Writes a model folder so that it exists whole or not at all: files go to a hidden sibling, are flushed to disk,
 * and the sibling is renamed into place.
 */
export async function writeModelFolder(
  directory: string,
  model: UnpublishedModel,
  options: WriteOptions = {},
): Promise<PublishedModel> {
  const target = resolve(directory);
  await clearLeftOvers(target);
  const replaces = await checkModelFolder(target, options.overwrite === true);
  const files = await encodePublished(model, options);
  const { staging, old } = hiddenPlaces(target);
  await mkdir(staging, { recursive: true });
  try {
    for (const [name, bytes] of files) await writeDurably(join(staging, name), bytes);
    if (replaces) {
      await rename(target, old);
      await rename(staging, target);
      await rm(old, { recursive: true, force: true });
    } else {
      await rename(staging, target);
    }
    await flushNames(dirname(target));
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
  return decodePublished(files);
}

/**
 * Puts right what a writer left that was killed: an old model that was moved out of the way and not yet replaced comes back, and half-written
 * files go. Call it before anything is looked for at this place.
 */
export async function clearLeftOvers(directory: string): Promise<void> {
  const target = resolve(directory);
  const { staging, old } = hiddenPlaces(target);
  await rm(staging, { recursive: true, force: true });
  if (existsSync(old) && !existsSync(target)) await rename(old, target);
  await rm(old, { recursive: true, force: true });
}

function hiddenPlaces(target: string): { readonly staging: string; readonly old: string } {
  const hidden = (suffix: string) => join(dirname(target), `.${basename(target)}.${suffix}`);
  return { staging: hidden('writing'), old: hidden('old') };
}

/** Makes renames in a folder survive power loss, where the platform can (Windows cannot open folders). */
async function flushNames(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
