import { existsSync } from 'node:fs';
import { readdir, readFile, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Certificate, PublishedModel } from '@hushrec/model';
import { readModelFolder } from '@hushrec/model/folder';
import { disk, moveFolderIntoPlace, replaceFile, writeDurably } from '@hushrec/ratings';
import { clearLeftOvers } from './publish/write-folder.js';

/** A model that is kept beside the live one: one that was replaced, or one that a gate held back. */
export interface KeptVersion {
  /** Of its certificate: the name of its folder. */
  readonly hash: string;
  readonly folder: string;
  /** When it was put there. */
  readonly since: Date;
  /** It was never live: a gate held it back. */
  readonly isHeldBack: boolean;
  readonly published: PublishedModel;
}

/**
 * Where earlier models of a folder are kept, each under the hash of its certificate. The folder itself is no
 * model, so that nobody serves what is in it.
 */
export function versionsFolderOf(modelDirectory: string): string {
  return `${resolve(modelDirectory)}.versions`;
}

function versionFolderOf(modelDirectory: string, hash: string): string {
  return join(versionsFolderOf(modelDirectory), hash);
}

/** Says of a kept model that it was never live. */
const heldBackEnding = '.held-back';

/**
 * The folder for a model that is held back; that it is so is noted first, so that no model gets live by a
 * rollback that nobody asked it for.
 */
export async function heldBackFolder(modelDirectory: string, { hash }: Pick<Certificate, 'hash'>) {
  const folder = versionFolderOf(modelDirectory, hash);
  await disk.makeFolder(dirname(folder));
  await replaceFile(disk, `${folder}${heldBackEnding}`, Buffer.from(''));
  return folder;
}

/**
 * Kept models, the one that was put there last first. The live model is not among them, though its folder may
 * be: a swap that was stopped leaves one twice. Folders that are damaged are left out.
 */
export async function keptVersions(modelDirectory: string): Promise<KeptVersion[]> {
  const parent = versionsFolderOf(modelDirectory);
  const names = await readdir(parent).catch((): string[] => []);
  const live = await readModelFolder(modelDirectory).catch(() => undefined);
  const found: KeptVersion[] = [];
  for (const hash of names.filter((name) => /^[0-9a-f]{64}$/.test(name))) {
    const folder = join(parent, hash);
    const published = await readModelFolder(folder).catch(() => undefined);
    if (published?.certificate.hash !== hash || hash === live?.certificate.hash) continue;
    const { mtime: since } = await stat(folder);
    found.push({ hash, folder, since, isHeldBack: existsSync(`${folder}${heldBackEnding}`), published });
  }
  return found.sort((a, b) => b.since.getTime() - a.since.getTime() || (a.hash < b.hash ? -1 : 1));
}

/**
 * Copies the live model to its kept versions, durable when this resolves; nothing where there is none. A copy
 * and not a move: whatever stops the swap that follows, the live model is where it was.
 */
export async function keepLive(modelDirectory: string): Promise<void> {
  const live = resolve(modelDirectory);
  const published = await readModelFolder(live).catch(() => undefined);
  if (published === undefined) return;
  const folder = versionFolderOf(live, published.certificate.hash);
  await disk.makeFolder(dirname(folder));
  await copyModel(live, folder);
  await disk.remove(`${folder}${heldBackEnding}`);
}

/**
 * Removes all but the last `count` kept models, and whatever else lies there, as copies that were stopped.
 * While nothing was published, nothing goes: what is kept may be all there is.
 */
export async function pruneVersions(modelDirectory: string, count: number): Promise<void> {
  const parent = versionsFolderOf(modelDirectory);
  const kept = new Set((await keptVersions(modelDirectory)).slice(0, count).map(({ hash }) => hash));
  const names = existsSync(modelDirectory) ? await readdir(parent).catch((): string[] => []) : [];
  for (const name of names)
    if (!kept.has(/^([0-9a-f]{64})(\.held-back)?$/.exec(name)?.[1] ?? ''))
      await disk.remove(join(parent, name));
}

/**
 * Puts a kept model live in place of the one that is, which is kept in its stead. At every moment the old or
 * the new one is there, whole.
 */
export async function putLive(modelDirectory: string, version: KeptVersion): Promise<void> {
  const live = resolve(modelDirectory);
  await clearLeftOvers(live);
  await keepLive(live);
  await copyModel(version.folder, live);
  for (const left of [version.folder, `${version.folder}${heldBackEnding}`]) await disk.remove(left);
}

/** The files of a model as another folder, whole or not at all; replaces a model that is there. */
async function copyModel(from: string, to: string): Promise<void> {
  const hidden = (ending: string) => join(dirname(to), `.${basename(to)}.${ending}`);
  const staging = hidden('writing');
  await disk.remove(staging);
  try {
    await disk.makeFolder(staging);
    for (const name of await readdir(from)) {
      await writeDurably(disk, join(staging, name), await readFile(join(from, name)));
      // The certificate's time says how old the model is.
      const { atime, mtime } = await stat(join(from, name));
      await utimes(join(staging, name), atime, mtime);
    }
    await moveFolderIntoPlace(disk, staging, to, existsSync(to), hidden('old'));
  } catch (error) {
    await disk.remove(staging);
    throw error;
  }
}
