import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dataset, RatingMatrix } from '../rating-matrix.js';
import { collectRatings } from '../rating-triples.js';
import { readSource, type SourceOptions } from '../sources/read-source.js';

export interface HeldOutFile {
  /** Users and items of the data set; only the pairs of the file. */
  readonly ratings: RatingMatrix;
  /** Rows whose user or item the data set does not have. */
  readonly unknownRows: number;
}

/** Reads a published test set (`u1.test`, Gowalla's `test.txt`) whose ids are those of the data set trained on. */
export async function readHeldOutFile(
  path: string,
  dataset: Dataset,
  options: SourceOptions = {},
): Promise<HeldOutFile> {
  const workFolder = await mkdtemp(join(tmpdir(), 'hushrec-held-out-'));
  try {
    const { rows } = await readSource(path, { scale: dataset.ratings.scale, ...options }, workFolder);
    const userIndex = positions(dataset.userIds);
    const itemIndex = positions(dataset.itemIds);
    const users = rows.userIds.map((id) => userIndex.get(id) ?? -1);
    const items = rows.itemIds.map((id) => itemIndex.get(id) ?? -1);
    const known: number[] = [];
    for (let k = 0; k < rows.users.length; k++)
      if (users[rows.users[k]!]! >= 0 && items[rows.items[k]!]! >= 0) known.push(k);
    const { matrix } = collectRatings({
      userCount: dataset.ratings.userCount,
      itemCount: dataset.ratings.itemCount,
      scale: dataset.ratings.scale,
      users: Uint32Array.from(known, (k) => users[rows.users[k]!]!),
      items: Uint32Array.from(known, (k) => items[rows.items[k]!]!),
      ratings: Float32Array.from(known, (k) => rows.ratings[k]!),
      ...(rows.times && { times: Float64Array.from(known, (k) => rows.times![k]!) }),
    });
    return { ratings: matrix, unknownRows: rows.users.length - known.length };
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

function positions(ids: readonly string[]): Map<string, number> {
  return new Map(ids.map((id, position) => [id, position]));
}
