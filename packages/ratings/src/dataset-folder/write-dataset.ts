import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatasetContent } from '../dataset-content.js';
import { disk, type FileSystem, moveFolderIntoPlace, writeDurably } from '../durable-files.js';
import { updateInParts } from '../hash-in-parts.js';
import type { DatasetManifest } from '../rating-matrix.js';
import { accountIn, type DatasetAccount, newAccount } from './account.js';
import { contentHash } from './content-hash.js';
import { encodeFeature, featureManifest } from './feature-tables.js';
import { encodeInParts } from './parquet-table.js';
import { checkTarget, makePartialFolder, privateModes, writeError } from './partial-folder.js';
import { sealedManifest } from './sealed-manifest.js';
import type { TableColumn } from './table-column.js';

/** How a dataset folder is written. */
export interface DatasetFolderOptions {
  /** Replace a data set that is already there. */
  readonly overwrite?: boolean;
  /** Whose budget it spends from. Unless given: that of the data set it replaces, or a new one. */
  readonly account?: DatasetAccount;
  readonly signal?: AbortSignal | undefined;
  /** How bytes reach the disk; tests put failing ones here. Must be durable when it resolves. */
  readonly writeFile?: (path: string, parts: readonly Uint8Array[]) => Promise<void>;
  /** The disk it is written to; tests put a failing one here. */
  readonly files?: FileSystem;
}

/**
 * What a data set remembers of its ledger (`@hushrec/ledger` writes it). It stays with the folder, whatever
 * is imported.
 */
const ledgerMark = 'ledger-mark.json';

/**
 * Writes a dataset folder all at once or not at all: into a sibling folder, `dataset.json` last, then
 * renamed. A folder without `dataset.json` never loads, and every file is in it with its hash.
 */
export async function writeDataset(
  directory: string,
  content: DatasetContent,
  options: DatasetFolderOptions = {},
): Promise<DatasetManifest> {
  const { files: target = disk, signal } = options;
  const writeFile =
    options.writeFile ?? ((path, parts) => writeDurably(target, path, parts, privateModes().file));
  await checkTarget(directory, options.overwrite ?? false);
  const partial = await makePartialFolder(directory, target);
  const files: Record<string, { sha256: string; bytes: number }> = {};
  const put = async (name: string, parts: readonly Uint8Array[]) => {
    signal?.throwIfAborted();
    await writeFile(join(partial, name), parts);
    const hash = createHash('sha256');
    for (const part of parts) updateInParts(hash, part);
    files[name] = { sha256: hash.digest('hex'), bytes: parts.reduce((sum, { length }) => sum + length, 0) };
  };
  try {
    await put('ratings.parquet', encodeRatings(content));
    await put('users.parquet', encodeInParts(idColumns(content.userIds, content.appearance?.users)));
    await put(
      'items.parquet',
      encodeInParts([
        ...idColumns(content.itemIds, content.appearance?.items),
        { name: 'title', type: 'text', data: content.itemTitles },
        ...(content.itemLinks ? [{ name: 'link', type: 'text', data: content.itemLinks } as const] : []),
        ...(content.itemImages ? [{ name: 'image', type: 'text', data: content.itemImages } as const] : []),
      ]),
    );
    for (const [index, source] of content.features.entries())
      for (const [name, parts] of encodeFeature(source, index + 1)) await put(name, parts);
    const { ratings } = content;
    const account = options.account ?? (await accountIn(directory)) ?? newAccount(content.name);
    const manifest: DatasetManifest = {
      format: 'hushrec-dataset-2',
      name: content.name,
      people: ratings.userCount,
      items: ratings.itemCount,
      ratings: ratings.byUser.values.length,
      scale: ratings.scale,
      hasTimes: ratings.times !== undefined,
      account,
      provenance: content.provenance,
      contentHash: contentHash(ratings, content.userIds, content.itemIds),
      features: content.features.map(featureManifest),
      files,
    };
    signal?.throwIfAborted();
    const mark = await readFile(join(directory, ledgerMark)).catch(absent);
    if (mark !== undefined) await writeFile(join(partial, ledgerMark), [mark]);
    await writeFile(join(partial, 'dataset.json'), [Buffer.from(sealedManifest(manifest))]);
    await moveFolderIntoPlace(target, partial, directory, true);
    return manifest;
  } catch (error) {
    await target.remove(partial);
    throw writeError(directory, error);
  }
}

function absent(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
}

function encodeRatings({ ratings }: DatasetContent): Uint8Array[] {
  const { byUser, times, userCount } = ratings;
  const users = new Uint32Array(byUser.indices.length);
  for (let user = 0; user < userCount; user++)
    users.fill(user, byUser.offsets[user], byUser.offsets[user + 1]);
  return encodeInParts([
    { name: 'user', type: 'index', data: users },
    { name: 'item', type: 'index', data: byUser.indices },
    { name: 'rating', type: 'float32', data: byUser.values },
    ...(times ? [{ name: 'time', type: 'float64', data: times } as const] : []),
  ]);
}

function idColumns(ids: readonly string[], appearance: Uint32Array | undefined): TableColumn[] {
  const id: TableColumn = { name: 'id', type: 'text', data: ids };
  return appearance === undefined ? [id] : [id, { name: 'appearance', type: 'index', data: appearance }];
}
