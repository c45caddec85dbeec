import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sharedFloat32, sharedFloat64, sharedUint32 } from '@hushrec/numerics';
import type { AsyncBuffer } from 'hyparquet';
import { BadDataError } from '../bad-data-error.js';
import { restoreReplaced } from '../durable-files.js';
import { type PublishedItems, publishedItems } from '../published-items.js';
import type { Appearance, Dataset, DatasetManifest, FeatureSource, RatingMatrix } from '../rating-matrix.js';
import { isScale } from '../rating-scale.js';
import { isAccount } from './account.js';
import { damaged, withCheckedFile } from './checked-file.js';
import { fileReader } from './checked-reader.js';
import { decodeFeature, type FileReader } from './feature-tables.js';
import { type ColumnTarget, decodeTable, describeTable } from './parquet-table.js';
import { unsealedManifest } from './sealed-manifest.js';

/** What of a data set to load. */
export interface OpenOptions {
  /** Leave times out where they are not needed: 8 bytes a rating less. True unless given. */
  readonly times?: boolean;
}

/**
 * Opens a dataset folder; refuses one that is incomplete, damaged, or changed since it was written. Takes 8
 * bytes a rating, 16 with times, and little besides.
 */
export async function openDataset(directory: string, options: OpenOptions = {}): Promise<Dataset> {
  const manifest = await readManifest(directory);
  refusePeopleElsewhere(directory, manifest);
  const ratings = await fileReader(directory, manifest)('ratings.parquet', (table) =>
    readRatings(join(directory, 'ratings.parquet'), table, manifest, options.times ?? true),
  );
  return { ...(await readAllButRatings(directory, manifest)), ratings };
}

/** @throws BadDataError where a folder has the catalogue of a data set, and its people are on a cluster */
export function refusePeopleElsewhere(directory: string, { provenance }: DatasetManifest): void {
  if (provenance['cluster'] === undefined) return;
  throw new BadDataError(
    { file: directory },
    'its people are on a cluster, not in this folder',
    'Name the cluster with --engine sc://host:port; `train`, and `evaluate --test`, work there.',
  );
}

/** Everything of a data set but its ratings. */
export async function readAllButRatings(
  directory: string,
  manifest: DatasetManifest,
): Promise<Omit<Dataset, 'ratings'>> {
  const read = fileReader(directory, manifest);
  const users = await read('users.parquet', (table) =>
    readIds(join(directory, 'users.parquet'), table, manifest.people, false),
  );
  const { appearance: ranks, ...items } = await readItems(directory, manifest, read);
  const features = await readFeatures(manifest, read);
  const appearance: Appearance | undefined = users.appearance &&
    ranks && { users: users.appearance, items: ranks };
  return { directory, manifest, userIds: users.ids, ...items, features, ...(appearance && { appearance }) };
}

/** What is known of a data set before anyone's ratings are read, as plans have it. */
export interface PublicPart {
  readonly catalogue: 'declared' | 'rated items';
  /** The items of a declared catalogue, as a model publishes them. Others follow from the ratings. */
  readonly items?: PublishedItems;
  /** The public features that are stored with it. */
  readonly features: readonly FeatureSource[];
}

export async function readPublicPart(directory: string, manifest: DatasetManifest): Promise<PublicPart> {
  const read = fileReader(directory, manifest);
  const features = await readFeatures(manifest, read);
  return manifest.provenance['items'] === 'from a catalogue'
    ? {
        catalogue: 'declared',
        items: publishedItems(await readItems(directory, manifest, read)),
        features,
      }
    : { catalogue: 'rated items', features };
}

async function readItems(directory: string, { items: count }: DatasetManifest, read: FileReader) {
  const { ids, titles, links, images, appearance } = await read('items.parquet', (table) =>
    readIds(join(directory, 'items.parquet'), table, count, true),
  );
  return {
    itemIds: ids,
    itemTitles: titles,
    ...(links && { itemLinks: links }),
    ...(images && { itemImages: images }),
    ...(appearance && { appearance }),
  };
}

async function readFeatures({ features: stored, items }: DatasetManifest, read: FileReader) {
  const features: FeatureSource[] = [];
  for (const [index, each] of stored.entries())
    features.push(await decodeFeature(each, index + 1, items, read));
  return features;
}

