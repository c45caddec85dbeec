import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BadDataError } from './bad-data-error.js';
import type { DatasetContent } from './dataset-content.js';
import { openDataset, readManifest } from './dataset-folder/open-dataset.js';
import { writeDataset } from './dataset-folder/write-dataset.js';
import { plainForm } from './doubtful-ids.js';
import { clearPartials, disk, replaceFile } from './durable-files.js';
import type { Appearance, Dataset, DatasetManifest } from './rating-matrix.js';
import { withScratchFolder } from './scratch-folder.js';
import { selectRatings } from './select-ratings.js';
import { selectUsers } from './select-users.js';
import type { EncodedRows } from './sources/encoded-rows.js';

/** Says of an id whether its person asked to be left out. */
export type IsForgotten = (id: string) => boolean;

/**
 * The do-not-import list of a data set: a key and, of each id on it, the HMAC-SHA256 under that key. Nobody
 * can read ids off it, but whoever has the file can test a guess: it is as confidential as the data.
 */
interface ForgottenList {
  readonly format: typeof listFormat;
  readonly key: string;
  readonly people: readonly string[];
}

const listFormat = 'hushrec-do-not-import-1';

/** Beside the data set, which imports replace. */
export function forgottenFileOf(directory: string): string {
  return `${resolve(directory)}.do-not-import`;
}

/**
 * Who must not get into a data set; undefined where nobody asked. A list that is damaged, or that the data
 * set knows of and that is not there, is an error: the next import would bring people back who asked to be
 * forgotten.
 */
export async function readForgotten(directory: string): Promise<IsForgotten | undefined> {
  const list = await readList(directory);
  if (list === undefined) {
    const manifest = await readManifest(directory).catch(() => undefined);
    if (manifest?.provenance[noted] !== true) return undefined;
    throw new BadDataError(
      { file: forgottenFileOf(directory) },
      'it is not there, and people of this data set asked not to be imported again',
      'Put the list back beside the data set (it moves with it), or name these people again with `hushrec forget`.',
    );
  }
  const key = Buffer.from(list.key, 'hex');
  const people = new Set(list.people);
  return (id) => people.has(hashOf(key, id));
}

/** What became of people who asked to be forgotten. */
export interface Forgotten {
  /** How many of them the data set held. */
  readonly removed: number;
  /**
   * People who are still there under an id that differs from one of these by spaces or Unicode form alone.
   */
  readonly alike: number;
  /** The list of those who asked before was not there: it began anew. */
  readonly isListNew: boolean;
  /** Of the data set now. */
  readonly manifest: DatasetManifest;
}

/**
 * Puts people on the do-not-import list and takes them out of the data set: the list first, so that a stop in
 * between leaves nobody who comes back. The folder is replaced whole, and gets a new content hash; what
 * killed imports left, raw ratings among it, goes too. Items stay, also those that nobody else rated: models
 * and features count on them.
 *
 * @param ids those who asked; with none, whoever is on the list and is there all the same
 */
export async function forgetPeople(directory: string, ids: readonly string[]): Promise<Forgotten> {
  const dataset = await openDataset(directory);
  const before = await readList(directory);
  const list = await addToList(directory, before, ids);
  const key = Buffer.from(list.key, 'hex');
  const people = new Set(list.people);
  const kept = [...dataset.userIds.keys()].filter((user) => !people.has(hashOf(key, dataset.userIds[user])));
  const { manifest } = dataset;
  const removed = dataset.userIds.length - kept.length;
  const isNoted = manifest.provenance[noted] === true;
  const now =
    removed === 0 && isNoted
      ? manifest
      : await writeDataset(
          directory,
          { ...contentOf(dataset, kept), provenance: { ...manifest.provenance, [noted]: true } },
          { overwrite: true, account: manifest.account },
        );
  for (const left of [directory, forgottenFileOf(directory)]) await clearPartials(left);
  // People whom a killed training had put on the disk.
  await withScratchFolder(async () => {});
  const forms = new Set(ids.map(plainForm));
  return {
    removed,
    alike: kept.filter((user) => forms.has(plainForm(dataset.userIds[user]))).length,
    isListNew: before === undefined && isNoted,
    manifest: now,
  };
}

/**
 * Removes ratings from before a moment (seconds since 1970), and people who have none left. The folder is
 * replaced whole; items stay. The moment must come from a calendar, never from the ratings: what is kept of
 * one person would depend on others.
 *
 * @returns the manifest now
 * @throws BadDataError where ratings have no times
 */
export async function removeBefore(directory: string, moment: number): Promise<DatasetManifest> {
  const dataset = await openDataset(directory);
  const { ratings, manifest } = dataset;
  const { times } = ratings;
  if (times === undefined)
    throw new BadDataError(
      { file: directory },
      'its ratings have no times, so that nobody can tell which are old',
      'Import them with a column of times (--columns), or keep all.',
    );
  const recent = Uint8Array.from(times, (time) => (time >= moment ? 1 : 0));
  if (!recent.includes(0)) return manifest;
  const left = selectRatings(ratings, recent, 1);
  const { offsets } = left.byUser;
  const kept = [...dataset.userIds.keys()].filter((user) => offsets[user + 1] > offsets[user]);
  if (kept.length === 0)
    throw new BadDataError(
      { file: directory },
      'all of its ratings are older than what is kept',
      'Nothing was removed. Keep a longer time, or import newer ratings first.',
    );
  const content = contentOf({ ...dataset, ratings: left }, kept);
  const written = await writeDataset(
    directory,
    { ...content, provenance: manifest.provenance },
    { overwrite: true, account: manifest.account },
  );
  return withoutLate(directory, content.userIds, written);
}

