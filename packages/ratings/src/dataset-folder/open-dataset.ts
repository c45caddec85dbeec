import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sharedFloat32, sharedFloat64, sharedUint32 } from '@hushrec/numerics';
import { BadDataError } from '../bad-data-error.js';
import type { Appearance, Dataset, DatasetManifest, RatingMatrix } from '../rating-matrix.js';
import { isScale } from '../rating-scale.js';
import { decodeFeature } from './feature-tables.js';
import { type ColumnTarget, decodeTable, describeTable } from './parquet-table.js';

/** Opens a dataset folder; refuses one that is incomplete, damaged, or changed since it was written. */
export async function openDataset(directory: string): Promise<Dataset> {
  const manifest = await readManifest(directory);
  const read = (name: string) => readChecked(directory, manifest, name);
  const ratings = await readRatings(directory, manifest, read);
  const users = await readIds(directory, await read('users.parquet'), manifest.users, false);
  const items = await readIds(directory, await read('items.parquet'), manifest.items, true);
  const features = [];
  for (const [index, each] of manifest.features.entries())
    features.push(await decodeFeature(each, index + 1, manifest.items, read));
  const appearance: Appearance | undefined = users.appearance &&
    items.appearance && { users: users.appearance, items: items.appearance };
  return {
    directory,
    manifest,
    ratings,
    userIds: users.ids,
    itemIds: items.ids,
    itemTitles: items.titles,
    features,
    ...(appearance && { appearance }),
  };
}

/** `dataset.json` alone, checked: enough to plan and to show, without reading a rating. */
export async function readManifest(directory: string): Promise<DatasetManifest> {
  const file = join(directory, 'dataset.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new BadDataError(
      { file: directory },
      'it is not a data set (there is no readable dataset.json)',
      'Make one with "hushrec import" or "hushrec generate".',
      { cause },
    );
  }
  let manifest: DatasetManifest;
  try {
    manifest = JSON.parse(text) as DatasetManifest;
  } catch (cause) {
    throw damaged(file, 'it is not JSON', cause);
  }
  if (manifest.format !== 'hushrec-dataset-1')
    throw new BadDataError(
      { file },
      'it is of a format this version does not know',
      'Import the source again with this version.',
    );
  const counts = [manifest.users, manifest.items, manifest.ratings];
  if (
    !counts.every((count) => Number.isSafeInteger(count) && count >= 0) ||
    typeof manifest.scale !== 'object' ||
    !isScale(manifest.scale) ||
    typeof manifest.files !== 'object' ||
    !Array.isArray(manifest.features)
  )
    throw damaged(file, 'fields are missing or out of range');
  return manifest;
}

async function readChecked(directory: string, manifest: DatasetManifest, name: string): Promise<Uint8Array> {
  const file = join(directory, name);
  const expected = manifest.files[name];
  if (expected === undefined) throw damaged(join(directory, 'dataset.json'), `it does not list ${name}`);
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    throw damaged(file, 'it is missing or cannot be read', cause);
  }
  if (bytes.length !== expected.bytes)
    throw damaged(file, 'it is shorter or longer than when it was written');
  if (createHash('sha256').update(bytes).digest('hex') !== expected.sha256)
    throw damaged(file, 'it has changed since it was written');
  return bytes;
}

async function readRatings(
  directory: string,
  manifest: DatasetManifest,
  read: (name: string) => Promise<Uint8Array>,
): Promise<RatingMatrix> {
  const { users: userCount, items: itemCount, ratings: count, scale } = manifest;
  const file = join(directory, 'ratings.parquet');
  const user = new Uint32Array(count);
  const indices = sharedUint32(count);
  const values = sharedFloat32(count);
  const times = manifest.hasTimes ? sharedFloat64(count) : undefined;
  await decode(file, await read('ratings.parquet'), count, {
    user,
    item: indices,
    rating: values,
    ...(times && { time: times }),
  });
  const offsets = sharedUint32(userCount + 1);
  for (let k = 0; k < count; k++) {
    const inOrder =
      k === 0 || user[k - 1]! < user[k]! || (user[k - 1] === user[k] && indices[k - 1]! < indices[k]!);
    if (!inOrder || user[k]! >= userCount || indices[k]! >= itemCount)
      throw damaged(file, 'its rows are not in order or are out of range');
    offsets[user[k]! + 1]!++;
  }
  for (let row = 0; row < userCount; row++) offsets[row + 1]! += offsets[row]!;
  const byUser = { rowCount: userCount, columnCount: itemCount, offsets, indices, values };
  return { userCount, itemCount, scale, byUser, ...(times && { times }) };
}

async function readIds(directory: string, bytes: Uint8Array, count: number, withTitles: boolean) {
  const ids: string[] = [];
  const titles: string[] = [];
  const rank = new Uint32Array(count);
  const file = join(directory, withTitles ? 'items.parquet' : 'users.parquet');
  await decode(file, bytes, count, { id: ids, ...(withTitles && { title: titles }) });
  const hasRank = describeTable(bytes).columns.includes('appearance');
  if (hasRank) await decode(file, bytes, count, { appearance: rank });
  return { ids, titles, appearance: hasRank ? rank : undefined };
}

async function decode(
  file: string,
  bytes: Uint8Array,
  count: number,
  targets: Readonly<Record<string, ColumnTarget>>,
): Promise<void> {
  let rows: number;
  try {
    rows = await decodeTable(bytes, targets);
  } catch (cause) {
    throw damaged(file, 'it is not a whole Parquet file', cause);
  }
  if (rows !== count) throw damaged(file, 'it does not hold as many rows as dataset.json says');
}

function damaged(file: string, reason: string, cause?: unknown): BadDataError {
  return new BadDataError({ file }, reason, 'The data set is damaged; import the source again.', { cause });
}
