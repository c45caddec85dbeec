import { type IdIndex, joinRows } from '../join-rows.js';
import type { FeatureSource, RatingScale } from '../rating-matrix.js';
import { withScratchFolder } from '../scratch-folder.js';
import { readSource, type SourceOptions } from '../sources/read-source.js';
import { type FeatureReport, reportOf } from './feature-report.js';

/** How to read ratings of people whose data is public; the data set's scale unless another is given. */
export interface PublicRatingsOptions extends SourceOptions {
  readonly kind: 'public-ratings';
}

/**
 * Ratings of people whose data is public. They are public only if none of these people is among the protected
 * ones: that is for whoever names the file to know.
 */
export async function readPublicRatings(
  path: string,
  name: string,
  options: PublicRatingsOptions,
  index: IdIndex,
  scale: RatingScale,
): Promise<{ readonly source: FeatureSource; readonly report: FeatureReport }> {
  const { rows } = await withScratchFolder((folder) => readSource(path, { scale, ...options }, folder));
  const { ratings, unknownRows } = joinRows(rows, undefined, index);
  const present = new Uint8Array(index.size);
  for (const item of ratings.byUser.indices) present[item] = 1;
  return {
    source: { kind: 'public-ratings', name, byUser: ratings.byUser, scale: rows.scale },
    report: reportOf(present, unknownRows),
  };
}