/** The manifest of a data set without those who asked while it was read and written. */
export async function withoutLate(
  directory: string,
  userIds: readonly string[],
  written: DatasetManifest,
): Promise<DatasetManifest> {
  const isForgotten = await readForgotten(directory);
  const isLate = isForgotten !== undefined && userIds.some(isForgotten);
  return isLate ? (await forgetPeople(directory, [])).manifest : written;
}

/** A data set with some of its people, and all of its items. */
function contentOf(dataset: Dataset, kept: readonly number[]): Omit<DatasetContent, 'provenance'> {
  const { appearance, manifest, ratings, userIds } = dataset;
  return {
    ...dataset,
    name: manifest.name,
    ratings: selectUsers(ratings, kept),
    userIds: kept.map((user) => userIds[user]),
    ...(appearance && { appearance: ofPeople(appearance, kept) }),
  };
}

/** In the provenance of a data set that has a list. */
const noted = 'doNotImport';

/** What an import writes into the provenance, so that the list is missed where it is not there. */
export function forgottenMark(isForgotten: IsForgotten | undefined): Readonly<Record<string, unknown>> {
  return isForgotten === undefined ? {} : { [noted]: true };
}

/**
 * Rows without those of people on the list. Ids that no row is left of go, those of people in any case, those
 * of items where `keepItems` is not set. O(rows).
 */
export function withoutForgotten(
  rows: EncodedRows,
  isForgotten: IsForgotten | undefined,
  { keepItems }: { readonly keepItems: boolean },
): EncodedRows {
  const out = Uint8Array.from(rows.userIds, (id) => (isForgotten?.(id) === true ? 1 : 0));
  if (!out.includes(1)) return rows;
  const left = Uint32Array.from(rows.users.keys()).filter((row) => out[rows.users[row]] === 0);
  const users = renumbered(
    rows.userIds,
    left.map((row) => rows.users[row]),
  );
  const itemCodes = left.map((row) => rows.items[row]);
  const items = keepItems ? { ids: rows.itemIds, codes: itemCodes } : renumbered(rows.itemIds, itemCodes);
  const { times } = rows;
  return {
    ...rows,
    userIds: users.ids,
    itemIds: items.ids,
    users: users.codes,
    items: items.codes,
    ratings: Float32Array.from(left, (row) => rows.ratings[row]),
    ...(times && { times: Float64Array.from(left, (row) => times[row]) }),
  };
}

/** Ids that occur, in the order they had, and their new codes. */
function renumbered(ids: readonly string[], codes: Uint32Array) {
  const seen = new Uint8Array(ids.length);
  for (const code of codes) seen[code] = 1;
  const place = new Uint32Array(ids.length);
  const kept = ids.filter((_, code) => seen[code] === 1);
  let next = 0;
  for (let code = 0; code < ids.length; code++) if (seen[code] === 1) place[code] = next++;
  return { ids: kept, codes: codes.map((code) => place[code]) };
}

/** Ranks among those who are left: 0 to n − 1 again. */
function ofPeople({ users, items }: Appearance, kept: readonly number[]): Appearance {
  const order = [...kept.keys()].sort((a, b) => users[kept[a]] - users[kept[b]]);
  const ranks = new Uint32Array(kept.length);
  for (const [rank, at] of order.entries()) ranks[at] = rank;
  return { users: ranks, items };
}

function hashOf(key: Uint8Array, id: string): string {
  return createHmac('sha256', key).update(id).digest('hex');
}

async function readList(directory: string): Promise<ForgottenList | undefined> {
  const file = forgottenFileOf(directory);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
  try {
    const list = JSON.parse(text) as ForgottenList;
    if (
      list.format === listFormat &&
      isHash(list.key) &&
      Array.isArray(list.people) &&
      list.people.every(isHash)
    )
      return list;
  } catch {
    // Told below.
  }
  throw new BadDataError(
    { file },
    'this list of people who must not be imported is damaged',
    'Put a copy of it in its place.',
  );
}

function isHash(text: unknown): boolean {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
}

async function addToList(
  directory: string,
  before: ForgottenList | undefined,
  ids: readonly string[],
): Promise<ForgottenList> {
  const key = before?.key ?? randomBytes(32).toString('hex');
  const hashes = ids.map((id) => hashOf(Buffer.from(key, 'hex'), id));
  // Sorted: the order in which people asked is nobody's business.
  const people = [...new Set([...(before?.people ?? []), ...hashes])].sort();
  const list: ForgottenList = { format: listFormat, key, people };
  await replaceFile(disk, forgottenFileOf(directory), Buffer.from(`${JSON.stringify(list)}\n`), 0o600);
  return list;
}
