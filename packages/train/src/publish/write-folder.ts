import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  type Certificate,
  decodePublished,
  type PublishedModel,
  type UnpublishedModel,
} from '@hushrec/model';
import { checkModelFolder } from '@hushrec/model/folder';
import type { SigningKey } from '@hushrec/model/signing';
import { disk, type FileSystem, moveFolderIntoPlace, writeDurably } from '@hushrec/ratings';
import { stagingOfSecret } from '../secret-file.js';
import { encodePublished } from './encode-published.js';

export interface ModelFolderOptions {
  readonly signingKey?: SigningKey | undefined;
  /** The log of releases, to be published with the model. */
  readonly releases?: Uint8Array | undefined;
  /** The memory that the run began with, to be published with them. */
  readonly memory?: Uint8Array | undefined;
  /** Replace a model folder that is already there; anything else in the way is never touched. */
  readonly overwrite?: boolean;
  /**
   * Where the model goes, once its certificate is known: the folder that was named unless this says another
   * one. It sees released numbers alone, so that what is published follows from them.
   */
  readonly place?: ((certificate: Certificate) => Promise<string>) | undefined;
  /** The disk it is written to; tests put a failing one here. */
  readonly files?: FileSystem;
}

/**
 * Writes a model folder so that it exists whole or not at all: files go to a hidden sibling, are flushed to
 * disk, and the sibling is renamed into place.
 */
export async function writeModelFolder(
  directory: string,
  model: UnpublishedModel,
  options: ModelFolderOptions = {},
): Promise<PublishedModel> {
  const { files: place = disk } = options;
  await clearLeftOvers(directory);
  const files = await encodePublished(model, {
    signingKey: options.signingKey,
    releases: options.releases,
    memory: options.memory,
  });
  const published = await decodePublished(files);
  const target = resolve((await options.place?.(published.certificate)) ?? directory);
  if (target !== resolve(directory)) await clearLeftOvers(target);
  const replaces = await checkModelFolder(target, options.overwrite === true);
  const { staging, old } = hiddenPlaces(target);
  try {
    await place.makeFolder(staging);
    for (const [name, bytes] of files) await writeDurably(place, join(staging, name), bytes);
    await moveFolderIntoPlace(place, staging, target, replaces, old);
  } catch (error) {
    await place.remove(staging);
    throw error;
  }
  return published;
}

/**
 * Puts right what a writer left that was killed: an old model that was moved out of the way and not yet
 * replaced comes back, and half-written files go, a secret's among
 * them. Call it before anything is looked for at this place.
 */
export async function clearLeftOvers(directory: string): Promise<void> {
  const target = resolve(directory);
  const { staging, old } = hiddenPlaces(target);
  await disk.remove(staging);
  await disk.remove(stagingOfSecret(target));
  if (existsSync(old) && !existsSync(target)) await disk.rename(old, target);
  await disk.remove(old);
}

function hiddenPlaces(target: string): { readonly staging: string; readonly old: string } {
  const hidden = (suffix: string) => join(dirname(target), `.${basename(target)}.${suffix}`);
  return { staging: hidden('writing'), old: hidden('old') };
}
