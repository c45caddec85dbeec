import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BlockSource,
  type Csr,
  openRowFiles,
  sharedFloat32,
  sharedUint32,
  writeRowFiles,
} from '@hushrec/numerics';
import { likedItems } from '../liked-items.js';
import type { Dataset, DatasetManifest } from '../rating-matrix.js';
import { damaged } from './checked-file.js';
import { fileReader } from './checked-reader.js';
import { readAllButRatings, readManifest, refusePeopleElsewhere } from './open-dataset.js';
import { decodeGroups, describeTable, type RowGroup } from './parquet-table.js';

/** How people are read from a data set that is not to be in memory. */
export interface PeopleOptions {
  /** Most ratings in memory at once, unless one person has more. */
  readonly ratingsPerBlock: number;
  /** Keep ratings of at least this much, as choices. */
  readonly liked?: number;
}

/** A data set whose ratings stay on disk, in blocks of whole people. Whoever opens it closes `rows`. */
export interface PeopleOnDisk extends Omit<Dataset, 'ratings'> {
  readonly rows: BlockSource & { close(): Promise<void> };
}

/**
 * Opens a data set without reading its ratings into memory: they are checked and unpacked once, group by
 * group, into a folder inside the data set's, 8 bytes a rating, which is removed as soon as it is open.
 */
export async function openPeople(
  directory: string,
  { ratingsPerBlock, liked }: PeopleOptions,
): Promise<PeopleOnDisk> {
  const manifest = await readManifest(directory);
  refusePeopleElsewhere(directory, manifest);
  const rest = await readAllButRatings(directory, manifest);
  const file = join(directory, 'ratings.parquet');
  await clearAbandoned(directory);
  const folder = await mkdtemp(join(directory, prefix));
  try {
    await fileReader(directory, manifest)('ratings.parquet', async (table) => {
      if ((await describeTable(table)).rows !== manifest.ratings)
        throw damaged(file, 'it does not hold as many rows as dataset.json says');
      const blocks = blocksOfPeople(file, decodeGroups(table, ['user', 'item', 'rating']), manifest);
      await writeRowFiles(
        folder,
        manifest.items,
        liked === undefined ? blocks : likes(blocks, manifest, liked),
      );
    });
    return { ...rest, rows: await openRowFiles(folder, { entriesPerBlock: ratingsPerBlock, remove: true }) };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

const prefix = '.people-';
/** Nobody unpacks a data set for longer. */
const DAY = 24 * 60 * 60 * 1000;

/** Removes what a process left that was killed while it unpacked. */
async function clearAbandoned(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(directory, name);
    // Another process may remove its own at any moment.
    const found = await stat(folder).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > DAY)
      await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Groups of rows, which may end within a person, as blocks of whole people; everyone in the data is in one of
 * them.
 */
async function* blocksOfPeople(
  file: string,
  groups: AsyncIterable<RowGroup<'user' | 'item' | 'rating'>>,
  { people, items }: DatasetManifest,
): AsyncGenerator<{ readonly rows: Csr }> {
  let begin = 0;
  let left: RowGroup<'user' | 'item' | 'rating'> = {
    user: new Float64Array(0),
    item: new Float64Array(0),
    rating: new Float64Array(0),
  };
  for await (const group of groups) {
    const joined = {
      user: concatenated(left.user, group.user),
      item: concatenated(left.item, group.item),
      rating: concatenated(left.rating, group.rating),
    };
    if (joined.user.length === 0) continue;
    // The last person may go on in the next group.
    const last = joined.user[joined.user.length - 1];
    const cut = joined.user.findIndex((user) => user >= last);
    const whole = {
      user: joined.user.subarray(0, cut),
      item: joined.item.subarray(0, cut),
      rating: joined.rating.subarray(0, cut),
    };
    left = {
      user: joined.user.subarray(cut),
      item: joined.item.subarray(cut),
      rating: joined.rating.subarray(cut),
    };
    if (last > begin) {
      yield { rows: rowsOf(file, whole, begin, last, items) };
      begin = last;
    }
  }
  if (begin < people) yield { rows: rowsOf(file, left, begin, people, items) };
  else if (left.user.length > 0) throw outOfOrder(file);
}

/** People [begin, end) by rows. @throws BadDataError where users or items are not in order or out of range */
function rowsOf(
  file: string,
  { user, item, rating }: RowGroup<'user' | 'item' | 'rating'>,
  begin: number,
  end: number,
  itemCount: number,
): Csr {
  const offsets = sharedUint32(end - begin + 1);
  const indices = sharedUint32(item.length);
  const values = sharedFloat32(rating.length);
  for (let at = 0; at < user.length; at++) {
    const own = user[at];
    const isNext = at === 0 || own > user[at - 1] || (own === user[at - 1] && item[at] > item[at - 1]);
    if (!(isNext && own >= begin && own < end && item[at] >= 0 && item[at] < itemCount))
      throw outOfOrder(file);
    offsets[own - begin + 1]++;
  }
  for (let row = 0; row < end - begin; row++) offsets[row + 1] += offsets[row];
  indices.set(item);
  values.set(rating);
  return { rowCount: end - begin, columnCount: itemCount, offsets, indices, values };
}

async function* likes(
  blocks: AsyncIterable<{ readonly rows: Csr }>,
  { scale, items }: DatasetManifest,
  threshold: number,
): AsyncGenerator<{ readonly rows: Csr }> {
  for await (const { rows } of blocks)
    yield {
      rows: likedItems({ userCount: rows.rowCount, itemCount: items, scale, byUser: rows }, threshold).byUser,
    };
}

function concatenated(first: Float64Array, second: Float64Array): Float64Array {
  if (first.length === 0) return second;
  const both = new Float64Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function outOfOrder(file: string) {
  return damaged(file, 'its users or items are not in order or are out of range');
}
