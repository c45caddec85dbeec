import { indexOfIds, joinRows } from '../join-rows.js';
import type { Dataset, RatingMatrix, RatingScale } from '../rating-matrix.js';
import { withScratchFolder } from '../scratch-folder.js';
import { readSource, type SourceOptions } from '../sources/read-source.js';

/** A published test set in the numbering of a data set. */
export interface HeldOutFile {
  /** Users and items of the data set; only the pairs of the file. */
  readonly ratings: RatingMatrix;
  /** Rows whose user or item the data set does not have. */
  readonly unknownRows: number;
}

/**
 * Reads a published test set (`u1.test`, Gowalla's `test.txt`) whose ids are those of the data set trained
 * on.
 */
export async function readHeldOutFile(
  path: string,
  dataset: Dataset,
  options: SourceOptions = {},
): Promise<HeldOutFile> {
  const { scale } = dataset.ratings;
  const { rows } = await withScratchFolder((folder) => readSource(path, scaleFrom(scale, options), folder));
  return joinRows(rows, indexOfIds(dataset.userIds), indexOfIds(dataset.itemIds));
}

/** Ids of the people in a test set: those whose histories are needed to ask for what is in it. */
export async function heldOutPeople(
  path: string,
  scale: RatingScale,
  options: SourceOptions = {},
): Promise<readonly string[]> {
  const { rows } = await withScratchFolder((folder) => readSource(path, scaleFrom(scale, options), folder));
  return rows.userIds;
}

/** What was said of the file; the scale is that of the data set where nothing was said of it. */
function scaleFrom(scale: RatingScale, options: SourceOptions): SourceOptions {
  return options.scale === undefined ? { ...options, scale, isScaleInherited: true } : options;
}