/** The ids of a data set's people, without reading a rating. */
export async function readUserIds(directory: string): Promise<readonly string[]> {
  const { files, people } = await readManifest(directory);
  const file = join(directory, 'users.parquet');
  const expected = files['users.parquet'];
  if (expected === undefined)
    throw damaged(join(directory, 'dataset.json'), 'it does not list users.parquet');
  return (await withCheckedFile(file, expected, (table) => readIds(file, table, people, false))).ids;
}

/** `dataset.json` alone, checked: enough to plan and to show, without reading a rating. */
export async function readManifest(directory: string): Promise<DatasetManifest> {
  const file = join(directory, 'dataset.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8').catch(async (error: unknown) => {
      if (!(await restoreReplaced(directory))) throw error;
      return readFile(file, 'utf8');
    });
  } catch (cause) {
    throw new BadDataError(
      { file: directory },
      'it is not a data set (there is no readable dataset.json)',
      'Make one with "hushrec import" or "hushrec generate".',
      { cause },
    );
  }
  const manifest = unsealedManifest(text);
  if (manifest === 'not JSON') throw damaged(file, 'it is not JSON');
  if (manifest === 'changed') throw damaged(file, 'it was changed after it was written');
  if (manifest === 'not sealed' || manifest.format !== 'hushrec-dataset-2')
    throw new BadDataError(
      { file },
      'it is of a format this version does not know',
      'Import the source again with this version.',
    );
  if (!isAccount(manifest.account))
    throw new BadDataError(
      { file },
      'it names no account to spend from',
      'Import the source again with --overwrite.',
    );
  const counts = [manifest.people, manifest.items, manifest.ratings];
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

async function readRatings(
  file: string,
  table: AsyncBuffer,
  manifest: DatasetManifest,
  withTimes: boolean,
): Promise<RatingMatrix> {
  const { people: userCount, items: itemCount, ratings: count, scale } = manifest;
  const offsets = sharedUint32(userCount + 1);
  const indices = sharedUint32(count);
  const values = sharedFloat32(count);
  const times = manifest.hasTimes && withTimes ? sharedFloat64(count) : undefined;
  let lastUser = 0;
  const countUsers = (page: ArrayLike<unknown>) => {
    for (let k = 0; k < page.length; k++) {
      const user = page[k] as number;
      if (user < lastUser || user >= userCount)
        throw damaged(file, 'its users are not in order or are out of range');
      offsets[user + 1]++;
      lastUser = user;
    }
  };
  await decode(file, table, count, {
    user: countUsers,
    item: indices,
    rating: values,
    ...(times && { time: times }),
  });
  for (let user = 0; user < userCount; user++) {
    offsets[user + 1] += offsets[user];
    for (let k = offsets[user]; k < offsets[user + 1]; k++)
      if (indices[k] >= itemCount || (k > offsets[user] && indices[k] <= indices[k - 1]))
        throw damaged(file, 'its items are not in order or are out of range');
  }
  const byUser = { rowCount: userCount, columnCount: itemCount, offsets, indices, values };
  return { userCount, itemCount, scale, byUser, ...(times && { times }) };
}

async function readIds(file: string, table: AsyncBuffer, count: number, withTitles: boolean) {
  const ids: string[] = [];
  const titles: string[] = [];
  const ranks = new Uint32Array(count);
  const { columns } = await describeTable(table);
  const hasRanks = columns.includes('appearance');
  const links: string[] | undefined = columns.includes('link') ? [] : undefined;
  const images: string[] | undefined = columns.includes('image') ? [] : undefined;
  await decode(file, table, count, {
    id: ids,
    ...(withTitles && { title: titles }),
    ...(links && { link: links }),
    ...(images && { image: images }),
    ...(hasRanks && { appearance: ranks }),
  });
  return { ids, titles, links, images, appearance: hasRanks ? ranks : undefined };
}

async function decode(
  file: string,
  table: AsyncBuffer,
  count: number,
  targets: Readonly<Record<string, ColumnTarget>>,
): Promise<void> {
  let rows: number;
  try {
    rows = await decodeTable(table, targets);
  } catch (cause) {
    if (cause instanceof BadDataError) throw cause;
    throw damaged(file, 'it is not a whole Parquet file', cause);
  }
  if (rows !== count) throw damaged(file, 'it does not hold as many rows as dataset.json says');
}
